/**
 * Finds what a member or a row's item comes from: a constant with JSX, or a prop. `views[tab.value]`, `props.tabs[at.value]?.content`, and
 * `tab.content` in the rows of `props.tabs`.
 */
import type { ESTree } from "vite";
import { isFunction, memberName, returnsOf, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";
import type { Module } from "./analyze.ts";
import { functionOf, initOf } from "./declaration-kinds.ts";
import { hasAttribute } from "../extract/jsx-forms.ts";
import { decidingLiveness } from "./shown-liveness.ts";
import { bindingAt, propNamed } from "./prop-names.ts";
import { componentOf } from "./prop-reads.ts";
import { listOfRow } from "./store-items.ts";

/** A step from a value to one of its members. `ANY`: an item of a list, or a member whose name is known only later. */
export type Step = string | typeof ANY;
export const ANY = Symbol("any member");

/** The constant or prop that contains a value, and the way to it. */
export interface Origin {
  /** The value of the constant; undefined for a prop. */
  init: Node | undefined;
  prop: { fn: FunctionNode; name: string } | undefined;
  path: readonly Step[];
  /** Whether it is in the item of a row that the browser updates. */
  isOfRow: boolean;
}

/** Methods of a list whose results contain the same items. */
const KEEPING_ITEMS = new Set(["filter", "slice", "sort", "reverse", "toSorted", "toReversed", "concat"]);
/** Methods of a list that return an item. */
const FINDING_ITEM = new Set(["at", "find", "findLast"]);

/** Undefined for a value that comes from anything else. */
export function originOf(module: Module, node: Node, steps: readonly Step[] = []): Origin | undefined {
  const inner = unwrap(node);
  if (inner.type === "ChainExpression") return originOf(module, inner.expression, steps);
  const fn = componentOf(module, inner);
  const name = fn && propNamed(module, fn, inner);
  if (fn && name !== undefined) return { init: undefined, prop: { fn, name }, path: steps, isOfRow: false };
  const [made] = madeBy(module, inner);
  if (made) return originOf(module, made, steps);
  if (inner.type === "MemberExpression") return originOf(module, inner.object, [stepOf(inner), ...steps]);
  if (inner.type === "CallExpression") return originOfItems(module, inner, steps);
  const binding = inner.type === "Identifier" ? bindingAt(module, inner) : undefined;
  return binding && originOfName(module, binding, steps);
}

/** What a call of a local function returns, or the function of a computed whose value is read: `pick()`, `view.value`. */
export function madeBy(module: Module, node: Node): Node[] {
  const inner = unwrap(node);
  const isCall = inner.type === "CallExpression";
  const isRead = inner.type === "MemberExpression" && memberName(inner) === "value";
  const binding = isCall || isRead ? bindingAt(module, unwrap(isCall ? inner.callee : inner.object)) : undefined;
  const fn = binding && (isCall ? functionOf(binding) : functionOfComputed(module, binding));
  return fn && !isReachedFrom(module, fn, fn) ? returnsOf(fn) : [];
}

function functionOfComputed(module: Module, binding: Binding): FunctionNode | undefined {
  const init = module.kind(binding) === "computed" ? initOf(binding) : undefined;
  const fn = init?.type === "CallExpression" ? init.arguments[0] : undefined;
  return fn && isFunction(fn) ? fn : undefined;
}

/** Whether the code of a function leads to `target` by the names of functions and computeds. A function that calls itself has no one result. */
function isReachedFrom(module: Module, code: Node, target: FunctionNode, seen = new Set<Node>()): boolean {
  return module.scopes.within(code).some(({ binding }) => {
    const fn = binding && (functionOf(binding) ?? functionOfComputed(module, binding));
    if (!fn || seen.has(fn)) return false;
    seen.add(fn);
    return fn === target || isReachedFrom(module, fn, target, seen);
  });
}

function stepOf(node: ESTree.MemberExpression): Step {
  const { property } = node;
  if (!node.computed) return memberName(node) ?? ANY;
  return property.type === "Literal" && typeof property.value === "string" ? property.value : ANY;
}

function originOfItems(module: Module, call: ESTree.CallExpression, steps: readonly Step[]): Origin | undefined {
  const callee = unwrap(call.callee);
  const method = callee.type === "MemberExpression" ? memberName(callee) : undefined;
  if (callee.type !== "MemberExpression" || method === undefined) return undefined;
  if (KEEPING_ITEMS.has(method)) return originOf(module, callee.object, steps);
  return FINDING_ITEM.has(method) ? originOf(module, callee.object, [ANY, ...steps]) : undefined;
}

function originOfName(module: Module, binding: Binding, steps: readonly Step[]): Origin | undefined {
  if (binding.declared === "param") {
    const item = binding.owner?.params[0];
    const list = binding.owner && listBehind(module, binding.owner);
    const path = item && pathIn(item, binding.node);
    const origin = list && path && originOf(module, list, [ANY, ...path, ...steps]);
    return origin ? { ...origin, isOfRow: origin.isOfRow || isUpdated(module, list, binding) } : undefined;
  }
  const init = binding.declared === "const" ? initOf(binding) : undefined;
  if (!init) return undefined;
  return originOf(module, init, steps) ?? { init, prop: undefined, path: steps, isOfRow: false };
}

/** Whether the browser updates the rows of a list. */
function isUpdated(module: Module, list: Node, { owner }: Binding): boolean {
  const container = owner && module.parentOf(owner);
  const element = container && module.parentOf(container);
  const isVirtual = element?.type === "JSXElement" && hasAttribute(element, "virtual");
  return isVirtual || decidingLiveness(module, list) !== "static";
}

/** The list of a row, or of a function that a list calls for each item: `tabs.map((tab) => tab.content)`. */
function listBehind(module: Module, fn: FunctionNode): Node | undefined {
  const call = module.parentOf(fn);
  const callee = call?.type === "CallExpression" && call.arguments[0] === fn ? unwrap(call.callee) : undefined;
  if (callee?.type === "MemberExpression" && memberName(callee) === "map") return callee.object;
  return listOfRow(module, fn);
}

/** `{ a: { b } }` and `b` -> `["a", "b"]`. */
function pathIn(pattern: Node, name: Node): Step[] | undefined {
  if (pattern === name) return [];
  if (pattern.type !== "ObjectPattern") return undefined;
  for (const property of pattern.properties) {
    if (property.type !== "Property" || property.computed || property.key.type !== "Identifier") continue;
    const path = pathIn(property.value, name);
    if (path) return [property.key.name, ...path];
  }
  return undefined;
}

/** What the literal of a constant has at the end of a path; all possible values, if names or indices are known only later. */
export function valuesAt(init: Node, path: readonly Step[]): Node[] {
  const inner = unwrap(init);
  const [step, ...rest] = path;
  if (step === undefined) return [inner];
  if (inner.type === "ConditionalExpression")
    return [...valuesAt(inner.consequent, path), ...valuesAt(inner.alternate, path)];
  if (inner.type === "ArrayExpression" && (step === ANY || /^\d+$/.test(step)))
    return inner.elements.flatMap((item) => (item && item.type !== "SpreadElement" ? valuesAt(item, rest) : []));
  if (inner.type !== "ObjectExpression") return [];
  return inner.properties.flatMap((property) => {
    if (property.type !== "Property") return [];
    return step === ANY || keyOf(property) === step ? valuesAt(property.value, rest) : [];
  });
}

function keyOf({ key, computed }: ESTree.ObjectProperty): string | undefined {
  if (key.type === "Identifier" && !computed) return key.name;
  return key.type === "Literal" ? String(key.value) : undefined;
}

/** Functions that a call may call, if its callee is no name of a function: `views[mode.value]()`. */
export function functionsAt(module: Module, callee: Node): FunctionNode[] {
  const origin = functionNamed(module, callee) ? undefined : originOf(module, callee);
  const values = origin?.init ? valuesAt(origin.init, origin.path) : [];
  return values.flatMap((value) => (isFunction(value) ? [value] : (functionNamed(module, value) ?? [])));
}

function functionNamed(module: Module, node: Node): FunctionNode | undefined {
  const binding = bindingAt(module, unwrap(node));
  return binding && functionOf(binding);
}

/** The prop that contains the item of a row, and JSX that the constant behind the item contains. */
export function givenItem(module: Module, item: Node): { props: string; init: Node | undefined } | undefined {
  if (bindingAt(module, item)?.declared !== "param") return undefined;
  const origin = originOf(module, item);
  return origin && { props: origin.prop?.name ?? "", init: origin.init };
}
