/** Clients that disconnect before their response: neither a client error nor a server error. */
import { SvcError } from "../shared/errors.ts";

/** Status for logs and metrics when the client disconnected first; nginx uses the same number ("client closed request"). */
export const CLIENT_LEFT = 499;

/** Whether the error only reports that the client has disconnected. */
export function isLeaving(error: unknown, ctx: { readonly signal: AbortSignal }): boolean {
  // Checked first, because reading `ctx.signal` creates it.
  if (error instanceof SvcError) return false;
  const { aborted, reason } = ctx.signal;
  // A reason of ours is a timeout, not a disconnect.
  if (!aborted || reason instanceof SvcError) return false;
  return error === reason || (error instanceof Error && error.name === "AbortError");
}
