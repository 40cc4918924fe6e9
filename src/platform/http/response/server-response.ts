/**
 * The answer at our own listening server: a `ServerResponse` whose head is stored as one text. Names that node:http acts on,
 * values that it refuses and connections that end are left to its `writeHead`, so what goes out is the same either way.
 * Decision 040 has what this is worth, and what it leans on.
 */
import { IncomingMessage, ServerResponse, STATUS_CODES } from "node:http";
import { Socket } from "node:net";
import { remembered } from "../../shared/memoize.ts";

/** What an answer says in its head, but for the length of its body and what node:http adds. */
export interface Head {
  status: number;
  /** Flat; names in lower case. */
  headers: readonly string[];
  /** Lines that are ready to go out, each with its end: `name: value\r\n`. */
  ready: string;
}

/** A token (RFC 9110 section 5.6.2). */
const TOKEN = /^[!#$%&'*+\-.^_`|~\w]+$/;
/** What the connection goes by; `content-disposition` is written in an encoding of its own beside a length. */
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
/** Fewer than node:http allows: beyond ASCII, head and body in one text would differ in encoding. */
const PLAIN_VALUE = /^[\t\x20-\x7e]*$/;

/** Of these a site has few values, so their lines are kept; of others each may be new. */
const FEW_VALUES = new Set(["cache-control", "content-encoding", "content-type", "vary"]);

/** A header as a line of the head; undefined where it is for `writeHead` to write or to refuse. */
type Line = (value: string) => string | undefined;

const lineOf = remembered((name): Line => {
  if (!TOKEN.test(name) || NODES_OWN.has(name)) return () => undefined;
  const start = `${name}: `;
  const line: Line = (value) => (PLAIN_VALUE.test(value) ? `${start}${value}\r\n` : undefined);
  // Joined, a text is whole: one that was added up is gone through piece by piece each time it goes out.
  return FEW_VALUES.has(name) ? remembered((value) => line(value) && [start, value, "\r\n"].join("")) : line;
});

/** By status. */
const statusLines = new Map<number, string>();

function statusLine(status: number, message: string): string {
  let line = statusLines.get(status);
  if (line === undefined) statusLines.set(status, (line = ["HTTP/1.1 ", status, " ", message, "\r\n"].join("")));
  return line;
}

/** The same for all answers of one second. */
class HeadEnd {
  readonly #keepAlive: string;
  /** What a head that `writeHead` makes is given beside its own: node:http says it only where it keeps the time. */
  readonly headers: readonly string[];
  #second = 0;
  #text = "";

  /** @param keepAliveMs how long a connection is kept between two requests */
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

/** Where a connection has the answer that it was asked for last: a property is found faster than an entry of a map. */
export const REPLY = Symbol("svc.reply");

export interface Answering {
  /** Null once it has gone out and the connection goes on. */
  [REPLY]?: ServerResponse | null;
}

export class OwnReply<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Where node:http keeps the head until it goes out with the first bytes behind it. */
  declare _header: string | null;
  /** Whether it has been put ahead of what is sent. */
  declare _headerSent: boolean;
  /** Where `write` hands on what is to go out, once it has looked at everything. */
  declare _send: (data: string | Uint8Array, encoding: "latin1" | "utf8") => boolean;
  /** Undefined where nothing is known of how the head ends. */
  readonly headEnd: HeadEnd | undefined;
  /** Whether the head is for `writeHead` to make, whatever is in it. */
  leavesHead = false;
  #isStored = false;

  /**
   * Called by node:http when the answer has gone out. A connection that is kept would hold answer and request until the next
   * one: what lives through a collection of young objects is what has their memory grow (decision 054).
   */
  override detachSocket(socket: Socket & Answering): void {
    super.detachSocket(socket);
    if (this.shouldKeepAlive && socket[REPLY] === this) socket[REPLY] = null;
  }

  /** Headers for `writeHead` beside others, of an answer whose connection goes on. */
  keepAlive(others: readonly string[]): readonly string[] {
    const isKept = this.shouldKeepAlive && (this.useChunkedEncodingByDefault || others.includes("content-length"));
    return isKept && !others.includes("connection") ? (this.headEnd?.headers ?? []) : [];
  }

  /**
   * Stores a head for a body of this length.
   * @param length undefined of an answer that has none, such as 304
   * @returns false where that is for `writeHead` to do, and nothing has been done
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

  /** The head that has been stored, all of it ASCII; undefined where `writeHead` made it. */
  get stored(): string | undefined {
    return this.#isStored && this._header !== null ? this._header : undefined;
  }

  /** Ends an answer whose head is stored with a body that is all there, in one call of the system. */
  endWith(body: string, encoding: "latin1" | "utf8"): void {
    this._send(body, encoding);
    this.end();
  }

  /** The same, of bytes that begin with the head. */
  endWhole(bytes: Uint8Array): void {
    this._headerSent = true;
    this._send(bytes, "latin1");
    this.end();
  }
}

/** The class for a server; undefined where this version of Node keeps heads in another way. */
export function replyClass(keepAliveMs: number): typeof ServerResponse | undefined {
  if (!isHeadKept()) return undefined;
  const end = new HeadEnd(keepAliveMs);
  return class<Request extends IncomingMessage = IncomingMessage> extends OwnReply<Request> {
    override readonly headEnd = end;
  };
}

/** Whether node:http makes of a head the text that we make of it, and keeps it where we put it. */
function isHeadKept(): boolean {
  const message = new IncomingMessage(new Socket());
  message.httpVersionMajor = message.httpVersionMinor = 1;
  const [theirs, ours] = [new OwnReply(message), new Probe(message)];
  for (const reply of [theirs, ours]) reply.shouldKeepAlive = true;
  theirs.writeHead(200, ["x-name", "value", "content-length", "0"]);
  ours.storeHead({ status: 200, headers: ["x-name", "value"], ready: "" }, 0);
  const withoutDate = (text: string | null): string => String(text).replace(/^Date: [^\r\n]+$/m, "Date");
  if (withoutDate(theirs._header) !== withoutDate(ours._header) || !ours.headersSent) return false;
  // Without a connection it is kept, and by its length one sees that nothing has been put ahead of it.
  ours.endWhole(Buffer.from(ours._header ?? ""));
  return ours.writableLength === ours._header?.length;
}

class Probe extends OwnReply {
  override readonly headEnd = new HeadEnd(0);
}
