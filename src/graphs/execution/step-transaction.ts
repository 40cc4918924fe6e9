/** Writes the author's rows in the commit of a step (`ctx.tx`). */
import type { Json } from "../../platform/shared/json.ts";
import { type GraphStore } from "../../storage/contract/graph-store.ts";
import { UserStatementError, type TransactionRun } from "../../storage/contract/transaction.ts";

/**
 * @param reload reads the run again, because the machine's state may differ from the store.
 * @throws errors of the author's function; nothing is written then.
 */
export async function transact(
  graphs: GraphStore,
  run: TransactionRun,
  reload: (error: unknown) => void,
): Promise<Json> {
  try {
    return await graphs.transact(run);
  } catch (error) {
    if (error instanceof UserStatementError) throw error.cause;
    reload(error);
    throw error;
  }
}
