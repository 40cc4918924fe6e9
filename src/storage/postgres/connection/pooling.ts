/**
 * Whether a connection is a session of the server's, as locks, notifications and prepared statements need it: a pooler that hands out its
 * sessions by the transaction (PgBouncer's `pool_mode = transaction`) takes them away between two statements. Such a one is refused at the
 * start; it would seem to work, until others gave up a healthy process.
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import { VARIABLES } from "../../../platform/shared/wire.ts";
import type { ClientBase, Pool } from "./driver.ts";

const PID = "SELECT pg_backend_pid() AS pid";

/** What PgBouncer says to BEGIN in its mode `statement`. */
const NO_TRANSACTIONS = /transaction blocks not allowed/i;

async function pidOf(client: Pick<ClientBase, "query">): Promise<number | undefined> {
  return (await client.query<{ pid: number }>(PID)).rows[0]?.pid;
}

/**
 * Of two connections that are open at once none has the session of the other, nor another one than before: not while one of them is in a
 * transaction, which holds it.
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

/** @throws SvcError `SVC_CONFIG` where connections share sessions; what the database does. */
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
    `${VARIABLES.databaseUrl} leads to a pooler that shares sessions between connections (PgBouncer with pool_mode = transaction or statement). svc needs sessions of its own, for locks, LISTEN and prepared statements: set pool_mode = session for its database and user, or give the address of the PostgreSQL server itself`,
  );
}
