/**
 * The response at svc's own server: a `ServerResponse` whose head is stored as one text. Its `writeHead` handles headers that node:http
 * interprets, invalid values, and connections that end, so the bytes on the wire are the same either way. Decision 040 has measurements,
 * and the internals of Node that this depends on.
 */
import { IncomingMessage, ServerResponse, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import { remembered } from "../../shared/collections/memoize.ts";

/** The head of a response, without the length of its body and the headers that node:http adds. */
export interface Head {
  status: number;
  /** Names and values in turn; names in lower case. */
  headers: readonly string[];
  /** Complete header lines, each with its line end: `name: value\r\n`. */
  ready: string;
}

/** A token (RFC 9110 section 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~\w]+$/;
/** Headers that control the connection, and `content-disposition`, which node:http encodes differently. */
const NODES_OWN = new Set([
  "connection",
  "content-disposition",
  "content-length",
  "date",
  "expect",
  "keep-alive",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Stricter than node:http: with characters outside of ASCII, head and body in one text would need different encodings. */
const PLAIN_VALUE = /^[\t\x20-\x7e]*$/;

/** Headers with few values per site, whose lines are cached; values of others may always be new. */
const FEW_VALUES = new Set(["cache-control", "content-encoding", "content-type", "vary"]);

/** Formats a header as a line of the head; undefined if `writeHead` must write or reject it. */
type Line = (value: string) => string | undefined;

const lineOf = remembered((name): Line => {
  if (!TOKEN.test(name) || NODES_OWN.has(name)) return () => undefined;
  const start = `${name}: `;
  const line: Line = (value) => (PLAIN_VALUE.test(value) ? `${start}${value}\r\n` : undefined);
  // `join` returns a flat string. A concatenated one would be traversed piece by piece at each write.
  return FEW_VALUES.has(name) ? remembered((value) => line(value) && [start, value, "\r\n"].join("")) : line;
});

/** Status lines by status. */
const statusLines = new Map<number, string>();

function statusLine(status: number, message: string): string {
  let line = statusLines.get(status);
  if (line === undefined) statusLines.set(status, (line = ["HTTP/1.1 ", status, " ", message, "\r\n"].join("")));
  return line;
}

/** The end of a head, which is the same for all responses of one second. */
class HeadEnd {
  readonly #keepAlive: string;
  /** Headers for a head that `writeHead` creates: node:http adds them only if it manages the keep-alive timeout itself. */
  readonly headers: readonly string[];
  #second = 0;
  #text = "";

  /** @param keepAliveMs idle time of a connection between two requests */
  constructor(keepAliveMs: number) {
    this.headers = keepAliveMs > 0 ? ["Keep-Alive", `timeout=${Math.floor(keepAliveMs / 1000)}`] : [];
    this.#keepAlive = `Connection: keep-alive\r\n${this.headers.join(": ")}${keepAliveMs > 0 ? "\r\n" : ""}\r\n`;
  }

  get text(): string {
    const second = Math.floor(Date.now() / 1000);
    if (second === this.#second) return this.#text;
    this.#second = second;
    return (this.#text = `Date: ${new Date(second * 1000).toUTCString()}\r\n${this.#keepAlive}`);
  }
}

/** Property of a connection with its latest response: property access is faster than a map lookup. */
export const REPLY = Symbol("svc.reply");

export interface Answering {
  /** Null once the response is sent and the connection continues. */
  [REPLY]?: ServerResponse | null;
}

export class OwnReply<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** node:http's stored head, which is sent with the first bytes of the body. */
  declare _header: string | null;
  /** Whether the head was added before the sent data. */
  declare _headerSent: boolean;
  /** node:http's method that sends data after the checks of `write`. */
  declare _send: (data: string | Uint8Array, encoding: "latin1" | "utf8") => boolean;
  /** Undefined if keep-alive is not managed by svc. */
  readonly headEnd: HeadEnd | undefined;
  /** Whether `writeHead` must create the head, whatever it contains. */
  leavesHead = false;
  #isStored = false;

  /**
   * Called by node:http when the response is sent. A kept connection would retain response and request until the next request. Objects that
   * survive a young-generation collection make the memory of the process grow (decision 054).
   */
  override detachSocket(socket: Socket & Answering): void {
    super.detachSocket(socket);
    if (this.shouldKeepAlive && socket[REPLY] === this) socket[REPLY] = null;
  }

  /** Additional headers for `writeHead`, for a response on a persistent connection. */
  keepAlive(others: readonly string[]): readonly string[] {
    const isKept = this.shouldKeepAlive && (this.useChunkedEncodingByDefault || others.includes("content-length"));
    return isKept && !others.includes("connection") ? (this.headEnd?.headers ?? []) : [];
  }

  /**
   * Stores a head for a body of this length.
   * @param length undefined for a response without a body, such as 304
   * @returns false if `writeHead` must create the head; nothing is stored then
   */
  storeHead({ status, headers, ready }: Head, length: number | undefined): boolean {
    const { headEnd } = this;
    if (!headEnd || this.leavesHead || !this.shouldKeepAlive || !this.useChunkedEncodingByDefault) return false;
    let text = "";
    for (let at = 0; at < headers.length; at += 2) {
      const line = lineOf(headers[at] as string)(headers[at + 1] as string);
      if (line === undefined) return false;
      text += line;
    }
    if (length !== undefined) text += `content-length: ${length}\r\n`;
    this.statusCode = status;
    this.statusMessage = STATUS_CODES[status] ?? "unknown";
    this._header = `${statusLine(status, this.statusMessage)}${ready}${text}${headEnd.text}`;
    this.#isStored = true;
    return true;
  }

  /** The stored head, which is ASCII; undefined if `writeHead` created it. */
  get stored(): string | undefined {
    return this.#isStored && this._header !== null ? this._header : undefined;
  }

  /** Ends a response with a stored head and a complete body, in one system call. */
  endWith(body: string, encoding: "latin1" | "utf8"): void {
    this._send(body, encoding);
    this.end();
  }

  /** The same for bytes that start with the head. */
  endWhole(bytes: Uint8Array): void {
    this._headerSent = true;
    this._send(bytes, "latin1");
    this.end();
  }
}

/** The class for a server; undefined if this version of Node has other internals. */
export function replyClass(keepAliveMs: number): typeof ServerResponse | undefined {
  if (!isHeadKept()) return undefined;
  const end = new HeadEnd(keepAliveMs);
  return class<Request extends IncomingMessage = IncomingMessage> extends OwnReply<Request> {
    override readonly headEnd = end;
  };
}

/** Whether node:http creates the same head as this class, and uses the stored one. */
function isHeadKept(): boolean {
  const message = new IncomingMessage(new Socket());
  message.httpVersionMajor = message.httpVersionMinor = 1;
  const [theirs, ours] = [new OwnReply(message), new Probe(message)];
  for (const reply of [theirs, ours]) reply.shouldKeepAlive = true;
  theirs.writeHead(200, ["x-name", "value", "content-length", "0"]);
  ours.storeHead({ status: 200, headers: ["x-name", "value"], ready: "" }, 0);
  const withoutDate = (text: string | null): string => String(text).replace(/^Date: [^\r\n]+$/m, "Date");
  if (withoutDate(theirs._header) !== withoutDate(ours._header) || !ours.headersSent) return false;
  // Without a connection the data is buffered, and its length shows that no other head was added.
  ours.endWhole(Buffer.from(ours._header ?? ""));
  return ours.writableLength === ours._header?.length;
}

class Probe extends OwnReply {
  override readonly headEnd = new HeadEnd(0);
}
