/**
 * Loads `pg` on demand: apps on SQLite do not need it. Wide numbers are returned as numbers, because the largest ones here are
 * milliseconds and sizes.
 */
import type { ClientBase, Pool, PoolClient, PoolConfig } from "pg";
import { SvcError } from "../../../platform/shared/errors.ts";
import { VARIABLES } from "../../../platform/shared/wire.ts";

export type { ClientBase, Pool, PoolClient };

/** Type ids that pg returns as text: int8 and numeric (https://www.postgresql.org/docs/current/catalog-pg-type.html). */
const WIDE_NUMBERS: readonly number[] = [20, 1700];

/** Timeouts of a connection and of a statement. Exceeding one is an error. */
const CONNECT_MS = 10_000;
const STATEMENT_MS = 30_000;
/** Time after which a transaction of a frozen process loses its locks. */
const IDLE_IN_TRANSACTION_MS = 60_000;

export interface PostgresUrl {
  /** For pg, without svc's own parameters. */
  url: string;
  /** Schema of the tables, unquoted. */
  schema: string;
  /** Most connections of this process. */
  connections: number;
}

const DEFAULT_SCHEMA = "svc";
const DEFAULT_CONNECTIONS = 10;
const FEWEST_CONNECTIONS = 4;
const MOST_CONNECTIONS = 200;

/** @param databaseUrl `postgres://…` with svc's parameters `?schema=` and `?connections=`. @throws SvcError `SVC_CONFIG` */
export function readPostgresUrl(databaseUrl: string): PostgresUrl {
  const url = parse(databaseUrl);
  const schema = url.searchParams.get("schema") ?? DEFAULT_SCHEMA;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw invalid(
      `has the schema "${schema.slice(0, 80)}"; use lowercase letters, digits and "_", not starting with a digit`,
    );
  const text = url.searchParams.get("connections") ?? String(DEFAULT_CONNECTIONS);
  const connections = Number(text);
  if (!Number.isInteger(connections) || connections < FEWEST_CONNECTIONS || connections > MOST_CONNECTIONS)
    throw invalid(
      `has connections=${text.slice(0, 20)}; give a whole number from ${FEWEST_CONNECTIONS} to ${MOST_CONNECTIONS}`,
    );
  url.searchParams.delete("schema");
  url.searchParams.delete("connections");
  return { url: url.href, schema, connections };
}

function parse(databaseUrl: string): URL {
  try {
    return new URL(databaseUrl);
  } catch {
    throw invalid("is not a URL; give postgres://<user>:<password>@<host>:<port>/<database>");
  }
}

/** Does not show the URL, which may contain a password. */
function invalid(problem: string): SvcError {
  return new SvcError("SVC_CONFIG", `${VARIABLES.databaseUrl} (postgres://…) ${problem}`);
}

/** Inserts the schema into statements. It needs no quotes: readPostgresUrl accepts no name that would. */
export function inSchema(text: string, schema: string): string {
  return schema === "svc" ? text : text.replaceAll(/\bsvc\./g, `${schema}.`);
}

const WAIT_FOR_DISK =
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

/**
 * Option of a pool: acknowledged commits are on disk, whatever the default of server, database or role. Keeps `local` and `remote_write`,
 * which concern standbys.
 */
export const waitForDisk: NonNullable<PoolConfig["verify"]> = (client, done) => {
  client.query(WAIT_FOR_DISK).then(() => done(), done);
};

/** Sent as a statement: a pooler rejects or drops it as a connection parameter. */
const limitsOf = (lockMs: number): string =>
  `SET statement_timeout = ${STATEMENT_MS}; SET lock_timeout = ${lockMs}; SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`;

/**
 * @param lockMs longest wait of a statement for a lock. Default: none.
 * @throws SvcError `SVC_CONFIG` if the package `pg` is not installed.
 */
export async function openPool(url: string, max: number, lockMs = 0): Promise<Pool> {
  const withLimits: NonNullable<PoolConfig["verify"]> = (client, done) => {
    client.query(`${WAIT_FOR_DISK}; ${limitsOf(lockMs)}`).then(() => done(), done);
  };
  const { default: pg } = await loadPg();
  const config: PoolConfig = {
    connectionString: url,
    max,
    application_name: "svc",
    keepAlive: true,
    verify: withLimits,
    connectionTimeoutMillis: CONNECT_MS,
    // The server ends long statements; this is for a server that does not respond.
    query_timeout: STATEMENT_MS + CONNECT_MS,
    types: {
      getTypeParser: ((oid: number, format?: "text" | "binary"): unknown =>
        WIDE_NUMBERS.includes(oid) ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  };
  const pool = new pg.Pool(config);
  // An idle connection has ended: the pool opens another on demand.
  pool.on("error", () => undefined);
  // A connection in use without a statement: the next statement fails.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

async function loadPg(): Promise<typeof import("pg")> {
  try {
    return await import("pg");
  } catch (cause) {
    throw new SvcError(
      "SVC_CONFIG",
      'A database on postgres:// needs the package "pg", which is not installed. Run: npm install pg graphile-worker',
      { cause },
    );
  }
}
