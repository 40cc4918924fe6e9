/**
 * Compresses responses: decides which ones and how strongly, and sets their headers. static-files.ts serves files that the build has
 * compressed. docs/decisions/011 has measurements, and explains why secrets in compressed pages are safe.
 */
import { promisify } from "node:util";
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
  type BrotliCompress,
  type Gzip,
} from "node:zlib";
import { remembered } from "../../shared/collections/memoize.ts";
import { chooseEncoding, type Encoding } from "../request/accept-encoding.ts";
import { endEarly } from "./close-iterator.ts";
import type { Context, Result } from "../types.ts";

/** Smaller responses fit into the first packet with their headers. */
const LEAST_LENGTH = 1024;

/** Up to this length compression is synchronous: it takes a fifth of a millisecond, and another thread would cost more. */
const SYNC_LENGTH = 64 * 1024;

/** Quality 2 compresses HTML better than gzip's best level, in a third of its time. Text mode, and a window for 256 KiB. */
const BROTLI = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 2,
    [constants.BROTLI_PARAM_LGWIN]: 18,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  },
};
const GZIP = { level: 4 };

/** Most concurrently compressed streams: their compressors take 75 MB. Further streams are sent uncompressed. */
const MAX_STREAMS = 200;

/**
 * Types that compress well. Excludes event streams and endless lists of values (`x-ndjson`): they send little at a time and stay open
 * for long, and each would take 370 KB for its compressor.
 */
const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:json|javascript|xml|[\w.-]+\+(?:json|xml))|image\/svg\+xml)/;

const isCompressibleType = remembered((type) => COMPRESSIBLE.test(type));

/** The response in the client's preferred encoding, or unchanged. May add to its list of headers. */
export function compressed(ctx: Pick<Context, "header">, result: Result): Result | Promise<Result> {
  if (!isCompressible(result)) return result;
  const encoding = chooseEncoding(ctx.header("accept-encoding"), { br: true, gzip: true });
  // Also for an uncompressed response: a cache must not reuse it for clients that would get another one.
  const { status, body } = result;
  const isStream = typeof body !== "string" && !(body instanceof Uint8Array);
  if (!encoding || (isStream && StreamCompressor.count >= MAX_STREAMS)) {
    result.headers.push("vary", "accept-encoding");
    return result;
  }
  const headers = encodedHeaders(result.headers, encoding);
  if (typeof body === "string" || body instanceof Uint8Array) {
    if (body.length <= SYNC_LENGTH) return { status, headers, body: atOnce(body, encoding) };
    return aside(body, encoding).then((bytes) => ({ status, headers, body: bytes }));
  }
  return body ? { status, headers, body: piecewise(body, encoding) } : result;
}

/** Whether the response is one document, in contrast to a stream that sends little at a time. */
export function isDocument(headers: readonly string[]): boolean {
  for (let at = 0; at < headers.length; at += 2)
    if (headers[at] === "content-type") return isCompressibleType(headers[at + 1] as string);
  return false;
}

function isCompressible({ status, headers, body }: Result): boolean {
  if (body === null || status === 206) return false;
  if ((typeof body === "string" || body instanceof Uint8Array) && body.length < LEAST_LENGTH) return false;
  let isText = false;
  for (let at = 0; at < headers.length; at += 2) {
    const value = headers[at + 1] as string;
    switch (headers[at]) {
      case "content-type":
        isText = isCompressibleType(value);
        break;
      case "content-encoding":
      // A response that offers ranges must keep its bytes, because clients count positions in them.
      case "accept-ranges":
        return false;
      case "cache-control":
        if (value.includes("no-transform")) return false;
        break;
    }
  }
  return isText;
}

/** The entity tag becomes weak, because the bytes differ while the content is equivalent (RFC 9110 section 8.8.1). */
function encodedHeaders(headers: readonly string[], encoding: Encoding): string[] {
  const own = ["content-encoding", encoding, "vary", "accept-encoding"];
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at] as string, headers[at + 1] as string];
    if (name === "content-length") continue;
    own.push(name, name === "etag" && !value.startsWith("W/") ? `W/${value}` : value);
  }
  return own;
}

function atOnce(body: string | Uint8Array, encoding: Encoding): Uint8Array {
  return encoding === "br" ? brotliCompressSync(body, BROTLI) : gzipSync(body, GZIP);
}

/** For responses that are compressed once and sent often: four fifths of the length, for four times the work. */
const BROTLI_ONCE = { params: { ...BROTLI.params, [constants.BROTLI_PARAM_QUALITY]: 5 } };
const GZIP_ONCE = { level: 7 };

/** Caches the compressed forms of a body, one for each requested encoding. */
export class CompressedVariants {
  readonly #plain: Uint8Array;
  readonly #made = new Map<Encoding, Uint8Array>();

  constructor(plain: Uint8Array) {
    this.#plain = plain;
  }

  /** @param accept header of the request @returns undefined if the plain bytes are sent */
  choose(accept: string | undefined): { encoding: Encoding; body: Uint8Array } | undefined {
    if (this.#plain.length < LEAST_LENGTH) return undefined;
    const encoding = chooseEncoding(accept, { br: true, gzip: true });
    if (!encoding) return undefined;
    const body = this.#made.get(encoding) ?? this.#make(encoding);
    this.#made.set(encoding, body);
    return { encoding, body };
  }

  #make(encoding: Encoding): Uint8Array {
    return encoding === "br" ? brotliCompressSync(this.#plain, BROTLI_ONCE) : gzipSync(this.#plain, GZIP_ONCE);
  }
}

const brotliAside = promisify(brotliCompress);
const gzipAside = promisify<string | Uint8Array, typeof GZIP, Buffer>(gzip);

function aside(body: string | Uint8Array, encoding: Encoding): Promise<Uint8Array> {
  return encoding === "br" ? brotliAside(body, BROTLI) : gzipAside(body, GZIP);
}

/**
 * Flushes each chunk immediately, because an early first part is the purpose of streaming a page. Reads the next chunk only after the
 * previous one was consumed.
 */
function piecewise(chunks: AsyncIterable<string | Uint8Array>, encoding: Encoding): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const source = chunks[Symbol.asyncIterator]();
      const compressor = new StreamCompressor(encoding);
      let isOver = false;
      return {
        async next() {
          while (!isOver) {
            const { done, value } = await source.next().catch((error: unknown) => {
              compressor.close();
              throw error;
            });
            // Never reset: the reader may have stopped during the wait.
            isOver ||= done === true;
            const bytes = done ? await compressor.end() : await compressor.add(value);
            if (bytes.length > 0) return { done: false, value: bytes };
          }
          return { done: true, value: undefined };
        },
        async return() {
          isOver = true;
          compressor.close();
          endEarly(source);
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** A compressor that flushes after every chunk. */
class StreamCompressor {
  /** Number of open compressors. */
  static count = 0;
  readonly #stream: BrotliCompress | Gzip;
  readonly #flushKind: number;
  #made: Buffer[] = [];

  constructor(encoding: Encoding) {
    const isBrotli = encoding === "br";
    this.#stream = isBrotli ? createBrotliCompress(BROTLI) : createGzip(GZIP);
    this.#flushKind = isBrotli ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
    StreamCompressor.count++;
    this.#stream.once("close", () => void StreamCompressor.count--);
    this.#stream.on("data", (bytes: Buffer) => this.#made.push(bytes));
  }

  async add(chunk: string | Uint8Array): Promise<Buffer> {
    if (chunk.length === 0) return Buffer.alloc(0);
    return this.#after((done) => {
      this.#stream.write(chunk);
      this.#stream.flush(this.#flushKind, done);
    });
  }

  end(): Promise<Buffer> {
    return this.#after((done) => void this.#stream.once("end", done).end());
  }

  /** Frees the memory of a compressor that will not finish. */
  close(): void {
    this.#stream.destroy();
  }

  #after(work: (done: () => void) => void): Promise<Buffer> {
    const stream = this.#stream;
    // A destroyed stream emits no further events, so chunks that arrive after its reader has stopped are dropped.
    if (stream.destroyed) return Promise.resolve(Buffer.alloc(0));
    return new Promise((resolve, reject) => {
      // The reader has stopped during the operation.
      const onClose = (): void => resolve(Buffer.alloc(0));
      stream.once("error", reject).once("close", onClose);
      work(() => {
        stream.removeListener("error", reject).removeListener("close", onClose);
        const bytes = Buffer.concat(this.#made);
        this.#made = [];
        resolve(bytes);
      });
    });
  }
}
