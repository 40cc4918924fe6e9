/** Scopes that the browser may not need: the server decides by the values that they capture (decision 094). */
import type { Scope } from "../model.ts";

/** Kinds of names whose values the syntax does not show to be reactive. */
const UNKNOWN_KINDS: ReadonlySet<string> = new Set(["value", "props"]);

/** Whether a scope only has bindings of values that may be plain. The server decides whether the browser needs it. */
export function isUncertain({
  slots,
  isNeeded,
  handlers,
  effects,
  resources,
  helpers,
  hookAttributes,
}: Scope): boolean {
  if (isNeeded || [handlers, effects, resources, hookAttributes].some(({ length }) => length > 0)) return false;
  return helpers.size === 0 && slots.every(({ kind }) => UNKNOWN_KINDS.has(kind));
}
