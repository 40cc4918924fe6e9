/**
 * SQLite behind a small interface: `node:sqlite` if the runtime has it (Node 22.13 and later), else `libsql` with its prebuilt binary.
 * Both are synchronous.
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Row, Value } from "../../contract/row.ts";

export interface Statement {
  run(...values: Value[]): { changes: number | bigint };
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
}

export interface Driver {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

type DriverClass = new (file: string) => Driver;

/** @throws SvcError `SVC_STORE` if neither can be loaded. */
export async function loadDriver(): Promise<DriverClass> {
  // A variable, because the types of Node 20 lack the module.
  const builtin: string = "node:sqlite";
  try {
    return ((await import(builtin)) as { DatabaseSync: DriverClass }).DatabaseSync;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ERR_UNKNOWN_BUILTIN_MODULE" && code !== "ERR_MODULE_NOT_FOUND") throw error;
  }
  try {
    return ((await import("libsql")) as unknown as { default: DriverClass }).default;
  } catch (cause) {
    throw new SvcError(
      "SVC_STORE",
      "SQLite is not available: this Node has no node:sqlite, and the package libsql can't be loaded. Run npm install, or use Node 22.13 or newer.",
      { cause },
    );
  }
}
