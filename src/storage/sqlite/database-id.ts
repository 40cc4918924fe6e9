/**
 * The id of an SQLite database: a random number in the file, with the file's number on its disk and the time of its creation, which a copy
 * does not share. File systems without such a time report 0.
 */
import { randomBytes, randomInt } from "node:crypto";
import { statSync } from "node:fs";
import type { Database } from "./database.ts";

const MAX_NUMBER = 2 ** 31 - 1;

/** @param file `:memory:`: a database that ends with the process gets a new id each time. Gives the file its number if it has none. */
export function sqliteId(database: Database, file: string): string {
  if (file === ":memory:") return `memory ${randomBytes(9).toString("base64url")}`;
  const stored = Number(database.sql("PRAGMA application_id").get()?.["application_id"]);
  const number = stored === 0 ? randomInt(1, MAX_NUMBER) : stored;
  if (stored === 0) database.sql(`PRAGMA application_id = ${number}`).run();
  const { ino, birthtimeNs } = statSync(file, { bigint: true });
  return `sqlite ${[number, ino, birthtimeNs].map((part) => part.toString(36)).join(".")}`;
}
