/**
 * Whose a database file is. A lock keeps a second process out (file-lock.ts); where it is lost, as when somebody removes it under a
 * process that was frozen, the file has two owners. Each that opens it counts on in a row of the file, and each transaction that
 * follows a commit of another connection looks at that row first: who was there before writes nothing any more, and is told so.
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import { rollBack } from "./connection.ts";
import type { Driver, Statement } from "./driver.ts";

/** Of this process: how often the file had been opened, with this time. */
export type FencingToken = number;

/** From here on nobody who had it before can write. */
export function takeOwnership(driver: Driver): FencingToken {
  const row = driver
    .prepare(
      "INSERT INTO owner (id, tenure) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET tenure = tenure + 1 RETURNING tenure",
    )
    .get();
  return Number(row?.["tenure"]);
}

/** On one connection. */
export class FileOwner {
  readonly #file: string;
  readonly #tenure: FencingToken;
  readonly #driver: Driver;
  readonly #readVersion: Statement;
  readonly #readTenure: Statement;
  /** As of the last look at which the file was ours. */
  #version: unknown;

  constructor(driver: Driver, file: string, tenure: FencingToken) {
    this.#driver = driver;
    this.#file = file;
    this.#tenure = tenure;
    // Another value than before where any other connection has committed since, of this process or of another; commits of this one
    // don't change it (https://sqlite.org/pragma.html#pragma_data_version).
    this.#readVersion = driver.prepare("PRAGMA data_version");
    this.#readTenure = driver.prepare("SELECT tenure FROM owner WHERE id = 1");
  }

  /**
   * Begins a transaction that writes.
   * @returns whether another connection has committed since the last one, or may have, as before the first
   * @throws SvcError `SVC_STORE` where the file is another's by now, or what SQLite tells; then none is open
   */
  begin(): boolean {
    this.#driver.exec("BEGIN IMMEDIATE");
    try {
      return this.#look();
    } catch (error) {
      rollBack(this.#driver);
      throw error;
    }
  }

  /** Inside a transaction, so nobody takes the file over until that has ended. */
  #look(): boolean {
    const version = this.#readVersion.get()?.["data_version"];
    if (version === this.#version) return false;
    // Who takes it over commits that, by a connection of its own.
    if (this.#readTenure.get()?.["tenure"] !== this.#tenure) throw this.#lost();
    this.#version = version;
    return true;
  }

  #lost(): SvcError {
    return new SvcError(
      "SVC_STORE",
      `The database ${this.#file} was opened by another process, as can happen where this one stood still and its lock was removed. It writes nothing more; end it`,
    );
  }
}
