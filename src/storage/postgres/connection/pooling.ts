/**
 * Checks that a connection is a session of the server, which locks, notifications and prepared statements need. A pooler that assigns
 * sessions by transaction (PgBouncer's `pool_mode = transaction`) changes them between statements. It is refused at the start, because it
 * would seem to work until others took a healthy process for dead.
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import { VARIABLES } from "../../../platform/shared/wire.ts";
import type { ClientBase, Pool } from "./driver.ts";

const PID = "SELECT pg_backend_pid() AS pid";

/** PgBouncer's answer to BEGIN in the mode `statement`. */
const NO_TRANSACTIONS = /transaction blocks not allowed/i;

async function pidOf(client: Pick<ClientBase, "query">): Promise<number | undefined> {
  return (await client.query<{ pid: number }>(PID)).rows[0]?.pid;
}

/**
 * Two open connections must never share or change their session, tested while one of them is in a transaction, which holds its session.
 */
async function areShared(first: Pick<ClientBase, "query">, second: Pick<ClientBase, "query">): Promise<boolean> {
  const before = await pidOf(first);
  try {
    await second.query("BEGIN");
    return (await pidOf(second)) === before || (await pidOf(first)) !== before;
  } catch (error) {
    if (NO_TRANSACTIONS.test((error as Error).message)) return true;
    throw error;
  } finally {
    await second.query("ROLLBACK").catch(() => undefined);
  }
}

/** @throws SvcError `SVC_CONFIG` if connections share sessions; errors of the database. */
export async function requireSessions(pool: Pick<Pool, "connect">): Promise<void> {
  const first = await pool.connect();
  try {
    const second = await pool.connect();
    const shared = await areShared(first, second).finally(() => second.release());
    if (!shared) return;
  } finally {
    first.release();
  }
  throw new SvcError(
    "SVC_CONFIG",
    `${VARIABLES.databaseUrl} leads to a pooler that shares sessions between connections (PgBouncer with pool_mode = transaction or statement). svc needs its own sessions for locks, LISTEN and prepared statements. Set pool_mode = session for its database and user, or use the address of the PostgreSQL server itself`,
  );
}
