/**
 * An HTTP/1.1 answer to a POST, read as its bytes come: where it ends, and whether another request may follow on its connection
 * (RFC 9112, sections 2 to 9). Pure. Strict, as what is read two ways can be made to say two things: a bare line feed, a folded line, a length
 * given twice or beside chunks, none of them is an answer. Not: how much of it is wanted, or until when (attempt.ts).
 */

/** What an answer comes to, in this order. Each may stop the reader. */
export interface AnswerParts {
  /** An interim answer (1xx), of which any number may come, or the answer. @param headers names in lower case and values, in turn */
  onHead(statusCode: number, headers: readonly string[]): void;
  /** @param bytes valid until it returns */
  onBody(bytes: Buffer): void;
  /** @param idleMs how long its connection may wait for another request; 0 where none may follow */
  onEnd(idleMs: number): void;
}

/** No answer that can be told apart from another. Its message says why, and nothing of the receiver. */
export class BadAnswer extends Error {
  override readonly name = "BadAnswer";
}

/** Head, trailers; what Node allows by default. */
const MOST_HEAD_LENGTH = 16 * 1024;
/** Size of a chunk with what may stand behind it, which nobody uses. */
const MOST_LINE_LENGTH = 512;
/** A connection that is kept, where the receiver doesn't say for how long: less than the 5 s of most servers. */
const IDLE_MS = 4000;
const MOST_IDLE_MS = 600_000;
/** So much before the receiver closes its end, nothing is sent any more. */
const IDLE_MARGIN_MS = 2000;

const BEGINNING = "HTTP/1.";
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const NAME = /^[!#$%&'*+\-.^_\x60|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const CHUNK_SIZE = /^([0-9A-Fa-f]{1,8})(?:;[!-~]*)?$/;

type Phase = "head" | "length" | "untilClose" | "size" | "chunk" | "chunkEnd" | "trailers" | "over";

export class AnswerReader {
  readonly #parts: AnswerParts;
  #phase: Phase = "head";
  /** The beginning of a head or a line of which the end has not come. */
  #held = "";
  /** Bytes of the body, or of a chunk, that are yet to come. */
  #left = 0;
  #trailerLength = 0;
  #idleMs = 0;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  /** Takes what has come. @throws BadAnswer */
  read(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length && this.#phase !== "over") at = this.#step(bytes, at);
  }

  /** No more comes. @returns whether that is how an answer of no given length ends */
  close(): boolean {
    if (this.#phase !== "untilClose") return false;
    this.#finish(0);
    return true;
  }

  /** Reads no further. */
  stop(): void {
    this.#phase = "over";
  }

  /** @returns how far it has come */
  #step(bytes: Buffer, at: number): number {
    if (this.#phase === "head") return this.#readHead(bytes, at);
    if (this.#phase === "length" || this.#phase === "chunk") return this.#readBody(bytes, at);
    if (this.#phase !== "untilClose") return this.#readLine(bytes, at);
    this.#parts.onBody(at === 0 ? bytes : bytes.subarray(at));
    return bytes.length;
  }

  #readHead(bytes: Buffer, at: number): number {
    const before = this.#held.length;
    // Older servers end a body with a line break that is not of it.
    const text = (this.#held + bytes.toString("latin1", at)).replace(/^[\r\n]+/, "");
    if (!text.startsWith(BEGINNING) && !BEGINNING.startsWith(text)) throw new BadAnswer("the answer is no HTTP/1.1");
    const end = text.indexOf("\r\n\r\n");
    if ((end < 0 ? text.length : end) > MOST_HEAD_LENGTH)
      throw new BadAnswer(`the head of the answer is longer than ${MOST_HEAD_LENGTH} bytes`);
    if (end < 0) {
      this.#held = text;
      return bytes.length;
    }
    this.#held = "";
    const skipped = before + bytes.length - at - text.length;
    const next = at + skipped + end + 4 - before;
    this.#takeHead(text.slice(0, end), next === bytes.length);
    return next;
  }

  #takeHead(head: string, isAll: boolean): void {
    const lines = head.split("\r\n");
    const [, minor, status] = STATUS_LINE.exec(lines[0] ?? "") ?? [];
    if (status === undefined) throw new BadAnswer("the answer is no HTTP/1.1");
    const statusCode = Number(status);
    const headers = headersOf(lines);
    // Nobody asked for another protocol: what would follow is none that is spoken here.
    if (statusCode === 101) throw new BadAnswer("the answer changes the protocol, which was not asked for");
    if (statusCode >= 200) this.#frame(statusCode, headers, minor === "1");
    this.#parts.onHead(statusCode, headers);
    if (this.#phase === "length" && this.#left === 0) this.#finish(isAll ? this.#idleMs : 0);
  }

  /** Where the body ends (RFC 9112 section 6.3). */
  #frame(statusCode: number, headers: readonly string[], isLatest: boolean): void {
    const codings = valuesOf(headers, "transfer-encoding");
    const lengths = valuesOf(headers, "content-length");
    this.#idleMs = idleMsOf(headers, isLatest);
    this.#left = 0;
    this.#phase = "length";
    if (codings.length > 0 && lengths.length > 0) throw new BadAnswer("the answer has two lengths");
    if (codings.length > 0 && !isLatest) throw new BadAnswer("the answer has chunks, which HTTP/1.0 doesn't know");
    if (statusCode === 204 || statusCode === 304) return;
    if (/(?:^|[\t ,])chunked$/i.test(codings.join())) this.#phase = "size";
    else if (codings.length > 0 || lengths.length === 0) this.#phase = "untilClose";
    else this.#left = lengthOf(lengths);
  }

  #readBody(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left);
    this.#left -= end - at;
    const isChunk = this.#phase === "chunk";
    if (isChunk && this.#left === 0) this.#phase = "chunkEnd";
    this.#parts.onBody(at === 0 && end === bytes.length ? bytes : bytes.subarray(at, end));
    if (!isChunk && this.#left === 0) this.#finish(end === bytes.length ? this.#idleMs : 0);
    return end;
  }

  #readLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(10, at) + 1;
    const text = this.#held + bytes.toString("latin1", at, end || bytes.length);
    if (text.length > (this.#phase === "trailers" ? MOST_HEAD_LENGTH : MOST_LINE_LENGTH))
      throw new BadAnswer("a line between the chunks of the answer is too long");
    this.#held = end ? "" : text;
    if (!end) return bytes.length;
    if (!text.endsWith("\r\n")) throw new BadAnswer("the chunks of the answer are broken");
    this.#takeLine(text.slice(0, -2), end === bytes.length);
    return end;
  }

  #takeLine(line: string, isAll: boolean): void {
    if (this.#phase === "size") return this.#takeSize(line);
    if (this.#phase === "trailers") return this.#takeTrailer(line, isAll);
    if (line !== "") throw new BadAnswer("the chunks of the answer are broken");
    this.#phase = "size";
  }

  #takeSize(line: string): void {
    const size = CHUNK_SIZE.exec(line)?.[1];
    if (size === undefined) throw new BadAnswer("the chunks of the answer are broken");
    this.#left = Number.parseInt(size, 16);
    this.#phase = this.#left === 0 ? "trailers" : "chunk";
  }

  /** What they say is of no use here. */
  #takeTrailer(line: string, isAll: boolean): void {
    if (line === "") return this.#finish(isAll ? this.#idleMs : 0);
    this.#trailerLength += line.length;
    if (this.#trailerLength > MOST_HEAD_LENGTH) throw new BadAnswer("the trailers of the answer are too long");
    headersOf(["", line]);
  }

  /** @param idleMs 0 also where more has come than the answer: nobody asked for it */
  #finish(idleMs: number): void {
    if (this.#phase === "over") return;
    this.#phase = "over";
    this.#parts.onEnd(idleMs);
  }
}

/** @param lines the first of them is none */
function headersOf(lines: readonly string[]): string[] {
  const headers: string[] = [];
  for (let at = 1; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    const value = line.slice(colon + 1);
    if (!NAME.test(name) || !VALUE.test(value)) throw new BadAnswer("a header of the answer is broken");
    headers.push(name.toLowerCase(), withoutSpace(value));
  }
  return headers;
}

/** `trim` would take more than HTTP means by white space. */
function withoutSpace(value: string): string {
  let [start, end] = [0, value.length];
  while (start < end && isSpace(value.charCodeAt(start))) start++;
  while (end > start && isSpace(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9;
}

/** All values of a header. @param name in lower case */
export function valuesOf(headers: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) values.push(headers[at + 1] ?? "");
  return values;
}

function lengthOf(lengths: readonly string[]): number {
  const [length = ""] = lengths;
  if (lengths.length === 1 && /^\d{1,15}$/.test(length)) return Number(length);
  throw new BadAnswer(lengths.length > 1 ? "the answer has two lengths" : "the length of the answer is no number");
}

/** How long the connection may wait: RFC 9112 section 9.3, and the hint `Keep-Alive: timeout=5` that many send. */
function idleMsOf(headers: readonly string[], isLatest: boolean): number {
  const options = valuesOf(headers, "connection").join().toLowerCase().split(",");
  const isKept = isLatest ? true : options.some((option) => option.trim() === "keep-alive");
  if (!isKept || options.some((option) => option.trim() === "close")) return 0;
  const seconds = /(?:^|[\t ,;])timeout=[\t ]*(\d{1,7})/i.exec(valuesOf(headers, "keep-alive").join())?.[1];
  if (seconds === undefined) return IDLE_MS;
  return Math.max(0, Math.min(Number(seconds) * 1000 - IDLE_MARGIN_MS, MOST_IDLE_MS));
}
