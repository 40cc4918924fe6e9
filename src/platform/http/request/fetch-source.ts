/** A request that arrived as a web `Request`: from another runtime, a host framework, or a test without a socket. */
import { setMaxListeners } from "node:events";
import { clientAddress, isSecure, requestHost } from "../../security/client-address.ts";
import { CidrSet } from "../../security/ssrf/cidr.ts";
import type { Source } from "./context.ts";
import { SvcError } from "../../shared/errors.ts";
import { tooLarge } from "../body/read-body.ts";
import type { BodyGate } from "../body/body-budget.ts";

const UNKNOWN_PEER = "127.0.0.1";
const NOBODY = new CidrSet([]);

export class FetchSource implements Source {
  readonly method: string;
  readonly target: string;
  readonly #peer: string;
  /** Empty if the peer is unknown: then no `X-Forwarded-*` header is trusted. */
  readonly #trusted: CidrSet;
  readonly #request: Request;
  readonly #url: URL;
  /** Aborts when the response is no longer read; the request's own signal is the other sign of a disconnect. */
  readonly #left = new AbortController();
  #signal: AbortSignal | undefined;

  constructor(request: Request, trusted: CidrSet, peerAddress: string | undefined) {
    this.#request = request;
    this.#peer = peerAddress ?? UNKNOWN_PEER;
    this.#trusted = peerAddress === undefined ? NOBODY : trusted;
    this.#url = new URL(request.url);
    this.method = request.method;
    this.target = this.#url.pathname + this.#url.search;
  }

  get clientIp(): string {
    return clientAddress(this.#peer, this.header("x-forwarded-for"), this.#trusted);
  }

  get secure(): boolean {
    const isTls = this.#url.protocol === "https:";
    return isSecure(isTls, this.#peer, this.header("x-forwarded-proto"), this.#trusted);
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? (name === "host" ? this.#url.host : undefined);
  }

  get host(): string | undefined {
    return requestHost(this.#url.host, this.#peer, this.header("x-forwarded-host"), this.#trusted);
  }

  signal(): AbortSignal {
    if (!this.#signal) {
      this.#signal = AbortSignal.any([this.#request.signal, this.#left.signal]);
      setMaxListeners(Infinity, this.#signal);
    }
    return this.#signal;
  }

  /** The reader of the response has stopped. */
  leave(): void {
    this.#left.abort(new DOMException("The client left", "AbortError"));
  }

  async readBody(limitBytes: number, gate?: BodyGate): Promise<Uint8Array> {
    if (this.#request.bodyUsed) throw new TypeError("The body was read already");
    const chunks: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const chunk of (this.#request.body ?? []) as AsyncIterable<Uint8Array>) {
        length += chunk.length;
        if (length > limitBytes) throw tooLarge(limitBytes);
        gate?.accept(chunk);
        chunks.push(chunk);
      }
    } catch (cause) {
      throw cause instanceof SvcError ? cause : new SvcError("SVC_BAD_REQUEST", "The body ended early", { cause });
    }
    return Buffer.concat(chunks);
  }

  /** The same request, unless a trusted proxy has given it another host. */
  toRequest(url: URL): Request {
    if (url.host === this.#url.host) return this.#request;
    const init: RequestInit & { duplex: "half" } = { duplex: "half", signal: this.signal() };
    return new Request(new Request(url, this.#request), init);
  }
}
