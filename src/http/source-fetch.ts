/** A request that came as a web `Request`: from another runtime, a mounting framework, or a test without a socket. */
import type { Source } from "./context.ts";
import { tooLarge } from "./body.ts";

export class FetchSource implements Source {
  readonly method: string;
  readonly target: string;
  readonly secure: boolean;
  readonly clientIp = "127.0.0.1";
  readonly #request: Request;
  readonly #url: URL;

  constructor(request: Request) {
    this.#request = request;
    this.#url = new URL(request.url);
    this.method = request.method;
    this.target = this.#url.pathname + this.#url.search;
    this.secure = this.#url.protocol === "https:";
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? (name === "host" ? this.#url.host : undefined);
  }

  signal(): AbortSignal {
    return this.#request.signal;
  }

  async readBody(limitBytes: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of (this.#request.body ?? []) as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > limitBytes) throw tooLarge(limitBytes);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  toRequest(): Request {
    return this.#request;
  }
}
