/** Objects in S3-compatible storage: signed requests with retries, and errors that name their cause. */
import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { SvcError } from "../../platform/shared/errors.ts";
import type { BucketConfig } from "./bucket-url.ts";
import { bucketError, isTransient, nameIn } from "./bucket-errors.ts";
import { readListing, type ListedObject } from "./listing.ts";

/** Pauses before each further try. A try is repeated if the bucket did not answer, or answered that it is busy. */
const RETRY_MS = [200, 1000, 3000];
/** Of one try. */
const TIMEOUT_MS = 30_000;
/** Objects in a listing: the most that S3 returns. */
const LISTED = 1000;

export interface ObjectPage {
  objects: ListedObject[];
  /** Time of the server: only it knows the age of its objects. */
  nowMs: number;
}

interface Answer {
  status: number;
  body: Buffer;
  headers: Headers;
}

/** Names of objects are below the prefix of the configuration. */
export class BucketClient {
  readonly config: BucketConfig;

  constructor(config: BucketConfig) {
    this.config = config;
  }

  /** @throws SvcError `SVC_BUCKET` */
  async put(name: string, data: Uint8Array): Promise<void> {
    await this.#request("PUT", this.#urlOf(name), data);
  }

  /** @returns undefined if there is no such object. @throws SvcError `SVC_BUCKET` */
  async get(name: string): Promise<Buffer | undefined> {
    const { status, body } = await this.#request("GET", this.#urlOf(name));
    return status === 404 ? undefined : body;
  }

  /** A missing object is no error. @throws SvcError `SVC_BUCKET` */
  async remove(name: string): Promise<void> {
    await this.#request("DELETE", this.#urlOf(name));
  }

  /**
   * Objects in the order of their names, page by page.
   * @param within begins their names
   * @param after only names after this one
   * @throws SvcError `SVC_BUCKET`
   */
  async *list(within: string, after?: string): AsyncGenerator<ObjectPage> {
    const { prefix } = this.config;
    for (let last = after, isTruncated = true; isTruncated;) {
      const { body, headers } = await this.#request("GET", this.#listUrl(within, LISTED, last));
      const listing = readListing(body.toString("utf8"), prefix.length);
      const date = Date.parse(headers.get("date") ?? "");
      yield { objects: listing.objects, nowMs: Number.isNaN(date) ? Date.now() : date };
      last = listing.objects.at(-1)?.name;
      isTruncated = listing.isTruncated && last !== undefined;
    }
  }

  /** Whether the bucket answers, with these credentials and this region. @throws SvcError `SVC_BUCKET` */
  async check(): Promise<void> {
    await this.#request("GET", this.#listUrl("", 1));
  }

  #urlOf(name: string): string {
    const { origin, bucket, prefix } = this.config;
    return `${origin}/${bucket}/${`${prefix}${name}`.split("/").map(encodeURIComponent).join("/")}`;
  }

  #listUrl(within: string, most: number, after?: string): string {
    const { origin, bucket, prefix } = this.config;
    const query = new URLSearchParams({ "list-type": "2", "max-keys": String(most), prefix: prefix + within });
    if (after !== undefined) query.set("start-after", prefix + after);
    return `${origin}/${bucket}?${query.toString()}`;
  }

  async #request(method: string, url: string, data?: Uint8Array): Promise<Answer> {
    for (let retries = 0; ; retries++) {
      const found = await this.#try(method, url, data).catch((error: unknown) => error as Error);
      if (!(found instanceof Error) && isFine(found)) return found;
      const pauseMs = (this.config.retryMs ?? RETRY_MS)[retries];
      if (pauseMs === undefined || !(found instanceof Error || isTransient(found.status)))
        throw this.#errorOf(found, method);
      // Processes that failed together should not come back together.
      await delay(pauseMs * (0.5 + Math.random()));
    }
  }

  async #try(method: string, url: string, data?: Uint8Array): Promise<Answer> {
    const { accessKeyId, secretAccessKey, sessionToken, region } = this.config;
    const body = data && Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const signer = new AwsV4Signer({
      method,
      url,
      // Signed with the request, so that the server refuses a body that was damaged on its way.
      headers: {
        "x-amz-content-sha256": createHash("sha256")
          .update(body ?? "")
          .digest("hex"),
      },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: "s3",
      region,
    });
    const { headers } = await signer.sign();
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { method, headers, redirect: "manual", signal, ...(body && { body }) });
    return {
      status: response.status,
      body: Buffer.from(await response.arrayBuffer()),
      headers: response.headers,
    };
  }

  #errorOf(found: Answer | Error, method: string): SvcError {
    if (found instanceof Error) return bucketError(this.config, method, found);
    const { status, body, headers } = found;
    return bucketError(this.config, method, {
      status,
      text: body.toString("utf8"),
      region: headers.get("x-amz-bucket-region") ?? undefined,
    });
  }
}

function isFine({ status, body }: Answer): boolean {
  if (status === 404) return nameIn(body.toString("utf8"), "Code") === "NoSuchKey";
  return status >= 200 && status < 300;
}
