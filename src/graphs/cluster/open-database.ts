/** A cluster's way to PostgreSQL: a few connections for statements, and sessions that stay. `pg` is loaded here, and only here. */
import type { Client, Pool } from "pg";
import { waitForDisk } from "../../storage/postgres/connection/driver.ts";
import { isUnavailable } from "../../storage/postgres/connection/store-error.ts";
import type { OpenedDatabase, Query, Rows, Session } from "./database.ts";

/** Of statements beside those of the store: leases, commands, jobs. */
const CONNECTIONS = 8;
/** A connection that takes longer is tried again. */
const CONNECT_MS = 5000;
/** A restart of the server takes a second or two. */
const PATIENCE_MS = 5000;
const AGAIN_MS = 100;

/** @param schema plain. */
export async function openDatabase(url: string, schema: string): Promise<OpenedDatabase> {
  const { default: pg } = await import("pg");
  const settings = { connectionString: url, connectionTimeoutMillis: CONNECT_MS, keepAlive: true };
  // A lease that a crash of the server forgets would be given out again under its number.
  const pool = new pg.Pool({ ...settings, verify: waitForDisk, max: CONNECTIONS, application_name: "svc cluster" });
  // An idle connection that ends is replaced; what was under way on another rejects there.
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
        // Whatever state it is in: the server rolls back as it ends.
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
 * Statements are made again while the database is away: those of a cluster may all be made twice. What a statement has taken, and
 * could not say, is found: a graph by whoever looks for what it holds, a permit by the name that it was asked for under. What may not be
 * made twice, such as the offer of a place, is made in a transaction, which is made once.
 */
function patient(query: Query): Query {
  return (text, values) => patiently(() => query(text, values));
}

/** Does again what may be done twice, while the database is away, for a while. @throws what the last attempt did */
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
  // Before it is connected, whoever opens it is told.
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
      // Not waited for: a connection that was cut never answers.
      client.end().catch(() => undefined);
    },
  };
}
