/** Objects of values: uploads, and reads with a cache, because followers and screens read the same value many times. Objects never change. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";
import { ConcurrencyLimit } from "../../platform/shared/concurrency-limit.ts";
import type { BucketClient } from "./bucket-client.ts";
import { shownReason } from "../contract/shown-reason.ts";
import type { PrefixOwner } from "./prefix-owner.ts";
import type { Upload } from "./value-rows.ts";

/** Concurrent requests of a process. */
const AT_ONCE = 16;
/** Of all cached objects. */
const CACHED_BYTES = 32 * 1024 * 1024;

export interface ValueWriter {
  client: BucketClient;
  owner: PrefixOwner;
  /** Larger values, in bytes, are objects. */
  above: number;
}

export class ValueObjects {
  readonly #client: BucketClient | undefined;
  readonly #limit = new ConcurrencyLimit(AT_ONCE);
  readonly #open = new Map<string, Promise<Buffer | undefined>>();
  /** By name, least recently used first. */
  readonly #cache = new Map<string, Buffer>();
  #cachedBytes = 0;

  /** @param client undefined: no object can be read */
  constructor(client: BucketClient | undefined) {
    this.#client = client;
  }

  /** @param writer undefined: there are no uploads. @throws SvcError `SVC_BUCKET` if one could not be stored */
  async write(writer: Pick<ValueWriter, "client" | "owner"> | undefined, uploads: readonly Upload[]): Promise<void> {
    if (!writer || uploads.length === 0) return;
    const { client, owner } = writer;
    await owner.claim();
    await Promise.all(uploads.map(async ({ name, data }) => this.#limit.run(() => client.put(name, data))));
    for (const { name, data } of uploads) this.#keep(name, data);
  }

  /** Of those that exist. @throws SvcError `SVC_BUCKET` if the bucket does not answer */
  async read(names: Iterable<string>): Promise<Map<string, Buffer>> {
    const found = new Map<string, Buffer>();
    await Promise.all(
      [...names].map(async (name) => {
        const data = this.#cached(name) ?? (await this.#fetch(name));
        if (data) found.set(name, data);
      }),
    );
    return found;
  }

  /** The value of an object. @param data undefined: the reason takes its place, so that screens show the others */
  valueIn(data: Buffer | undefined, name: string): Json {
    return data ? (JSON.parse(data.toString("utf8")) as Json) : shownReason(this.problem(name));
  }

  /** Why an object has no value, and what to do. */
  problem(name: string): SvcError {
    if (!this.#client)
      return new SvcError(
        "SVC_BUCKET",
        `A value is the object ${name} in a bucket, but ${VARIABLES.payloadBucket} is not set. Set it to the bucket in which the object was stored`,
      );
    const { bucket, prefix } = this.#client.config;
    return new SvcError(
      "SVC_BUCKET",
      `The object ${prefix}${name}, a value of a run or of a sent event, is missing in the bucket "${bucket}". Restore it from an earlier version of the bucket, or correct ${VARIABLES.payloadBucket}`,
    );
  }

  #fetch(name: string): Promise<Buffer | undefined> {
    const client = this.#client;
    if (!client) return Promise.resolve(undefined);
    const open =
      this.#open.get(name) ??
      this.#limit
        .run(() => client.get(name))
        .then((data) => (data && this.#keep(name, data), data))
        .finally(() => this.#open.delete(name));
    this.#open.set(name, open);
    return open;
  }

  #cached(name: string): Buffer | undefined {
    const data = this.#cache.get(name);
    if (!data) return undefined;
    this.#cache.delete(name);
    this.#cache.set(name, data);
    return data;
  }

  #keep(name: string, data: Buffer): void {
    if (this.#cache.has(name)) return;
    this.#cache.set(name, data);
    this.#cachedBytes += data.byteLength;
    for (const [oldest, { byteLength }] of this.#cache) {
      if (this.#cachedBytes <= CACHED_BYTES) return;
      this.#cache.delete(oldest);
      this.#cachedBytes -= byteLength;
    }
  }
}
