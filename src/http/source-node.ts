/** A request that came over a node:http socket. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { clientAddress, isSecure } from "../security/client-address.ts";
import type { CidrSet } from "../security/cidr.ts";
import { SvcError } from "../shared/errors.ts";
import { tooLarge } from "./body.ts";
import type { Source } from "./context.ts";

/** Headers of which a second one changes the meaning, and which Node lets through: the first would win unseen. */
const SINGLE_HEADERS = new Set(["host", "content-type"]);

export class NodeSource implements Source {
  readonly method: string;
  readonly target: string;
  readonly #message: IncomingMessage;
  readonly #reply: ServerResponse;
  readonly #trusted: CidrSet;
  #controller: AbortController | undefined;
  #isRead = false;

  constructor(message: IncomingMessage, reply: ServerResponse, trusted: CidrSet) {
    this.#message = message;
    this.#reply = reply;
    this.#trusted = trusted;
    this.method = message.method ?? "GET";
    this.target = message.url ?? "/";
  }

  header(name: string): string | undefined {
    // Node's header object has a prototype, so a name such as "constructor" would find a function.
    const value = Object.hasOwn(this.#message.headers, name) ? this.#message.headers[name] : undefined;
    return Array.isArray(value) ? value.join(", ") : value;
  }

  get clientIp(): string {
    return clientAddress(this.#message.socket.remoteAddress ?? "", this.header("x-forwarded-for"), this.#trusted);
  }

  get secure(): boolean {
    const { socket } = this.#message;
    const isTls = (socket as TLSSocket).encrypted === true;
    if (isTls || this.#trusted.size === 0) return isTls;
    return isSecure(isTls, socket.remoteAddress ?? "", this.header("x-forwarded-proto"), this.#trusted);
  }

  signal(): AbortSignal {
    if (!this.#controller) {
      const controller = (this.#controller = new AbortController());
      this.#reply.once("close", () => {
        if (!this.#reply.writableFinished) controller.abort(new Error("The client left"));
      });
    }
    return this.#controller.signal;
  }

  readBody(limitBytes: number): Promise<Uint8Array> {
    if (this.#isRead) return Promise.reject(new TypeError("The body was read already"));
    this.#isRead = true;
    return readStream(this.#message, limitBytes);
  }

  toRequest(url: URL): Request {
    const headers = new Headers();
    for (let at = 0; at < this.#message.rawHeaders.length; at += 2) {
      headers.append(this.#message.rawHeaders[at] as string, this.#message.rawHeaders[at + 1] as string);
    }
    const hasBody = this.method !== "GET" && this.method !== "HEAD";
    const init: RequestInit & { duplex: "half" } = {
      method: this.method,
      headers,
      signal: this.signal(),
      duplex: "half",
    };
    if (hasBody) {
      this.#isRead = true;
      init.body = this.#message as unknown as ReadableStream<Uint8Array>; // Node's fetch takes any async iterable of bytes.
    }
    return new Request(url, init);
  }
}

/** What Node lets through and we refuse before anything else looks at the request. @throws SvcError `SVC_BAD_REQUEST` */
export function refuseAmbiguous(message: IncomingMessage): void {
  const seen = new Set<string>();
  for (let at = 0; at < message.rawHeaders.length; at += 2) {
    const name = (message.rawHeaders[at] as string).toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) throw new SvcError("SVC_BAD_REQUEST", `The request has two ${name} headers`);
    seen.add(name);
  }
}

function readStream(message: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    message.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limitBytes) return void chunks.push(chunk);
      message.pause();
      message.removeAllListeners("data");
      reject(tooLarge(limitBytes));
    });
    message.on("end", () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    message.on("error", (cause) => reject(new SvcError("SVC_BAD_REQUEST", "The body ended early", { cause })));
    message.on("aborted", () => reject(new SvcError("SVC_BAD_REQUEST", "The client left while sending its body")));
  });
}
