/**
 * Finds what an expression of a component reads at once, from its syntax alone: the current value of a signal or store, also through constants
 * and local functions. It serves the forms that are rewritten before the analysis.
 */
import { isFunction, memberName, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding, Reference, Scopes } from "../parse/scopes.ts";
import { functionOf, kindOf, mayCreateState, svcName } from "./declaration-kinds.ts";
import { rootOfObject } from "./prop-names.ts";

/** What decides what a component returns. */
export interface Decision {
  /** Whether signals, stores or what a hook returned decide. */
  byState: boolean;
  byProps: boolean;
  /** Constants that contain the current value of a signal or store. */
  constants: Set<Binding>;
}

/** @param tests expressions in the body of `fn` */
export function decisionOf(tests: readonly Node[], fn: FunctionNode, scopes: Scopes): Decision {
  const decision: Decision = { byState: false, byProps: false, constants: new Set() };
  const visited = new Set<Node>();
  const visit = (root: Node): void => {
    if (visited.has(root)) return;
    visited.add(root);
    if (readsValue(root, scopes)) decision.byState = true;
    for (const reference of readsAtOnce(root, scopes)) {
      const { binding } = reference;
      if (!binding || !isOwn(binding, fn)) continue;
      const init = initOfSource(binding);
      const isNow = isCurrentValue(binding, fn, scopes);
      if (isNow) decision.constants.add(binding);
      if (binding.declared === "param") decision.byProps = true;
      else if (!isNow && isState(binding, scopes)) decision.byState = true;
      else if (isCalled(reference)) visit(functionOf(binding)?.body ?? reference.node);
      else if (init) visit(init);
    }
  };
  for (const test of tests) visit(test);
  return decision;
}

/** Uses of names when `root` is evaluated: not those in functions and in `untrack`. */
export function readsAtOnce(root: Node, scopes: Scopes): Reference[] {
  const skipped: Node[] = [];
  walk(root, (node) => {
    const isUntracked = node.type === "CallExpression" && svcName(node.callee, scopes) === "untrack";
    if (node !== root ? !isFunction(node) && !isUntracked : !isUntracked) return undefined;
    skipped.push(node);
    return false;
  });
  return scopes
    .within(root)
    .filter(({ node }) => !skipped.some(({ start, end }) => node.start >= start && node.end <= end));
}

/** Whether a binding belongs to a component or a function in it. */
export function isOwn({ owner }: Binding, { start, end }: FunctionNode): boolean {
  return owner !== null && owner.start >= start && owner.end <= end;
}

function initOfSource({ source }: Binding): Node | null {
  return source.type === "VariableDeclarator" ? source.init : null;
}

/** A signal, store or the like, or what a hook returned. */
function isState(binding: Binding, scopes: Scopes): boolean {
  if (["signal", "store", "computed", "resource"].includes(kindOf(binding, scopes))) return true;
  const init = initOfSource(binding);
  if (!init || isFunction(unwrap(init))) return false;
  const object = unwrap(init);
  const [source] = object.type === "Identifier" ? scopes.within(object) : [];
  if (source?.binding && source.binding !== binding && source.binding.declared === "const")
    return isState(source.binding, scopes);
  let callsHook = false;
  walk(init, (node) => {
    if (isFunction(node)) return false;
    callsHook ||= isCallOfHook(node);
    return !callsHook;
  });
  return callsHook;
}

/** `useForm()`, `createForm()` */
export function isCallOfHook(node: Node): boolean {
  return node.type === "CallExpression" && node.callee.type === "Identifier" && mayCreateState(node.callee.name);
}

function isCalled({ parent, node }: Reference): boolean {
  return parent.type === "CallExpression" && parent.callee === node;
}

/** Whether a constant is what a signal or store contains now: `const name = user.value.name`. */
function isCurrentValue(binding: Binding, fn: FunctionNode, scopes: Scopes): boolean {
  const { declared, source, owner } = binding;
  if (declared !== "const" || owner !== fn || source.type !== "VariableDeclarator" || !source.init) return false;
  const init = unwrap(source.init);
  if (isFunction(init)) return false;
  if (source.id.type === "ObjectPattern" && init.type === "Identifier") return isKind(init, "store", scopes);
  if (isState(binding, scopes)) return false;
  if (readsValue(init, scopes)) return true;
  return readsAtOnce(init, scopes).some((reference) => {
    const read = reference.binding;
    if (!read || read === binding || !isOwn(read, fn)) return false;
    if (!isCalled(reference)) return isCurrentValue(read, fn, scopes);
    const body = functionOf(read)?.body;
    return body ? readsValue(body, scopes) : false;
  });
}

/** Whether `root` reads `count.value` of a name in a function, or `prefs.theme` of a store. */
function readsValue(root: Node, scopes: Scopes): boolean {
  const reads = new Set(readsAtOnce(root, scopes).map(({ node }) => node));
  let found = false;
  walk(root, (node) => {
    if (node.type !== "MemberExpression" || found) return !found;
    const name = rootOfObject(node);
    if (!name || !reads.has(name)) return undefined;
    const binding = scopes.within(name)[0]?.binding;
    if (!binding || binding.owner === null) return undefined;
    found = memberName(node) === "value" || (node.object === name && isKind(name, "store", scopes));
    return !found;
  });
  return found;
}

function isKind(name: Node, kind: string, scopes: Scopes): boolean {
  const binding = scopes.within(name)[0]?.binding;
  return binding !== undefined && kindOf(binding, scopes) === kind;
}
