/**
 * Keeps a second process from opening a database file: two engines on one file would run every node twice. The lock is an SQLite lock on
 * a side file, which the system releases however the process dies.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { SvcError } from "../../../platform/shared/errors.ts";
import { VARIABLES } from "../../../platform/shared/wire.ts";
import { loadDriver, type Driver } from "./driver.ts";
import { isLocked, storeError } from "./store-error.ts";

/**
 * @returns a connection that holds the lock until it is closed. @throws SvcError `SVC_STORE` if another process has it, or the disk can't
 * be written
 */
export async function takeLock(file: string): Promise<Driver> {
  const DriverClass = await loadDriver();
  const ownerFile = `${file}.owner`;
  const lockFile = `${file}.lock`;
  let lock: Driver | undefined;
  try {
    lock = new DriverClass(lockFile);
    lock.exec("BEGIN EXCLUSIVE");
    writeFileSync(ownerFile, String(process.pid));
    return lock;
  } catch (cause) {
    lock?.close();
    // A full or read-only disk prevents the lock as well.
    const reported = storeError(lockFile, cause);
    if (!isLocked(reported)) throw reported;
    throw new SvcError(
      "SVC_STORE",
      `The database ${file} is in use by another process${ownerOf(ownerFile)}. End it, or set ${VARIABLES.dataDir} to another folder.`,
      { cause },
    );
  }
}

function ownerOf(ownerFile: string): string {
  try {
    return ` (pid ${readFileSync(ownerFile, "utf8").trim()})`;
  } catch {
    return ""; // The owner has not written it yet; the message does without.
  }
}
