/** The readiness check of the database: a write, because a full or read-only disk still answers reads. */
import type { Rows } from "./backend-types.ts";

/** Id of the row that each check replaces. Ids of sessions are longer. */
const ROW = "ready";
/** It has expired at once, so the next purge of sessions deletes it. */
const EXPIRED_MS = 0;

/** Rejects if the database accepts no write. */
export async function checkDatabase({ sessions }: Pick<Rows, "sessions">): Promise<void> {
  await sessions.write(ROW, "{}", EXPIRED_MS);
}
