/** Clients that leave before they have their answer: nobody's fault, and nobody is there to be told. */
import { SvcError } from "../shared/errors.ts";

/** Stands in logs and counts for the answer that nobody was there to get: what nginx calls "client closed request". */
export const CLIENT_LEFT = 499;

/** Whether an error says no more than that the one it was for has left: what was waited for was wanted no more. */
export function isLeaving(error: unknown, ctx: { readonly signal: AbortSignal }): boolean {
  // First, for a signal that nobody has asked for yet is made when it is looked at.
  if (error instanceof SvcError) return false;
  const { aborted, reason } = ctx.signal;
  // A reason of ours is time that was up.
  if (!aborted || reason instanceof SvcError) return false;
  return error === reason || (error instanceof Error && error.name === "AbortError");
}
