/** A strict parser for HTTP/1.1 responses (RFC 9112 section 6): bytes that would make a client guess are an error. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";

export interface Answer {
  status: number;
  /** By lower-case name; repeated headers are joined with ", ". */
  headers: Record<string, string>;
  /** Absent if the connection ended before the response did. One character per byte. */
  body?: string;
}

const CODINGS: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes) => bytes,
};

/** Decodes the body into text. @throws Error if the content coding is unknown or the body does not match it */
export function decoded(answer: Answer): Answer {
  const { body, headers } = answer;
  const coding = headers["content-encoding"] ?? "identity";
  if (body === undefined || (body === "" && coding !== "identity")) return answer;
  const decode = CODINGS[coding];
  if (!decode) throw new Error(`the coding "${coding}"`);
  return { ...answer, body: decode(Buffer.from(body, "latin1")).toString() };
}

const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [^\r\n]*$/;
const FIELD = /^([!#$%&'*+.^_`|~\w-]+): ?([\t\x20-\x7e\x80-\xff]*)$/;

/** @returns the final responses, in order. @throws Error if the bytes are not valid responses */
export function readAnswers(bytes: Buffer): Answer[] {
  const text = bytes.toString("latin1");
  const answers: Answer[] = [];
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf("\r\n\r\n", at);
    // Cut off inside the head: the client has left.
    if (end < 0) break;
    const answer = readHead(text.slice(at, end));
    at = end + 4;
    if (answer.status >= 200) {
      at = readBody(answer, text, at);
      answers.push(answer);
    }
  }
  return answers;
}

function readHead(head: string): Answer {
  const [first = "", ...lines] = head.split("\r\n");
  const status = STATUS_LINE.exec(first)?.[1];
  if (status === undefined) throw new Error(`not a status line: ${JSON.stringify(first.slice(0, 200))}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = "", value = ""] = FIELD.exec(line) ?? [];
    if (name === "") throw new Error(`not a header: ${JSON.stringify(line.slice(0, 200))}`);
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return { status: Number(status), headers };
}

/** @returns the position of the next response */
function readBody(answer: Answer, text: string, at: number): number {
  const { "content-length": length, "transfer-encoding": coding } = answer.headers;
  // A response to HEAD has no body, whatever its headers say. No body of the app under test looks like a response.
  const isBare = text.startsWith("HTTP/1.1 ", at) || answer.status === 204 || answer.status === 304;
  if (isBare) return at;
  if (coding !== undefined) {
    if (coding !== "chunked" || length !== undefined) throw new Error(`framed twice: ${coding}, ${length}`);
    return readChunks(answer, text, at);
  }
  if (length === undefined && answer.headers["connection"] === "close") {
    // A response to HTTP/1.0, which has no chunks. Its end can't be determined.
    return text.length;
  }
  if (length === undefined || !/^\d+$/.test(length)) throw new Error(`no length: ${JSON.stringify(answer.headers)}`);
  const end = at + Number(length);
  if (end <= text.length) answer.body = text.slice(at, end);
  return Math.min(end, text.length);
}

function readChunks(answer: Answer, text: string, start: number): number {
  let at = start;
  let body = "";
  while (at < text.length) {
    const end = text.indexOf("\r\n", at);
    if (end < 0) return text.length;
    const size = Number.parseInt(text.slice(at, end), 16);
    if (Number.isNaN(size)) throw new Error(`not a chunk: ${JSON.stringify(text.slice(at, end + 20))}`);
    if (size === 0) {
      answer.body = body;
      return end + 4;
    }
    body += text.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
  return text.length;
}
