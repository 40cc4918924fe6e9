/**
 * Fencing of a database file. A lock keeps a second process out (file-lock.ts); if it is lost, for example because somebody deletes it
 * under a frozen process, the file has two owners. Each process that opens the file increments a row, and each transaction after a commit
 * of another connection checks that row first: the earlier owner writes nothing any more, and gets an error.
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import { rollBack } from "./connection.ts";
import type { Driver, Statement } from "./driver.ts";

/** Token of this process: how often the file had been opened. */
export type FencingToken = number;

/** From here on, no earlier owner can write. */
export function takeOwnership(driver: Driver): FencingToken {
  const row = driver
    .prepare(
      "INSERT INTO owner (id, tenure) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET tenure = tenure + 1 RETURNING tenure",
    )
    .get();
  return Number(row?.["tenure"]);
}

/** The owner check of one connection. */
export class FileOwner {
  readonly #file: string;
  readonly #fencingToken: FencingToken;
  readonly #driver: Driver;
  readonly #readVersion: Statement;
  readonly #readFencingToken: Statement;
  /** Data version at the last check. */
  #version: unknown;

  constructor(driver: Driver, file: string, fencingToken: FencingToken) {
    this.#driver = driver;
    this.#file = file;
    this.#fencingToken = fencingToken;
    // Changes if any other connection has committed since, of this process or another; own commits don't change it
    // (https://sqlite.org/pragma.html#pragma_data_version).
    this.#readVersion = driver.prepare("PRAGMA data_version");
    this.#readFencingToken = driver.prepare("SELECT tenure FROM owner WHERE id = 1");
  }

  /**
   * Begins a writing transaction.
   * @returns whether another connection has, or may have, committed since the last one
   * @throws SvcError `SVC_STORE` if another process owns the file by now, or for an error of SQLite; no transaction is open then
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

  /** Within a transaction, so no process takes the file over until it ends. */
  #look(): boolean {
    const version = this.#readVersion.get()?.["data_version"];
    if (version === this.#version) return false;
    // A new owner commits its token, on a connection of its own.
    if (this.#readFencingToken.get()?.["tenure"] !== this.#fencingToken) throw this.#lost();
    this.#version = version;
    return true;
  }

  #lost(): SvcError {
    return new SvcError(
      "SVC_STORE",
      `The database ${this.#file} was opened by another process, for example because this one was frozen and its lock removed. This process writes nothing more. End it.`,
    );
  }
}
