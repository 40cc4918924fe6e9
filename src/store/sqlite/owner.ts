/**
 * Whose a database file is. A lock keeps a second process out (file-lock.ts); where it is lost, as when somebody removes it under a
 * process that was frozen, the file has two owners. Each that opens it counts on in a row of the file, and each transaction looks at
 * that row first: who was there before writes nothing any more, and is told so.
 */
import { SvcError } from "../../shared/errors.ts";
import type { Driver, Statement } from "./driver.ts";

/** Of this process: how often the file had been opened, with this time. */
export type Tenure = number;

/** From here on nobody who had it before can write. */
export function takeOver(driver: Driver): Tenure {
  const row = driver
    .prepare(
      "INSERT INTO owner (id, tenure) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET tenure = tenure + 1 RETURNING tenure",
    )
    .get();
  return Number(row?.["tenure"]);
}

/** On one connection. */
export class Owner {
  readonly #file: string;
  readonly #tenure: Tenure;
  readonly #driver: Driver;
  readonly #read: Statement;

  constructor(driver: Driver, file: string, tenure: Tenure) {
    this.#driver = driver;
    this.#file = file;
    this.#tenure = tenure;
    this.#read = driver.prepare("SELECT tenure FROM owner WHERE id = 1");
  }

  /** Begins a transaction that writes. @throws SvcError `SVC_STORE` where the file is another's by now; then none is open */
  begin(): void {
    this.#driver.exec("BEGIN IMMEDIATE");
    if (this.#read.get()?.["tenure"] === this.#tenure) return;
    this.#driver.exec("ROLLBACK");
    throw new SvcError(
      "SVC_STORE",
      `The database ${this.#file} was opened by another process, as can happen where this one stood still and its lock was removed. It writes nothing more; end it`,
    );
  }
}
