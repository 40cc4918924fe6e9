/**
 * `pg`, loaded where a database URL asks for it: an app on SQLite does without. Numbers come as numbers, whatever their width:
 * the largest here are milliseconds and sizes.
 */
import type { ClientBase, Pool, PoolClient, PoolConfig } from "pg";
import { SvcError } from "../../../platform/shared/errors.ts";
import { VARIABLES } from "../../../platform/shared/wire.ts";

export type { ClientBase, Pool, PoolClient };

/** Object ids of types that pg gives as text: int8 and numeric (https://www.postgresql.org/docs/current/catalog-pg-type.html). */
const WIDE_NUMBERS: readonly number[] = [20, 1700];

/** How long a connection may take, and a statement: what takes longer is a fault, and is told as one. */
const CONNECT_MS = 10_000;
const STATEMENT_MS = 30_000;
/** A transaction whose process is frozen holds its locks no longer than this. */
const IDLE_IN_TRANSACTION_MS = 60_000;

export interface PostgresUrl {
  /** As pg takes it, without what is ours. */
  url: string;
  /** Schema of the tables, unquoted. */
  schema: string;
  /** Connections of this process, at most. */
  connections: number;
}

const DEFAULT_SCHEMA = "svc";
const DEFAULT_CONNECTIONS = 10;
const FEWEST_CONNECTIONS = 4;
const MOST_CONNECTIONS = 200;

/** @param databaseUrl `postgres://…`; `?schema=` and `?connections=` are ours. @throws SvcError `SVC_CONFIG` */
export function readPostgresUrl(databaseUrl: string): PostgresUrl {
  const url = parse(databaseUrl);
  const schema = url.searchParams.get("schema") ?? DEFAULT_SCHEMA;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw invalid(
      `has the schema "${schema.slice(0, 80)}"; use small letters, digits and "_", not beginning with a digit`,
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
    throw invalid("is no URL; give postgres://<user>:<password>@<host>:<port>/<database>");
  }
}

/** The URL is not shown: it may hold a password. */
function invalid(problem: string): SvcError {
  return new SvcError("SVC_CONFIG", `${VARIABLES.databaseUrl} (postgres://…) ${problem}`);
}

/** Where statements name the schema. A name of a schema needs no quotes here: readPostgresUrl lets no other pass. */
export function inSchema(text: string, schema: string): string {
  return schema === "svc" ? text : text.replaceAll(/\bsvc\./g, `${schema}.`);
}

const WAIT_FOR_DISK =
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

/**
 * Option of a pool: what is acknowledged is on the disk, whatever the server, the database or the role has as its default. `local` and
 * `remote_write` are left alone: they are about standbys.
 */
export const waitForDisk: NonNullable<PoolConfig["verify"]> = (client, done) => {
  client.query(WAIT_FOR_DISK).then(() => done(), done);
};

/** Beside that, what ends by itself. Not told as a connection begins: a pooler refuses that, or leaves it out. */
const LIMITS = `SET statement_timeout = ${STATEMENT_MS}; SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`;

const withLimits: NonNullable<PoolConfig["verify"]> = (client, done) => {
  client.query(`${WAIT_FOR_DISK}; ${LIMITS}`).then(() => done(), done);
};

/** @throws SvcError `SVC_CONFIG` where the package `pg` is not installed. */
export async function openPool(url: string, max: number): Promise<Pool> {
  const { default: pg } = await loadPg();
  const config: PoolConfig = {
    connectionString: url,
    max,
    application_name: "svc",
    keepAlive: true,
    verify: withLimits,
    connectionTimeoutMillis: CONNECT_MS,
    // The server ends what takes too long; this is for one that does not answer any more.
    query_timeout: STATEMENT_MS + CONNECT_MS,
    types: {
      getTypeParser: ((oid: number, format?: "text" | "binary"): unknown =>
        WIDE_NUMBERS.includes(oid) ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
  };
  const pool = new pg.Pool(config);
  // An idle connection has ended: the pool makes another when one is needed.
  pool.on("error", () => undefined);
  // One that is in use, while nothing is asked of it: what is asked next fails.
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
