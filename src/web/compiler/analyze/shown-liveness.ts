/** Liveness of what an element displays. */
import type { Liveness, Module } from "./analyze.ts";
import { readsStore } from "./store-items.ts";
import { unwrap, type Node } from "../parse/ast.ts";

/** A signal by its own name shows its value. The items of a store's list are the same objects in the browser, so their fields change there. */
export function shownLiveness(module: Module, expression: Node): Liveness {
  if (namesSignal(module, expression) || readsStore(module, expression)) return "live";
  return module.liveness(expression);
}

/** Liveness of what decides a list or condition. A store by its own name is such a list: `<For each={rows}>`. */
export function decidingLiveness(module: Module, expression: Node): Liveness {
  return readsStore(module, expression) ? "live" : module.liveness(expression);
}

/** Whether an expression is the name of a signal or computed. */
export function namesSignal(module: Module, expression: Node): boolean {
  const inner = unwrap(expression);
  const binding = inner.type === "Identifier" ? module.scopes.within(inner)[0]?.binding : undefined;
  const kind = binding?.owner ? module.kind(binding) : undefined;
  return kind === "signal" || kind === "computed";
}
