/**
 * Keeps a second process out of a database file: two engines on one file would run every node twice. An SQLite lock on a side file, since
 * the system gives it back when the process dies, however it dies.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { SvcError } from "../../shared/errors.ts";
import { VARIABLES } from "../../shared/wire.ts";
import { loadDriver, type Driver } from "./driver.ts";

/** @returns what holds the lock until it is closed. @throws SvcError `SVC_STORE` where another process has it */
export async function takeLock(file: string): Promise<Driver> {
  const DriverClass = await loadDriver();
  const ownerFile = `${file}.owner`;
  const lock = new DriverClass(`${file}.lock`);
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    throw new SvcError(
      "SVC_STORE",
      `The database ${file} is in use by another process${ownerOf(ownerFile)}. End it, or set ${VARIABLES.dataDir} to another folder.`,
      { cause },
    );
  }
  writeFileSync(ownerFile, String(process.pid));
  return lock;
}

function ownerOf(ownerFile: string): string {
  try {
    return ` (pid ${readFileSync(ownerFile, "utf8").trim()})`;
  } catch {
    return ""; // The owner has not written it yet; the message does without.
  }
}
