/**
 * What is wrong with a database file, in words that say what to do. SQLite tells by text, the same through either driver
 * (https://sqlite.org/rescode.html); anything else, such as a key that is there already, stays what it is.
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import { VARIABLES } from "../../../platform/shared/wire.ts";

const LOCKED = /is locked|table is locked/i;

const KNOWN: readonly (readonly [words: RegExp, problem: string])[] = [
  [
    /disk is full|ENOSPC|EDQUOT/i,
    "can't grow: the disk is full. What was acknowledged is safe; make room, and the app goes on by itself",
  ],
  [
    LOCKED,
    "is locked by another program. End what has it open, such as a shell of sqlite3 or a backup; the app goes on by itself",
  ],
  [
    /readonly database|EROFS|EACCES|EPERM/i,
    "can't be written. Give this user write access to the file and to its folder, and mount the disk for writing",
  ],
  [
    /not a database|file is encrypted/i,
    `is no SQLite database, or its first page is damaged. Move it away and put a backup in its place, or set ${VARIABLES.dataDir} to another folder`,
  ],
  [
    /malformed|corrupt/i,
    "is damaged. Stop the app, keep a copy of the file and its -wal, and put a backup in its place; `sqlite3 <file> .recover` saves what can be read",
  ],
  [/disk I\/O error|EIO/i, "can't be read or written: the disk reports an error. See the system's log"],
  [/unable to open database file/i, "can't be opened. The folder must exist and this user must be able to write in it"],
];

/** The one code that tells more than its text: the index of the log, a file of its own, found no room. By its name in one driver, its number in the other. */
const NO_ROOM_FOR_INDEX = { code: "SQLITE_IOERR_SHMSIZE", errcode: 4874 };
const FULL = "disk is full";

function isOfFullDisk(error: Error & { code?: unknown; errcode?: unknown }): boolean {
  return error.code === NO_ROOM_FOR_INDEX.code || error.errcode === NO_ROOM_FOR_INDEX.errcode;
}

/** @returns the error as callers see it: SvcError `SVC_STORE` where the file is to blame, else what was given. */
export function storeError(file: string, error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error instanceof SvcError) return error;
  const told = isOfFullDisk(error) ? FULL : error.message;
  const problem = KNOWN.find(([words]) => words.test(told))?.[1];
  if (problem === undefined) return error;
  return new SvcError("SVC_STORE", `The database ${file} ${problem} (SQLite: ${error.message}).`, { cause: error });
}

/** @param error as `storeError` gave it. Whether the file is another program's for now. */
export function isLocked(error: unknown): boolean {
  return error instanceof SvcError && error.cause instanceof Error && LOCKED.test(error.cause.message);
}
