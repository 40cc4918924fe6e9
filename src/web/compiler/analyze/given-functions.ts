/**
 * Finds functions that are in objects and arrays which components, contexts and hooks get. Browser code needs them only if it captures the
 * prop, the context or the parameter of the hook.
 */
import type { ESTree } from "vite";
import type { Module } from "./analyze.ts";
import { contextName } from "./context-names.ts";
import { functionOf, initOf, svcImport, svcName } from "./declaration-kinds.ts";
import { holdsFunctions } from "./holds-functions.ts";
import { givenTo, givenToResult, memberOfOrigin } from "./origins.ts";
import { isPropsObject } from "./prop-names.ts";
import { componentOf } from "./prop-reads.ts";
import { calledCode } from "./repeated-calls.ts";
import { holdsJsx, isComponentTag, isFunction, tagName, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";

/** Expressions that pass on a value: in an object or array, as a choice, or under another type. */
const AROUND = new Set([
  "Property",
  "ObjectExpression",
  "ArrayExpression",
  "SpreadElement",
  "ConditionalExpression",
  "LogicalExpression",
  "ParenthesizedExpression",
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
]);

/**
 * The names of the props, contexts and hooks that get a function, or an object of a module with functions, as a part of their value. Empty
 * for other nodes.
 */
export function receiversOf(module: Module, node: Node): string[] {
  const root = rootOfName(node);
  if (!isFunction(node) && !(root && namesFunction(module, root))) return [];
  if (holdsJsx(node) || isOwnPlace(module, node)) return [];
  const isPart = root !== undefined && isObjectOfModule(module, root);
  return [...new Set(receivers(module, node, isPart, undefined, new Set()))];
}

/** Whether an expression is the name of a constant, function or import of the module, or a member of it: the browser has it as well. */
export function isOfModule(module: Module, node: Node): boolean {
  const root = rootOfName(node);
  return root !== undefined && bindingOf(module, root)?.owner === null;
}

/** Imports of the app and of packages that components, contexts and hooks get. Only their modules show whether they are functions. */
export function givenImports(module: Module): Binding[] {
  const found = module.scopes.references.filter(({ node, binding, parent }) => {
    if (binding?.declared !== "import" || svcImport(binding) !== undefined || isComponentName(binding.name))
      return false;
    const value = valueWith(module, node, parent);
    return makesCalled(module, value) || receivers(module, value, true, undefined, new Set()).length > 0;
  });
  return [...new Set(found.flatMap(({ binding }) => binding ?? []))];
}

/** Whether a call makes a constant of a component that is called as a function: `const format = currency("EUR")` and `format(1)`. */
function makesCalled(module: Module, value: Node): boolean {
  const declarator = value.type === "CallExpression" ? module.parentOf(value) : undefined;
  const binding = declarator?.type === "VariableDeclarator" ? module.scopes.bindingAt(declarator.id) : undefined;
  if (!binding?.owner) return false;
  return module.scopes.references.some(
    (one) => one.binding === binding && one.parent.type === "CallExpression" && one.parent.callee === one.node,
  );
}

/** The value that a name is a part of: `rules.min` and `min(3)`, or a call that gets it. */
function valueWith(module: Module, name: Node, parent: Node): Node {
  let at = name;
  for (let next: Node | undefined = parent; next; next = module.parentOf(at)) {
    const isMember = next.type === "MemberExpression" && next.object === at;
    if (!isMember && (next.type !== "CallExpression" || givenTo(module, next) !== undefined)) return at;
    at = next;
  }
  return at;
}

/** `Home` and `HomePage`, but not `RULES`. */
function isComponentName(name: string): boolean {
  return /^[A-Z](?:$|.*[a-z])/.test(name);
}

/** `RULES` of `RULES` and of `RULES.name`. */
function rootOfName(node: Node): Node | undefined {
  const root = node.type === "MemberExpression" && !node.computed ? unwrap(node.object) : node;
  return root.type === "Identifier" ? root : undefined;
}

function isObjectOfModule(module: Module, name: Node): boolean {
  const binding = bindingOf(module, name);
  return binding?.owner === null && functionOf(binding) === undefined;
}

/** A setter, or the value of a computed property. */
function isOwnPlace(module: Module, node: Node): boolean {
  const parent = module.parentOf(node);
  return (
    parent?.type === "Property" &&
    (parent.kind === "set" || (parent.computed && (parent.method || parent.kind === "get")))
  );
}

/** Whether a name refers to a function, or to a constant of a module with functions. Members of other names have a value that the server knows. */
function namesFunction(module: Module, name: Node): boolean {
  const binding = bindingOf(module, name);
  if (!binding || binding.declared === "param") return false;
  if (binding.declared === "import") return module.functionImports.values.has(binding.name);
  const isMember = module.parentOf(name)?.type === "MemberExpression";
  if (isMember && binding.owner !== null) return false;
  const fn = functionOf(binding);
  if (fn) return !holdsJsx(fn) && !module.components.has(fn);
  const init = binding.owner === null && binding.declared === "const" ? initOf(binding) : undefined;
  return init !== undefined && holdsFunctions(init, module.scopes);
}

function bindingOf(module: Module, name: Node) {
  return module.scopes.within(name).find(({ node }) => node === name)?.binding;
}

/** The names of the props, contexts and hooks that get the value of an expression, alone or as a part of their value. */
export function receiversOfValue(module: Module, node: Node): string[] {
  return [...new Set(receivers(module, node, true, undefined, new Set()))];
}

/** @param isPart whether the value is a part of another one. @param key of the outermost object around it */
function receivers(module: Module, start: Node, isPart: boolean, key: string | undefined, seen: Set<Node>): string[] {
  let inner = start;
  let member = key;
  let isMember = isPart;
  let at = module.parentOf(start);
  while (at && isAround(at, inner)) {
    if (at.type === "Property") member = !at.computed && at.key.type === "Identifier" ? at.key.name : undefined;
    if (at.type === "SpreadElement" || at.type === "ArrayExpression") member = undefined;
    isMember ||= at.type === "Property" || at.type === "ArrayExpression";
    inner = at;
    at = module.parentOf(at);
  }
  if (!at || seen.has(inner)) return [];
  seen.add(inner);
  const maker = isMember ? functionReturning(module, at, inner) : undefined;
  if (maker) return callsOf(module, maker).flatMap((call) => receivers(module, call, true, undefined, seen));
  if (at.type === "VariableDeclarator" && at.init === inner) return ofConstant(module, at, isMember, member, seen);
  if (at.type === "JSXExpressionContainer") return ofAttribute(module, module.parentOf(at), isMember, member);
  if (at.type === "AssignmentPattern" && at.right === inner) return ofDefault(module, at);
  if (at.type !== "CallExpression" || at.callee === inner) return [];
  const given = givenTo(module, at) ?? givenToResult(module, at);
  return given === undefined ? [] : [given];
}

/** The function inside of a component that returns a value. */
function functionReturning(module: Module, at: Node, inner: Node): FunctionNode | undefined {
  let fn: Node | undefined = at;
  if (at.type === "ReturnStatement") while (fn && !isFunction(fn)) fn = module.parentOf(fn);
  if (!fn || !isFunction(fn) || module.components.has(fn)) return undefined;
  return at.type === "ReturnStatement" || fn.body === inner ? fn : undefined;
}

/** Calls whose results contain what a function returns: `ids.map((id) => …)`, `ids.map(toItem)` and `toItem("a")`. */
function callsOf(module: Module, fn: FunctionNode): Node[] {
  const parent = module.parentOf(fn);
  if (parent?.type === "CallExpression") return parent.callee === fn || !runs(module, parent, fn) ? [] : [parent];
  const binding = functionBinding(module, fn);
  return module.scopes.references.flatMap((one) => {
    if (binding === undefined || one.binding !== binding || one.parent.type !== "CallExpression") return [];
    return one.parent.callee === one.node || runs(module, one.parent, fn) ? [one.parent] : [];
  });
}

function runs(module: Module, call: ESTree.CallExpression, fn: FunctionNode): boolean {
  return calledCode(call, module.scopes)?.bodies.includes(fn) ?? false;
}

function functionBinding(module: Module, fn: FunctionNode): Binding | undefined {
  if (fn.id) return module.scopes.bindingAt(fn.id);
  const parent = module.parentOf(fn);
  return parent?.type === "VariableDeclarator" ? module.scopes.bindingAt(parent.id) : undefined;
}

function isAround(at: Node, inner: Node): boolean {
  if (at.type === "Property") return at.value === inner;
  if (at.type === "ConditionalExpression") return at.test !== inner;
  return AROUND.has(at.type);
}

function ofConstant(
  module: Module,
  { id }: ESTree.VariableDeclarator,
  isMember: boolean,
  member: string | undefined,
  seen: Set<Node>,
): string[] {
  const binding = id.type === "Identifier" && isMember ? module.scopes.bindingAt(id) : undefined;
  if (!binding?.owner) return [];
  return module.scopes.references.flatMap((one) =>
    one.binding === binding && one.node !== id ? receivers(module, one.node, true, member, seen) : [],
  );
}

/** The prop with a default value: `onPick` in `({ onPick = () => {} }) => …` and in `const { onPick = noop } = props`. */
function ofDefault(module: Module, pattern: Node): string[] {
  const property = module.parentOf(pattern);
  const object = property && module.parentOf(property);
  if (property?.type !== "Property" || property.key.type !== "Identifier" || !object) return [];
  const at = module.parentOf(object);
  const isParam = at !== undefined && isFunction(at) && module.components.has(at) && at.params[0] === object;
  const isConstant = at?.type === "VariableDeclarator" && at.init !== null && namesProps(module, at.init);
  return isParam || isConstant ? [property.key.name] : [];
}

function namesProps(module: Module, init: Node): boolean {
  const fn = componentOf(module, init);
  return fn !== undefined && isPropsObject(module, fn, unwrap(init));
}

function ofAttribute(
  module: Module,
  attribute: Node | undefined,
  isMember: boolean,
  member: string | undefined,
): string[] {
  const element = attribute?.type === "JSXAttribute" ? module.parentOf(attribute) : undefined;
  if (element?.type !== "JSXOpeningElement" || attribute?.type !== "JSXAttribute") return [];
  const { name } = element;
  if (name.type === "JSXMemberExpression" && name.property.name === "Provider")
    return [memberOfOrigin(contextName(module, name.object), member)];
  const isComponent = isComponentTag(tagName(name)) && svcName(name, module.scopes) === undefined;
  return isMember && isComponent && attribute.name.type === "JSXIdentifier" ? [attribute.name.name] : [];
}
