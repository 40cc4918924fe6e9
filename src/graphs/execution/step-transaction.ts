/** Rows of the author's own in the commit of a step (`ctx.tx`). */
import type { Json } from "../../platform/shared/json.ts";
import { type GraphStore } from "../../storage/contract/graph-store.ts";
import { UserStatementError, type TransactionRun } from "../../storage/contract/transaction.ts";

/**
 * @param reload reads the graph again: what the machine has decided may not be what is stored.
 * @throws what the author's function throws; then nothing is written.
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
