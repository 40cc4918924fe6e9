/**
 * The database that owns a prefix of the bucket: an object at the prefix names it, and only this database deletes objects there. So two
 * databases with one prefix, or a copy of a database, can't delete each other's objects.
 */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Log } from "../../platform/shared/log.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";
import type { BucketClient } from "./bucket-client.ts";

/** Name of the marker below the prefix. Parts have longer names (object-names.ts). */
export const MARKER = "svc-database";

export class PrefixOwner {
  readonly #client: BucketClient;
  readonly #databaseId: () => Promise<string>;
  readonly #log: Log;
  #claimed: Promise<void> | undefined;
  #isReported = false;

  /** @param databaseId differs between databases, and between a database and its copy */
  constructor(client: BucketClient, databaseId: () => Promise<string>, log: Log) {
    this.#client = client;
    this.#databaseId = databaseId;
    this.#log = log;
  }

  /**
   * Claims a prefix without an owner, before the first object of this process. Objects of another owner's prefix are written all the same:
   * their names are unique, and no run should fail for it. @throws SvcError `SVC_BUCKET` if the bucket does not answer
   */
  claim(): Promise<void> {
    this.#claimed ??= this.#ask().then(
      (problem) => this.#report(problem),
      (error: unknown) => {
        this.#claimed = undefined;
        throw error;
      },
    );
    return this.#claimed;
  }

  /** Before each deletion, because another database may have claimed the prefix. @throws SvcError `SVC_BUCKET` if it is not this database's */
  async require(): Promise<void> {
    const problem = await this.#ask();
    if (problem) throw problem;
  }

  /** Whether objects may be deleted. Logs once that they may not. @throws SvcError `SVC_BUCKET` if the bucket does not answer */
  async allows(): Promise<boolean> {
    const problem = await this.#ask();
    this.#report(problem);
    return problem === undefined;
  }

  #report(problem: SvcError | undefined): void {
    if (problem && !this.#isReported) this.#log.error({ err: problem }, problem.message);
    this.#isReported = problem !== undefined;
  }

  /** @returns the problem, if the prefix has another owner */
  async #ask(): Promise<SvcError | undefined> {
    const own = await this.#databaseId();
    let owner = await this.#owner();
    if (owner === undefined) {
      await this.#client.put(MARKER, Buffer.from(own));
      // Another database may have claimed it at the same time: the last one has it.
      owner = await this.#owner();
    }
    if (owner === own) return undefined;
    const { bucket, prefix } = this.#client.config;
    return new SvcError(
      "SVC_BUCKET",
      `The prefix ${prefix} of the bucket "${bucket}" belongs to another database (${owner}; this one is ${own}), so no object is deleted. Give each database a prefix of its own in ${VARIABLES.payloadBucket}, and start copies with write=off. If this database has replaced the other one, delete the object ${prefix}${MARKER}`,
    );
  }

  async #owner(): Promise<string | undefined> {
    return (await this.#client.get(MARKER))?.toString("utf8");
  }
}
