/**
 * The id of a schema in PostgreSQL, which a restored dump does not share: the number of the server, of the database and of a table. A user
 * without the right to read the server's number, as on some managed servers, gets a random number in its place, which stays in the schema.
 * Decision 132.
 */
import { randomBytes } from "node:crypto";
import type { Database } from "./database.ts";

/** Null: the user may not read it, or the server has no such function. The function itself would fail the whole statement. */
const MAY_READ =
  "SELECT coalesce(has_function_privilege(to_regprocedure('pg_catalog.pg_control_system()'), 'execute'), false)::int AS may";
const SERVER = "SELECT system_identifier::text AS id FROM pg_catalog.pg_control_system()";
const PLACE = `
  SELECT d.oid || '.' || 'svc.graph'::regclass::oid AS id
  FROM pg_database AS d WHERE d.datname = current_database()`;
const STORED = "SELECT id FROM svc.server_id";
const STORE = "INSERT INTO svc.server_id (one, id) VALUES (1, $1) ON CONFLICT DO NOTHING";

/** @throws as `Database.rows` */
export async function postgresId(database: Database): Promise<string> {
  const server = (await idIn(database, STORED)) ?? (await serverId(database));
  return `postgres ${server}.${await idIn(database, PLACE)}`;
}

/** Once a random number is stored, it stays in use: the id must not change with the user's rights. */
async function serverId(database: Database): Promise<string | undefined> {
  const mayRead = Number((await database.row(MAY_READ))?.["may"]) === 1;
  if (mayRead) return idIn(database, SERVER);
  await database.run(STORE, `r${randomBytes(9).toString("base64url")}`);
  return idIn(database, STORED);
}

async function idIn(database: Database, text: string): Promise<string | undefined> {
  const id = (await database.row(text))?.["id"];
  return id === undefined ? undefined : String(id);
}
