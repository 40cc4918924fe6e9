/**
 * Parses a form in the order it was sent: fields in memory, files on disk (upload.ts). Supports urlencoded and multipart bodies,
 * strictly; stops reading at the first violation. For a form in memory see memory-form.ts.
 */
import { createHash, type Hash } from "node:crypto";
import type { Readable } from "node:stream";
import type { BusboyInstance } from "@fastify/busboy";
import { SvcError } from "../../shared/errors.ts";
import { malformed, PartGate, readBoundary, slicesOf, type Boundary } from "./multipart.ts";
import { decodeUtf8, tooLarge } from "./read-body.ts";
import type { BodyLease } from "./body-budget.ts";
import { RequestContext } from "../request/context.ts";
import type { Context } from "../types.ts";
import { type FileRule, Uploads, type UploadedFile } from "./upload.ts";
import { MAX_FIELDS, requireName, tooManyFields, urlencodedBytes, urlencodedFields } from "./urlencoded.ts";

export interface FormEntries {
  /** In order of arrival; names may repeat. Without files. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly files: readonly UploadedFile[];
  /** Digest of the content: two bodies with equal content have equal digests. */
  readonly digest: string;
  /** Removes the files that were not moved. */
  readonly clear: () => Promise<void>;
}

export interface FormLimits {
  /** Limit of the whole body, in bytes. */
  readonly maxBytes: number;
  readonly files: Readonly<Record<string, FileRule>>;
  /** Called with each field on arrival. Throw to stop reading. */
  readonly onField?: (name: string, value: string) => void;
  /** Called before a file is written, and at the end. Throws likewise. */
  readonly onRest?: () => void;
}

/** Longest text of one field, in bytes. Send larger values as files. */
const MAX_FIELD_BYTES = 1024 * 1024;

/** @throws SvcError `SVC_TOO_LARGE`, `SVC_INVALID` */
export async function readEntries(ctx: Context, type: string, limits: FormLimits): Promise<FormEntries> {
  if (type === "multipart/form-data") return new Multipart(ctx, limits).read();
  const bytes = await urlencodedBytes(ctx, limits.maxBytes);
  const fields = await urlencodedFields(bytes);
  for (const [name, value] of fields) limits.onField?.(name, value);
  limits.onRest?.();
  const digest = createHash("sha256").update(bytes).digest("base64url");
  return { fields, files: [], digest, clear: async () => undefined };
}

/** One multipart body. Processes its parts in sequence, so a rejected part prevents later parts from being written. */
class Multipart {
  readonly #ctx: Context;
  readonly #limits: FormLimits;
  readonly #uploads: Uploads;
  /** Counts text, which stays in memory. Files go to the disk. */
  readonly #lease: BodyLease | undefined;
  readonly #fields: [string, string][] = [];
  readonly #files: UploadedFile[] = [];
  /** Hashes the parts without the boundaries, because a retry has another boundary. */
  readonly #hash: Hash = createHash("sha256");
  #taken: Promise<void> = Promise.resolve();
  #part: Readable | undefined;
  #failure: { readonly error: unknown } | undefined;
  #onFailure: () => void = () => undefined;
  readonly #failed = new Promise<void>((resolve) => (this.#onFailure = resolve));

  constructor(ctx: Context, limits: FormLimits) {
    this.#ctx = ctx;
    this.#limits = limits;
    this.#uploads = new Uploads(limits.files);
    this.#lease = ctx instanceof RequestContext ? ctx.bodyLease : undefined;
  }

  async read(): Promise<FormEntries> {
    try {
      const boundary = readBoundary(this.#ctx.header("content-type") ?? "");
      await this.#feed(await this.#parser(boundary), new PartGate(boundary));
      await this.#taken;
      if (this.#failure) throw this.#failure.error;
      this.#limits.onRest?.();
    } catch (error) {
      // Fails the parts that still wait: they get no more data.
      this.#fail(error);
      this.#part?.destroy();
      await this.#taken;
      await this.#uploads.clear();
      throw error;
    }
    const digest = this.#hash.digest("base64url");
    return { fields: this.#fields, files: this.#files, digest, clear: () => this.#uploads.clear() };
  }

  async #parser({ headers }: Boundary): Promise<BusboyInstance> {
    // Loaded with the first form of this kind, because it has 20 modules.
    const { Busboy } = await import("@fastify/busboy");
    // Parses every part as a file, because files arrive as bytes: invalid UTF-8 must be detected here, not replaced.
    const parser = new Busboy({ headers, limits: { parts: MAX_FIELDS }, isPartAFile: () => true });
    parser.on("file", (name: string | undefined, stream, filename: string | undefined, _encoding, type) => {
      this.#taken = this.#taken.then(() => this.#take(name ?? "", stream, filename, type));
    });
    parser.on("partsLimit", () => this.#fail(tooManyFields()));
    parser.on("error", (error) => this.#fail(malformed((error as Error).message)));
    return parser;
  }

  /** Never rejects: `#fail` stores the failure. */
  async #take(rawName: string, stream: Readable, filename: string | undefined, type: string): Promise<void> {
    if (this.#failure) return void stream.resume();
    this.#part = stream;
    const hash = createHash("sha256");
    const content = hashed(stream, hash);
    try {
      const name = requireName(rawName);
      // Browsers send a file name; tools send at least a type.
      if (filename === undefined && type !== "application/octet-stream") {
        const text = decodeUtf8(await readField(content, this.#lease));
        this.#fields.push([name, text]);
        this.#limits.onField?.(name, text);
      } else {
        this.#limits.onRest?.();
        const file = await this.#uploads.take(name, filename ?? "", type, content);
        if (file) this.#files.push(file);
      }
      this.#hash.update(JSON.stringify([name, filename, type, hash.digest("base64url")]));
    } catch (error) {
      this.#fail(error);
      stream.destroy();
    }
  }

  /** Does not use `for await`: its end would destroy the connection that carries the rejection. */
  async #feed(parser: BusboyInstance, gate: PartGate): Promise<void> {
    const reader = this.#ctx.request.body?.getReader();
    const finished = new Promise<void>((resolve) => void parser.on("finish", () => resolve()));
    let bytes = 0;
    for (;;) {
      const step = await Promise.race([readFrom(reader), this.#failed]);
      const value = step?.value;
      if (!value) break;
      bytes += value.length;
      if (bytes > this.#limits.maxBytes) throw tooLarge(this.#limits.maxBytes);
      gate.accept(value);
      for await (const slice of slicesOf(value)) {
        const isFree = parser.write(slice);
        if (!isFree)
          await Promise.race([new Promise((resolve) => parser.once("drain", () => resolve(true))), this.#failed]);
        if (this.#failure) throw this.#failure.error;
      }
    }
    if (this.#failure) throw this.#failure.error;
    parser.end();
    await Promise.race([finished, this.#failed]);
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#onFailure();
  }
}

async function* hashed(stream: Readable, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
}

/** @throws SvcError `SVC_TOO_LARGE`, `SVC_UNAVAILABLE` */
async function readField(content: AsyncIterable<Buffer>, lease: BodyLease | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > MAX_FIELD_BYTES) throw tooLarge(MAX_FIELD_BYTES);
    lease?.accept(chunk);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function readFrom(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
): Promise<{ done: boolean; value: Uint8Array | undefined }> {
  if (!reader) return { done: true, value: undefined };
  try {
    return await reader.read();
  } catch (cause) {
    throw cause instanceof SvcError ? cause : new SvcError("SVC_BAD_REQUEST", "The body ended early", { cause });
  }
}
