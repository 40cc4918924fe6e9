/** The cluster's connections to PostgreSQL: a few for statements, and sessions. The only module of the cluster that loads `pg`. */
import type { Client, Pool } from "pg";
import { waitForDisk } from "../../storage/postgres/connection/driver.ts";
import { isUnavailable } from "../../storage/postgres/connection/store-error.ts";
import type { OpenedDatabase, Query, Rows, Session } from "./database.ts";

/** For leases, commands and jobs, in addition to the store's connections. */
const CONNECTIONS = 8;
/** A slower connection attempt is repeated. */
const CONNECT_MS = 5000;
/** A restart of the server takes a second or two. */
const PATIENCE_MS = 5000;
const AGAIN_MS = 100;

/** @param schema not quoted. */
export async function openDatabase(url: string, schema: string): Promise<OpenedDatabase> {
  const { default: pg } = await import("pg");
  const settings = { connectionString: url, connectionTimeoutMillis: CONNECT_MS, keepAlive: true };
  // A lease that a server crash loses would be given out again under the same number.
  const pool = new pg.Pool({ ...settings, verify: waitForDisk, max: CONNECTIONS, application_name: "svc cluster" });
  // An idle connection that ends is replaced; statements on other connections reject there.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return {
    pool,
    schema: `"${schema.replaceAll('"', '""')}"`,
    query: patient(queryOf(pool)),
    transaction: async (run) => {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const result = await run(queryOf(client));
        await client.query("commit");
        client.release();
        return result;
      } catch (error) {
        // In any state: the server rolls back when the connection ends.
        client.release(true);
        throw error;
      }
    },
    session: (onEnd) => openSession(new pg.Client({ ...settings, application_name: "svc session" }), onEnd),
    close: () => pool.end(),
  };
}

function queryOf(on: Pick<Pool | Client, "query">): Query {
  return async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    const { rows }: Rows<Row> = await on.query<Row>(text, [...values]);
    return { rows };
  };
}

/**
 * Repeats statements while the database is unavailable, so each statement of the cluster may run twice. A lost result is found
 * later: a lease by the check of held runs, a permit by the name of its request. Work that must not run twice uses a
 * transaction, which is not repeated.
 */
function patient(query: Query): Query {
  return (text, values) => patiently(() => query(text, values));
}

/** Repeats idempotent work for a while when the database is unavailable. @throws the error of the last attempt */
export async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const endMs = performance.now() + PATIENCE_MS; ;)
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > endMs) throw error;
      await new Promise((again) => setTimeout(again, AGAIN_MS));
    }
}

async function openSession(client: Client, onEnd: (error: Error) => void): Promise<Session> {
  // Errors before the connection are thrown to the caller.
  let isEnded = true;
  const ended = (error: Error): void => {
    if (isEnded) return;
    isEnded = true;
    onEnd(error);
  };
  client.on("error", ended);
  client.on("end", () => ended(new Error("The session has ended")));
  await client.connect();
  isEnded = false;
  return {
    query: queryOf(client),
    onNotice: (listener) => void client.on("notification", ({ channel, payload }) => listener(channel, payload ?? "")),
    end: () => {
      isEnded = true;
      // Not awaited: a broken connection never answers.
      client.end().catch(() => undefined);
    },
  };
}
