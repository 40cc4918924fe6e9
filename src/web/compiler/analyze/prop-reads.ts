/**
 * Finds the props that an expression of a component reads, directly or through constants and local functions of the component. A parent may
 * pass a prop that changes in the browser (emit/emit-live-props.ts), so what reads it may have to be updated.
 */
import { ALL_PROPS } from "../../../platform/shared/wire.ts";
import { isInside, type Module } from "./analyze.ts";
import { functionOf, svcName } from "./declaration-kinds.ts";
import { holdsJsx, isFunction, isJsx, memberName, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding, Reference } from "../parse/scopes.ts";
import { itemList } from "./store-items.ts";
import { heldName } from "./held-state.ts";
import { assigning, createsState, mayRunAgain } from "./repeatable.ts";
import { partsOf, valueSources } from "./value-sources.ts";

/** The component around a node. */
export function componentOf(module: Module, node: Node): FunctionNode | undefined {
  for (let at: Node | undefined = node; at; at = module.parentOf(at))
    if (isFunction(at) && module.components.has(at)) return at;
  return undefined;
}

/** Names of the props that the value of an expression depends on, sorted and separated by spaces; empty if there are none. */
export function propReads(module: Module, node: Node): string {
  const fn = componentOf(module, node);
  if (!fn?.params[0] || fn.params[0].type === "RestElement") return "";
  const names = new Set<string>();
  collect(module, fn, node, names, new Set());
  return joined(names);
}

/** Whether evaluating code reads props, apart from functions in it, which are called later. */
export function readsPropsNow(module: Module, code: Node): boolean {
  const later = partsOf(code, isFunction);
  return module.scopes
    .within(code)
    .some(({ node }) => !later.some((fn) => isInside(node, fn)) && propReads(module, node) !== "");
}

/** As `shownReads`, of several nodes. */
export function propsOfAll(module: Module, nodes: readonly Node[]): string {
  return joined(nodes.flatMap((node) => shownReads(module, node).split(" ")));
}

/** As `propReads`, with the names of values that may turn out to be stores (held-state.ts). */
export function shownReads(module: Module, node: Node): string {
  const fn = componentOf(module, node);
  if (!fn) return "";
  const names = new Set<string>();
  collect(module, fn, node, names, new Set(), true);
  return joined(names);
}

/** As `shownReads`, and the same of the lists whose items the expression reads: their fields may change too. */
export function passedReads(module: Module, node: Node): string {
  const names = shownReads(module, node).split(" ");
  for (const { binding } of module.scopes.within(node)) {
    const list = binding && !isInside(binding.node, node) ? itemList(module, binding) : undefined;
    if (list) names.push(...passedReads(module, list).split(" "));
  }
  return joined(names);
}

/** Each name once, sorted and separated by spaces. */
function joined(names: Iterable<string>): string {
  return [...new Set(names)].filter(Boolean).sort().join(" ");
}

/** @param withHeld whether the names of values that may be stores count, apart from those that rows show */
function collect(
  module: Module,
  fn: FunctionNode,
  node: Node,
  names: Set<string>,
  seen: Set<Node>,
  withHeld = false,
): void {
  if (seen.has(node)) return;
  seen.add(node);
  const marked = untracked(module, node);
  const isHeldShown = withHeld && !showsRows(node);
  for (const reference of module.scopes.within(node)) {
    const { binding } = reference;
    if (!binding || isInside(binding.node, node) || binding.owner !== fn) continue;
    if (marked.some((call) => isInside(reference.node, call))) continue;
    const held = isHeldShown ? heldName(module, fn, binding) : undefined;
    if (held !== undefined) names.add(held);
    const name = propOf(fn, reference, binding);
    if (name !== undefined) names.add(name);
    if (binding.declared === "param") collectDefault(module, fn, binding, names, seen);
    for (const source of derivedFrom(module, binding)) collect(module, fn, source, names, seen, isHeldShown);
  }
}

/** Whether content contains rows, outside of elements in it: `list.map((item) => <li>…</li>)`. */
export function showsRows(content: Node): boolean {
  let found = false;
  walk(content, (node) => {
    if (isJsx(node) && node !== content) return false;
    if (isFunction(node) && node !== content && holdsJsx(node)) found = true;
    return !found;
  });
  return found;
}

/**
 * Names of the props that a name depends on through code that the browser can't run again (value-sources.ts), as in `propReads`: its value
 * stays the first one.
 */
export function keptReads(module: Module, name: Node): string {
  const followed = new Set(propReads(module, name).split(" "));
  return codeReads(module, name)
    .filter((one) => !followed.has(one))
    .join(" ");
}

/** Names of the props that code depends on, apart from what JSX in it shows. */
export function codeReads(module: Module, code: Node): string[] {
  const fn = componentOf(module, code);
  const names = new Set<string>();
  if (fn?.params[0]) collectKept(module, fn, code, names, new Set());
  return [...names].sort();
}

function collectKept(module: Module, fn: FunctionNode, node: Node, names: Set<string>, seen: Set<Node>): void {
  if (seen.has(node)) return;
  seen.add(node);
  // What JSX shows of props has bindings of its own, and state has its own first value.
  const others = partsOf(
    node,
    (part) =>
      isJsx(part) ||
      (part.type === "CallExpression" &&
        (svcName(part.callee, module.scopes) === "untrack" || createsState(module, part.callee))),
  );
  for (const reference of module.scopes.within(node)) {
    const { binding } = reference;
    if (!binding || isInside(binding.node, node) || binding.owner !== fn) continue;
    if (others.some((other) => isInside(reference.node, other))) continue;
    const name = propOf(fn, reference, binding);
    if (name !== undefined) names.add(name);
    if (CREATED.has(module.kind(binding))) continue;
    for (const source of valueSources(module, binding)) collectKept(module, fn, source, names, seen);
  }
}

/** Calls of `untrack`, whose values are meant to stay. */
function untracked(module: Module, root: Node): Node[] {
  const found: Node[] = [];
  walk(root, (node) => {
    if (node.type === "CallExpression" && svcName(node.callee, module.scopes) === "untrack") found.push(node);
  });
  return found;
}

/** The prop that a reference reads, if it is one of the component's props. */
function propOf(fn: FunctionNode, reference: Reference, binding: Binding): string | undefined {
  const [param] = fn.params;
  if (binding.declared !== "param" || !param || !isInside(binding.node, param)) return undefined;
  if (param === binding.node) return memberOf(reference);
  const property = topProperty(param, binding);
  if (!property) return undefined;
  if (property.type === "RestElement") return memberOf(reference);
  return property.type === "Property" && property.key.type === "Identifier" && !property.computed
    ? property.key.name
    : ALL_PROPS;
}

function memberOf({ node, parent }: Reference): string {
  const name = parent.type === "MemberExpression" && parent.object === node ? memberName(parent) : undefined;
  return name ?? ALL_PROPS;
}

/** The property or rest of a component's destructured props that declares a name. */
export function topProperty(param: Node, { node }: Pick<Binding, "node">): Node | undefined {
  const pattern = param.type === "AssignmentPattern" ? param.left : param;
  if (pattern.type !== "ObjectPattern") return undefined;
  return pattern.properties.find((item) => isInside(node, item));
}

/** `rest` of a component that takes `{ text, ...rest }`. */
export function isRestOfProps({ declared, owner, node }: Binding): boolean {
  const param = declared === "param" ? owner?.params[0] : undefined;
  return param !== undefined && topProperty(param, { node })?.type === "RestElement";
}

function collectDefault(module: Module, fn: FunctionNode, binding: Binding, names: Set<string>, seen: Set<Node>): void {
  const property = fn.params[0] && topProperty(fn.params[0], binding);
  if (property?.type === "Property" && property.value.type === "AssignmentPattern")
    collect(module, fn, property.value.right, names, seen);
}

/** Kinds of names whose values are created once and stay: state, and what holds it. */
const CREATED = new Set(["signal", "store", "resource", "ref", "import", "class", "props", "awaited"]);

/** The source of a constant, variable or local function that follows what it is made from. */
function derivedFrom(module: Module, binding: Binding): readonly Node[] {
  if (binding.declared === "param") return [];
  if (module.kind(binding) === "let") return assigning(module, binding)?.statements ?? [];
  if (CREATED.has(module.kind(binding))) return [];
  const fn = functionOf(binding);
  if (fn) return [fn];
  const { source } = binding;
  if (source.type !== "VariableDeclarator" || binding.declared !== "const" || !source.init) return [];
  return mayRunAgain(module, unwrap(source.init)) ? [source.init] : [];
}
