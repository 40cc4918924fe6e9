/**
 * Copies a database file while an app writes to it: everything that was committed when the copy began, and nothing later. SQLite writes
 * it (`VACUUM INTO`, https://sqlite.org/lang_vacuum.html) as a reader, without blocking the app. The copy gets its name once it is
 * complete, checked and on disk.
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

/** Readable by the owner only: it contains secrets of webhooks. */
const MODE = 0o600;
/** Suffix of an unfinished copy. */
const PART = ".part";

/**
 * @param file database of the app, which may be running
 * @param copy a file that does not exist
 * @throws SvcError `SVC_STORE` if there is no such file, the copy exists, or it can't be written
 */
export async function backUp(file: string, copy: string): Promise<Backup> {
  if (!existsSync(file))
    throw new SvcError("SVC_STORE", `The database ${file} does not exist; give the path of an existing one`);
  if (existsSync(copy))
    throw new SvcError("SVC_STORE", `${copy} already exists; give a new name, such as one with the date`);
  const DriverClass = await loadDriver();
  const part = copy + PART;
  try {
    mkdirSync(dirname(copy), { recursive: true });
    rmSync(part, { force: true });
    // Created empty with its mode, so that no other user can ever read it.
    closeSync(openSync(part, "wx", MODE));
    using(new DriverClass(file), (driver) => {
      driver.exec("PRAGMA busy_timeout=5000");
      driver.prepare("VACUUM INTO ?").run(part);
    });
    const graphs = using(new DriverClass(part), check);
    sync(part, "r+");
    renameSync(part, copy);
    // Windows can't sync a folder, and does not need to.
    if (process.platform !== "win32") sync(dirname(copy), "r");
    return { bytes: statSync(copy).size, graphs };
  } catch (error) {
    if (existsSync(part)) rmSync(part);
    throw copyError(file, copy, error);
  }
}

/** @returns number of runs in it. */
function check(driver: Driver): number {
  const reported = driver.prepare("PRAGMA quick_check").all();
  const found = String(Object.values(reported[0] ?? {})[0]);
  if (found !== "ok") throw new Error(`the copy is damaged: ${found}`);
  return Number(driver.prepare("SELECT count(*) AS total FROM graph").get()?.["total"]);
}

function using<T>(driver: Driver, work: (driver: Driver) => T): T {
  try {
    return work(driver);
  } finally {
    driver.close();
  }
}

/** Syncs to disk. @param flags Windows syncs only files that are open for writing, and no folders */
function sync(path: string, flags: "r" | "r+"): void {
  const opened = openSync(path, flags);
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** The error of a failed copy for its caller. */
export function copyError(file: string, copy: string, error: unknown): Error {
  // The app's file is only read: a full disk is that of the copy.
  const full = error instanceof Error && /disk is full|ENOSPC|EDQUOT/i.exec(error.message)?.[0];
  if (full)
    return new SvcError(
      "SVC_STORE",
      `${copy} could not be written: there is no space left on its disk. Use another disk (${full})`,
      {
        cause: error,
      },
    );
  const known = storeError(file, error);
  if (known instanceof SvcError) return known;
  return new SvcError("SVC_STORE", `${file} could not be copied to ${copy}: ${known.message}`, { cause: error });
}
