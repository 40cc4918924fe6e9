/**
 * SQLite behind a small interface: `node:sqlite` if this Node has a usable one, else `libsql` with its prebuilt binary.
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
  return (await loadBuiltin()) ?? (await loadPackage());
}

/**
 * Whether a driver accepts positional values for `?1`. `node:sqlite` of Node 22.13 to 22.19, 23.4 to 23.11 and 24.0 to 24.6 does not, and
 * reports "column index out of range" for every statement of a store.
 */
export function bindsByPosition(driver: DriverClass): boolean {
  const database = new driver(":memory:");
  try {
    return database.prepare("SELECT ?2 AS second").get(1, 2)?.["second"] === 2;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

/** @returns undefined if this Node has no `node:sqlite`, or one that cannot run the statements of a store. */
async function loadBuiltin(): Promise<DriverClass | undefined> {
  // A variable, because the types of Node 20 lack the module.
  const builtin: string = "node:sqlite";
  try {
    const { DatabaseSync } = (await import(builtin)) as { DatabaseSync: DriverClass };
    return bindsByPosition(DatabaseSync) ? DatabaseSync : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ERR_UNKNOWN_BUILTIN_MODULE" && code !== "ERR_MODULE_NOT_FOUND") throw error;
    return undefined;
  }
}

async function loadPackage(): Promise<DriverClass> {
  try {
    return ((await import("libsql")) as unknown as { default: DriverClass }).default;
  } catch (cause) {
    throw new SvcError(
      "SVC_STORE",
      "SQLite is not available: this Node has no usable node:sqlite, and the package libsql can't be loaded. Run npm install, or use Node 24.7 or newer.",
      { cause },
    );
  }
}
