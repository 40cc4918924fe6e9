/** Finds out whether the provider of a context may give it state, which components in other files may show. */
import type { ESTree } from "vite";
import { isInside, type Module } from "./analyze.ts";
import { functionOf, svcImport } from "./declaration-kinds.ts";
import { isFunction, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";
import { contextName } from "./context-names.ts";
import { propReads } from "./prop-reads.ts";

/** Kinds of names that are state, or are made of it. */
const STATE_KINDS = new Set(["signal", "store", "computed", "resource", "ref", "lifted", "awaited"]);

/**
 * Dependencies of the value of a provider, in the form of `PassedProp.from`: empty if it is state in any case, else names of props, of hooks
 * and of imported functions that it calls. Undefined if it is no state.
 */
export function providedFrom(module: Module, value: Node): string | undefined {
  const found = new Set(propReads(module, value).split(" ").filter(Boolean));
  return isState(module, value, found, new Set()) ? "" : [...found].sort().join(" ") || undefined;
}

function isState(module: Module, node: Node, from: Set<string>, seen: Set<Node>): boolean {
  if (seen.has(node)) return false;
  seen.add(node);
  return module.scopes.within(node).some(({ binding, parent, node: name }) => {
    if (!binding || isInside(binding.node, node)) return false;
    if (binding.declared === "import") return isStateCall(module, binding, callOf(module, parent, name), from);
    if (STATE_KINDS.has(module.kind(binding))) return true;
    return sourceOf(binding).some((source) => isState(module, source, from, seen));
  });
}

/** The call of a name, `make()`, or of a member of it, `forms.make()`. */
function callOf(module: Module, parent: Node, name: Node): ESTree.CallExpression | undefined {
  const [callee, call] = parent.type === "MemberExpression" ? [parent, module.parentOf(parent)] : [name, parent];
  return call?.type === "CallExpression" && call.callee === callee ? call : undefined;
}

/** Whether a call creates state. Adds the function if it is one of the app, whose module may have state. */
function isStateCall(
  module: Module,
  binding: Binding,
  call: ESTree.CallExpression | undefined,
  from: Set<string>,
): boolean {
  const own = svcImport(binding);
  const [context] = call?.arguments ?? [];
  if (call && own === undefined) from.add(`~${binding.name}:`);
  if (own === "useContext" && context) from.add(contextName(module, context));
  return call !== undefined && own !== undefined && own !== "untrack" && own !== "useContext";
}

function sourceOf(binding: Binding): Node[] {
  const fn = functionOf(binding);
  if (fn) return [fn];
  const { source } = binding;
  return source.type === "VariableDeclarator" && source.init && !isFunction(source.init) ? [source.init] : [];
}
