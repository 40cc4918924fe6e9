/**
 * Explains errors of a database file and what to do. SQLite reports them as text, the same with both drivers
 * (https://sqlite.org/rescode.html); other errors, such as a duplicate key, are unchanged.
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import { VARIABLES } from "../../../platform/shared/wire.ts";

const LOCKED = /is locked|table is locked/i;

const KNOWN: readonly (readonly [words: RegExp, problem: string])[] = [
  [
    /disk is full|ENOSPC|EDQUOT/i,
    "can't grow: the disk is full. Acknowledged writes are safe. Free disk space; the app then continues by itself",
  ],
  [
    LOCKED,
    "is locked by another program. End the program that has it open, such as a sqlite3 shell or a backup; the app then continues by itself",
  ],
  [
    /readonly database|EROFS|EACCES|EPERM/i,
    `can't be written. Give this user write access to the file and to its folder and mount the disk for writing, or set ${VARIABLES.dataDir} to another folder`,
  ],
  [
    /not a database|file is encrypted/i,
    `is not an SQLite database, or its first page is damaged. Replace it by a backup, or set ${VARIABLES.dataDir} to another folder`,
  ],
  [
    /malformed|corrupt/i,
    "is damaged. Stop the app, keep a copy of the file and its -wal, and restore a backup; `sqlite3 <file> .recover` saves the readable part",
  ],
  [/disk I\/O error|EIO/i, "can't be read or written: the disk reports an error. See the system log"],
  [/unable to open database file/i, "can't be opened. The folder must exist and this user must be able to write in it"],
];

/**
 * The one code with more information than its text: no room for the index of the log, a file of its own. By name in one driver, by number
 * in the other.
 */
const NO_ROOM_FOR_INDEX = { code: "SQLITE_IOERR_SHMSIZE", errcode: 4874 };
const FULL = "disk is full";

function isOfFullDisk(error: Error & { code?: unknown; errcode?: unknown }): boolean {
  return error.code === NO_ROOM_FOR_INDEX.code || error.errcode === NO_ROOM_FOR_INDEX.errcode;
}

/** @returns the error for callers: SvcError `SVC_STORE` for a fault of the file, else the given error. */
export function storeError(file: string, error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error instanceof SvcError) return error;
  const reported = isOfFullDisk(error) ? FULL : error.message;
  const problem = KNOWN.find(([words]) => words.test(reported))?.[1];
  if (problem === undefined) return error;
  return new SvcError("SVC_STORE", `The database ${file} ${problem} (SQLite: ${error.message}).`, { cause: error });
}

/** @param error result of `storeError`. Whether another program has locked the file. */
export function isLocked(error: unknown): boolean {
  return error instanceof SvcError && error.cause instanceof Error && LOCKED.test(error.cause.message);
}
