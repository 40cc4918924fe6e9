/**
 * Finds names whose values may be stores, although the syntax doesn't show it: the results of hooks and factories, and values of contexts.
 * Only the server knows the value, so it decides for each instance whether the browser gets bindings (web/ssr/resume/held-state.ts).
 */
import type { Module } from "./analyze.ts";
import { mayCreateState, svcName } from "./declaration-kinds.ts";
import { contextName } from "./context-names.ts";
import { memberName, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";

/** First character of the name of such a value, which no prop has. */
const HELD = "~";

/** @returns the name under which the server looks at the value of a binding: `~useForm:form70`; undefined if no hook returns it */
export function heldName(module: Module, fn: FunctionNode, binding: Binding): string | undefined {
  const { source, name, node } = binding;
  if (module.kind(binding) !== "value" || !statementOf(module, fn, binding)) return undefined;
  const init = source.type === "VariableDeclarator" && source.init ? unwrap(source.init) : undefined;
  const hook = init && calledHook(module, init);
  return hook === undefined ? undefined : `${HELD}${hook}:${name}${node.start}`;
}

/** Whether a name is one of `heldName`. */
export function isHeld(name: string): boolean {
  return name.startsWith(HELD);
}

/** The hook, or the object that contains it, in a name of `heldName`: `useForm`. */
export function hookOf(name: string): string {
  return name.slice(HELD.length).split(":")[0] ?? name;
}

/** The statement of the component that declares a constant. */
export function statementOf(module: Module, fn: FunctionNode, binding: Binding): Node | undefined {
  const { declared, owner, source } = binding;
  if (declared !== "const" || owner !== fn) return undefined;
  const statement = module.parentOf(source);
  return statement && module.parentOf(statement) === fn.body ? statement : undefined;
}

/**
 * The name in a call of a hook or factory of the app or of a package, `useForm()`, `forms.createForm()`; for `useContext` that of the context.
 * Other functions of svc return kinds of their own.
 */
function calledHook(module: Module, node: Node): string | undefined {
  if (node.type !== "CallExpression") return undefined;
  const own = svcName(node.callee, module.scopes);
  const [context] = node.arguments;
  if (own === "useContext" && context) return contextName(module, context).slice(HELD.length);
  if (own !== undefined) return undefined;
  const callee = unwrap(node.callee);
  if (callee.type === "Identifier") return mayCreateState(callee.name) ? callee.name : undefined;
  if (callee.type !== "MemberExpression" || !mayCreateState(memberName(callee) ?? "")) return undefined;
  const object = unwrap(callee.object);
  return object.type === "Identifier" ? object.name : undefined;
}
