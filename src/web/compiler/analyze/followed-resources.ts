/** Decides which resources of hooks the browser fetches again, and which values of an `<Await>` its children follow. */
import { isFunction, unwrap, type Node } from "../parse/ast.ts";
import type { Module } from "./analyze.ts";

/**
 * Whether the browser may fetch a resource of a hook again: its source reads a value that may change or calls a function that the hook got, or
 * the file names `refetch`. Others may use modules that only the server has.
 * @param fetch the source and the fetcher
 */
export function mayFetchInHook(module: Pick<Module, "scopes" | "liveness" | "file">, fetch: readonly Node[]): boolean {
  const [source] = fetch;
  if (!source || fetch.length !== 2) return false;
  if (!isFunction(source) || module.liveness(source) !== "static" || /\brefetch\b/.test(module.file.text)) return true;
  return module.scopes.within(source).some(({ binding, node, parent }) => {
    const isCall = parent.type === "CallExpression" && parent.callee === node;
    return isCall && binding?.declared === "param" && binding.owner !== source;
  });
}

/** Whether an expression is the value of an `<Await>` whose children follow it. */
export function isShownByAwait(module: Pick<Module, "scopes" | "awaitedValue">, expression: Node): boolean {
  const value = unwrap(expression);
  return module.scopes.bindings.some((binding) => module.awaitedValue(binding)?.value === value);
}
