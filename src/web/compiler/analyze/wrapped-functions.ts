/**
 * Finds functions that other functions wrap: `const save = debounce(() => …, 300)`. Only the call shows what the result is, so the server looks
 * at it (web/ssr/resume/function-props.ts). The browser makes the same call once, and all code of the page shares the result.
 */
import type { ESTree } from "vite";
import { holdsJsx, isFunction, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding, Reference } from "../parse/scopes.ts";
import type { Module } from "./analyze.ts";
import { mayCreateState } from "./declaration-kinds.ts";
import { receiversOfValue } from "./given-functions.ts";
import { bindingAt } from "./prop-names.ts";
import { propReads } from "./prop-reads.ts";
import { returnsFunction } from "./returned-functions.ts";

/**
 * The names of the props, contexts and hooks that get a wrapped function of a component; none if browser code of the component has it as well.
 * @param owner the component
 * @returns undefined for calls whose results the server shows
 */
export function wrapperReceivers(module: Module, node: Node, owner: FunctionNode): string[] | undefined {
  if (node.type !== "CallExpression" || !returnsFunction(module, node)) return undefined;
  const parent = module.parentOf(node);
  if (parent?.type !== "VariableDeclarator") {
    const names = receiversOfValue(module, node);
    return names.length === 0 ? undefined : withoutHandlers(names);
  }
  const binding = module.scopes.bindingAt(parent.id);
  if (!binding || binding.declared !== "const" || binding.owner !== owner) return undefined;
  return receiversOfConstant(module, binding, owner, node);
}

function receiversOfConstant(
  module: Module,
  binding: Binding,
  owner: FunctionNode,
  call: ESTree.CallExpression,
): string[] | undefined {
  const uses = module.scopes.references.filter((one) => one.binding === binding && one.node !== binding.node);
  const code = owner.body ? browserCodeIn(owner.body) : [];
  const needs = uses.map((use): Need => {
    if (code.some(({ start, end }) => use.node.start >= start && use.node.end <= end)) return "browser";
    return neededWhereCalled(module, use) ?? receiversOfValue(module, use.node);
  });
  const given = needs.filter((need) => typeof need === "object");
  if (given.some((names) => names.length === 0) || needs.every((need) => need === "server")) return undefined;
  if (given.length > 0 && unwrap(call.callee).type === "Identifier" && isFactory(module, call)) return undefined;
  return needs.includes("browser") ? [] : withoutHandlers(given.flat());
}

/** Who calls a function, or the names of the props, contexts and hooks that get it. */
type Need = "browser" | "server" | string[];

/** `{format(count.value)}`, and `{format(props.amount)}`, which the browser calls if the prop changes. Undefined if the function is not called. */
function neededWhereCalled(module: Module, { node, parent }: Reference): Need | undefined {
  if (parent.type !== "CallExpression" || parent.callee !== node) return undefined;
  let shown: Node = parent;
  for (let at = module.parentOf(shown); at && at.type !== "JSXExpressionContainer"; at = module.parentOf(at)) {
    if (isFunction(at) || at.type.endsWith("Statement") || at.type === "VariableDeclarator") return undefined;
    shown = at;
  }
  if (module.liveness(shown) !== "static") return "browser";
  const names = propReads(module, shown).split(" ").filter(Boolean);
  return names.length > 0 ? names : "server";
}

/** A factory may return state that was created on the server: `createForm(() => …)`. */
function isFactory(module: Module, { callee }: ESTree.CallExpression): boolean {
  return mayCreateState(bindingAt(module, unwrap(callee))?.name ?? "");
}

/** None if one of the names is that of a handler, which code of any component may call. */
function withoutHandlers(names: string[]): string[] {
  return names.some((name) => /^on[A-Z]/.test(name)) ? [] : names;
}

/** Handler attributes, and functions inside of a component's body. */
function browserCodeIn(body: Node): Node[] {
  const found: Node[] = [];
  walk(body, (node) => {
    const isHandler =
      node.type === "JSXAttribute" && node.name.type === "JSXIdentifier" && /^on[A-Z]/.test(node.name.name);
    if (!isHandler && !isFunction(node)) return undefined;
    if (isHandler || !holdsJsx(node)) found.push(node);
    return isHandler ? false : holdsJsx(node);
  });
  return found;
}
