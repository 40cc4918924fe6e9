/**
 * Finds the props that an expression of a component reads, directly or through constants and local functions of the component. A parent may
 * pass a prop that changes in the browser (emit/emit-live-props.ts), so what reads it may have to be updated.
 */
import { ALL_PROPS } from "../../../platform/shared/wire.ts";
import { isInside, type AwaitedValue, type Module } from "./analyze.ts";
import { functionOf, initOf, svcName } from "./declaration-kinds.ts";
import { isFunction, isJsx, memberName, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
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

/**
 * As `propReads`, with the names of values that may turn out to be stores (held-state.ts), and the same of the lists whose items the
 * expression reads: their fields may change too.
 */
export function shownReads(module: Module, node: Node): string {
  const fn = componentOf(module, node);
  if (!fn) return "";
  const names = new Set<string>();
  collect(module, fn, node, names, new Set(), true);
  return joined(names);
}

/** Each name once, sorted and separated by spaces. */
function joined(names: Iterable<string>): string {
  return [...new Set(names)].filter(Boolean).sort().join(" ");
}

/** @param withHeld whether the names of values that may be stores count, and the items of lists */
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
  for (const reference of module.scopes.within(node)) {
    const { binding } = reference;
    if (!binding || isInside(binding.node, node)) continue;
    if (marked.some((call) => isInside(reference.node, call))) continue;
    const list = withHeld ? itemList(module, binding) : undefined;
    if (list) collect(module, fn, list, names, seen, withHeld);
    const awaited = module.awaitedValue(binding);
    if (awaited) collect(module, fn, sourceOf(awaited), names, seen, withHeld);
    if (binding.owner !== fn) continue;
    const held = withHeld ? heldName(module, fn, binding) : undefined;
    if (held !== undefined) names.add(held);
    const name = propOf(module, fn, reference, binding);
    if (name !== undefined) names.add(name);
    collectDefault(module, fn, binding, names, seen);
    for (const source of derivedFrom(module, fn, binding)) collect(module, fn, source, names, seen, withHeld);
  }
}

/** What decides the value of an `<Await>`: the source of a resource, or the value itself. */
function sourceOf({ value, resource }: AwaitedValue): Node {
  const call = resource && initOf(resource);
  return (call?.type === "CallExpression" && call.arguments[0]) || value;
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
    const name = propOf(module, fn, reference, binding);
    if (name !== undefined) names.add(name);
    if (CREATED.has(module.kind(binding)) || isRestConstant(module, fn, binding)) continue;
    const isTaken = takenByConstant(module, fn, binding) !== undefined;
    for (const source of valueSources(module, binding))
      if (!isTaken || source.type !== "Identifier") collectKept(module, fn, source, names, seen);
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
function propOf(module: Module, fn: FunctionNode, reference: Reference, binding: Binding): string | undefined {
  if (isRestConstant(module, fn, binding)) return memberOf(reference);
  const taken = takenByConstant(module, fn, binding);
  if (taken) return nameOfProperty(taken);
  const [param] = fn.params;
  if (binding.declared !== "param" || !param || !isInside(binding.node, param)) return undefined;
  if (param === binding.node) return memberOf(reference);
  const property = topProperty(param, binding);
  if (!property) return undefined;
  if (property.type === "RestElement") return memberOf(reference);
  return nameOfProperty(property);
}

function nameOfProperty(property: Node): string {
  return property.type === "Property" && property.key.type === "Identifier" && !property.computed
    ? property.key.name
    : ALL_PROPS;
}

function memberOf({ node, parent }: Reference): string {
  // `<props.as />`
  if (parent.type === "JSXMemberExpression" && parent.object === node) return parent.property.name;
  const name = parent.type === "MemberExpression" && parent.object === node ? memberName(parent) : undefined;
  return name ?? ALL_PROPS;
}

/** The property or rest of a component's destructured props that declares a name. */
export function topProperty(param: Node, { node }: Pick<Binding, "node">): Node | undefined {
  const pattern = param.type === "AssignmentPattern" ? param.left : param;
  if (pattern.type !== "ObjectPattern") return undefined;
  return pattern.properties.find((item) => isInside(node, item));
}

/** Whether a parameter is the props of a component, or the rest of them. */
export function isProps(fn: FunctionNode, { declared, node }: Binding): boolean {
  const [param] = fn.params;
  if (declared !== "param" || !param) return false;
  return node === param || topProperty(param, { node })?.type === "RestElement";
}

/** `rest` of `const { text, ...rest } = props`, or of another such constant. */
export function isRestConstant(module: Module, fn: FunctionNode, { declared, source, node }: Binding): boolean {
  if (declared !== "const" || source.type !== "VariableDeclarator" || source.init?.type !== "Identifier") return false;
  if (topProperty(source.id, { node })?.type !== "RestElement") return false;
  const from = module.scopes.within(source.init)[0]?.binding;
  return from?.owner === fn && (isProps(fn, from) || isRestConstant(module, fn, from));
}

/** The property of `const { text } = props` that declares a name, also of the rest of the props. */
function takenByConstant(module: Module, fn: FunctionNode, { declared, source, node }: Binding): Node | undefined {
  if (declared !== "const" || source.type !== "VariableDeclarator" || source.init?.type !== "Identifier")
    return undefined;
  const property = topProperty(source.id, { node });
  const from = module.scopes.within(source.init)[0]?.binding;
  const isOfProps = from?.owner === fn && (isProps(fn, from) || isRestConstant(module, fn, from));
  return isOfProps && property?.type === "Property" ? property : undefined;
}

/** Whether a name is the rest of a component's props: `({ text, ...rest })`, or `const { text, ...rest } = props`. */
export function isRestOfProps(module: Module, binding: Binding): boolean {
  const { declared, owner, node } = binding;
  if (!owner) return false;
  const param = declared === "param" ? owner.params[0] : undefined;
  if (param) return topProperty(param, { node })?.type === "RestElement";
  return isRestConstant(module, owner, binding);
}

function collectDefault(module: Module, fn: FunctionNode, binding: Binding, names: Set<string>, seen: Set<Node>): void {
  const property =
    takenByConstant(module, fn, binding) ??
    (binding.declared === "param" && fn.params[0] ? topProperty(fn.params[0], binding) : undefined);
  if (property?.type === "Property" && property.value.type === "AssignmentPattern")
    collect(module, fn, property.value.right, names, seen);
}

/** Kinds of names whose values are created once and stay: state, and what holds it. */
const CREATED = new Set(["signal", "store", "resource", "ref", "import", "class", "props", "awaited"]);

/** The source of a constant, variable or local function that follows what it is made from. */
function derivedFrom(module: Module, component: FunctionNode, binding: Binding): readonly Node[] {
  if (binding.declared === "param" || isRestConstant(module, component, binding)) return [];
  if (takenByConstant(module, component, binding)) return [];
  if (module.kind(binding) === "let") return assigning(module, binding)?.statements ?? [];
  if (CREATED.has(module.kind(binding))) return [];
  const fn = functionOf(binding);
  if (fn) return [fn];
  const { source } = binding;
  if (source.type !== "VariableDeclarator" || binding.declared !== "const" || !source.init) return [];
  return mayRunAgain(module, unwrap(source.init)) ? [source.init] : [];
}
