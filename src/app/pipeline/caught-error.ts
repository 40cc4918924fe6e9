/** Errors that a page shows in its own way, with `_error.tsx`. `svc dev` shows them in its overlay as well. */
import type { Context } from "../../platform/http/types.ts";

const caught = new WeakMap<Context, unknown>();

export function noteCaught(ctx: Context, error: unknown): void {
  caught.set(ctx, error);
}

/** @returns undefined if the page shows no error. */
export function caughtIn(ctx: Context): unknown {
  return caught.get(ctx);
}
