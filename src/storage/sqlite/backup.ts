/**
 * A copy of a database file, made while an app writes to it: all that was committed when the copy began, and nothing of later. SQLite
 * writes it (`VACUUM INTO`, https://sqlite.org/lang_vacuum.html), as a reader beside the app, which is not held up. The copy has its name
 * only once it is whole, checked and on disk.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { SvcError } from "../../platform/shared/errors.ts";
import { loadDriver, type Driver } from "./file/driver.ts";
import { storeError } from "./file/store-error.ts";

export interface Backup {
  bytes: number;
  graphs: number;
}

/** What an app keeps for itself: secrets of webhooks stand in it. */
const MODE = 0o600;
/** Of a copy on its way. */
const PART = ".part";

/**
 * @param file of the app, which may be running
 * @param copy a file that is not there yet
 * @throws SvcError `SVC_STORE` where there is no such file, the copy is there already, or can't be written
 */
export async function backUp(file: string, copy: string): Promise<Backup> {
  if (!existsSync(file))
    throw new SvcError("SVC_STORE", `There is no database ${file}; give the path of one that is there`);
  if (existsSync(copy))
    throw new SvcError(
      "SVC_STORE",
      `${copy} is there already; give a name that is not, such as one with the date in it`,
    );
  const DriverClass = await loadDriver();
  const part = copy + PART;
  try {
    mkdirSync(dirname(copy), { recursive: true });
    rmSync(part, { force: true });
    // Empty: SQLite writes into it, and nobody else may read it at any time.
    closeSync(openSync(part, "wx", MODE));
    using(new DriverClass(file), (driver) => {
      driver.exec("PRAGMA busy_timeout=5000");
      driver.prepare("VACUUM INTO ?").run(part);
    });
    const graphs = using(new DriverClass(part), check);
    sync(part, "r+");
    renameSync(part, copy);
    // Windows has no way to sync the names in a folder, nor a need to.
    if (process.platform !== "win32") sync(dirname(copy), "r");
    return { bytes: statSync(copy).size, graphs };
  } catch (error) {
    if (existsSync(part)) rmSync(part);
    throw copyError(file, copy, error);
  }
}

/** @returns how many graphs are in it. */
function check(driver: Driver): number {
  const told = driver.prepare("PRAGMA quick_check").all();
  const found = String(Object.values(told[0] ?? {})[0]);
  if (found !== "ok") throw new Error(`the copy is not whole: ${found}`);
  return Number(driver.prepare("SELECT count(*) AS total FROM graph").get()?.["total"]);
}

function using<T>(driver: Driver, work: (driver: Driver) => T): T {
  try {
    return work(driver);
  } finally {
    driver.close();
  }
}

/** To the disk. @param flags Windows syncs what is open for writing only, and a folder can't be */
function sync(path: string, flags: "r" | "r+"): void {
  const opened = openSync(path, flags);
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** What a copy failed of, as who asked for it is told. */
export function copyError(file: string, copy: string, error: unknown): Error {
  // Of the app's file it only reads: what is full is the disk that the copy goes to.
  const full = error instanceof Error && /disk is full|ENOSPC|EDQUOT/i.exec(error.message)?.[0];
  if (full)
    return new SvcError(
      "SVC_STORE",
      `${copy} could not be written: there is no room for it; give another disk (${full})`,
      {
        cause: error,
      },
    );
  const known = storeError(file, error);
  if (known instanceof SvcError) return known;
  return new SvcError("SVC_STORE", `${file} could not be copied to ${copy}: ${known.message}`, { cause: error });
}
