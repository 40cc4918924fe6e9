/**
 * Answers made smaller on the way out. Owns what is compressed, how strongly, and the headers that go with it; what was
 * prepared at build is static-files.ts. docs/decisions/011 has the figures, and what keeps secrets in compressed pages safe.
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
import { remembered } from "../../shared/memoize.ts";
import { chooseEncoding, type Encoding } from "../request/accept-encoding.ts";
import { endEarly } from "./close-iterator.ts";
import type { Context, Result } from "../types.ts";

/** Smaller ones fit into the first packet with their headers anyhow. */
const LEAST_LENGTH = 1024;

/** Up to here the work is done at once: handing it to another thread would cost more than a fifth of a millisecond of it. */
const SYNC_LENGTH = 64 * 1024;

/** Quality 2 makes HTML smaller than gzip's best in a third of its time. Text mode, and a window that 256 KiB fill. */
const BROTLI = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 2,
    [constants.BROTLI_PARAM_LGWIN]: 18,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  },
};
const GZIP = { level: 4 };

/** Streams compressed at a time: with 75 MB for their compressors, a flood of them costs no more. Those beyond go out plain. */
const MAX_STREAMS = 200;

/**
 * Types that compress well. Not event streams and lists of values without an end (`x-ndjson`): they say little at a time, and
 * stay open for long, each with 370 KB for its compressor.
 */
const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:json|javascript|xml|[\w.-]+\+(?:json|xml))|image\/svg\+xml)/;

const isCompressibleType = remembered((type) => COMPRESSIBLE.test(type));

/** The answer in the encoding that the client takes best, or as it is. Its list of headers may be added to. */
export function compressed(ctx: Pick<Context, "header">, result: Result): Result | Promise<Result> {
  if (!isCompressible(result)) return result;
  const encoding = chooseEncoding(ctx.header("accept-encoding"), { br: true, gzip: true });
  // Also of an answer that stays as it is: a cache must not give it to those who would get another.
  const { status, body } = result;
  const isStream = typeof body !== "string" && !(body instanceof Uint8Array);
  if (!encoding || (isStream && Squeezer.count >= MAX_STREAMS)) {
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

/** Whether the whole of an answer is one document, and no stream that says little at a time. */
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
      // What offers ranges must keep its bytes: they are counted from the same start each time.
      case "accept-ranges":
        return false;
      case "cache-control":
        if (value.includes("no-transform")) return false;
        break;
    }
  }
  return isText;
}

/** The tag becomes weak: other bytes, the same to whoever reads them (RFC 9110 section 8.8.1). */
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

/** Of what is compressed once and sent many times: four fifths of the length, for four times the work. */
const BROTLI_ONCE = { params: { ...BROTLI.params, [constants.BROTLI_PARAM_QUALITY]: 5 } };
const GZIP_ONCE = { level: 7 };

/** Bytes that are kept beside those that they stand for, in each encoding that was asked for. */
export class Squeezed {
  readonly #plain: Uint8Array;
  readonly #made = new Map<Encoding, Uint8Array>();

  constructor(plain: Uint8Array) {
    this.#plain = plain;
  }

  /** @param accept header of the request @returns undefined where they go out as they are */
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
 * Each chunk goes out as soon as it has come: what a page streams for is that its first part is there early. A chunk is
 * taken only when the one before it has been read.
 */
function piecewise(chunks: AsyncIterable<string | Uint8Array>, encoding: Encoding): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const source = chunks[Symbol.asyncIterator]();
      const squeezer = new Squeezer(encoding);
      let isOver = false;
      return {
        async next() {
          while (!isOver) {
            const { done, value } = await source.next().catch((error: unknown) => {
              squeezer.close();
              throw error;
            });
            // Never less: its reader may have left while it was waited for.
            isOver ||= done === true;
            const bytes = done ? await squeezer.end() : await squeezer.add(value);
            if (bytes.length > 0) return { done: false, value: bytes };
          }
          return { done: true, value: undefined };
        },
        async return() {
          isOver = true;
          squeezer.close();
          endEarly(source);
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** A compressor that gives all it has after every chunk. */
class Squeezer {
  /** Of those that are open. */
  static count = 0;
  readonly #stream: BrotliCompress | Gzip;
  readonly #flushKind: number;
  #made: Buffer[] = [];

  constructor(encoding: Encoding) {
    const isBrotli = encoding === "br";
    this.#stream = isBrotli ? createBrotliCompress(BROTLI) : createGzip(GZIP);
    this.#flushKind = isBrotli ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
    Squeezer.count++;
    this.#stream.once("close", () => void Squeezer.count--);
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

  /** Frees the memory of one that is not brought to its end. */
  close(): void {
    this.#stream.destroy();
  }

  #after(work: (done: () => void) => void): Promise<Buffer> {
    const stream = this.#stream;
    // What came after its reader had left: of what is destroyed no event tells any more.
    if (stream.destroyed) return Promise.resolve(Buffer.alloc(0));
    return new Promise((resolve, reject) => {
      // Ended while at work, because its reader has left.
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
