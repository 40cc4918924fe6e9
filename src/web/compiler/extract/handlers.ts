/** Validates the functions of event attributes, and finds the flags that are known at compile time. */
import type { ESTree } from "vite";
import { mayHoldSignals, type Module } from "../analyze/analyze.ts";
import {
  isComponentTag,
  isFunction,
  memberName,
  returnsOf,
  tagName,
  unwrap,
  walk,
  type FunctionNode,
  type Node,
} from "../parse/ast.ts";
import { diagnostic } from "../diagnostics.ts";
import { functionOf, initOf, svcName } from "../analyze/declaration-kinds.ts";
import { rootOfObject } from "../analyze/prop-names.ts";
import { readsStore } from "../analyze/store-items.ts";
import { isWrapper, makesFunctions } from "../analyze/returned-functions.ts";
import { isBind, propertyOf } from "../analyze/lifted.ts";
import type { Frame } from "../model.ts";
import type { Binding } from "../parse/scopes.ts";

/**
 * Checks a handler expression.
 * @param frames functions whose parameters the browser provides, such as `reset` of a fallback.
 * @param isView whether it is in a view, which may be inside of functions that run in the browser.
 * @throws SvcError SVC103 if it is neither a function nor a reference to one.
 */
export function checkHandler(
  module: Module,
  attribute: string,
  expression: Node,
  frames: readonly Frame[],
  isView = false,
): void {
  const handler = unwrap(expression);
  if (isFunction(handler) || isNothing(handler)) return;
  if (isChoice(handler)) {
    for (const part of choicesOf(handler)) checkHandler(module, attribute, part, frames, isView);
    return;
  }
  if (handler.type === "CallExpression" && makesHandler(module, handler)) return;
  if (handler.type === "Identifier") {
    const binding = referenceOf(module, handler)?.binding;
    if (!binding || ["function", "import", "let", "lifted"].includes(module.kind(binding))) return;
    if (module.kind(binding) === "value" && (binding.owner === null || isOfHook(binding))) return;
    if (isView && binding.owner !== null && !module.components.has(binding.owner)) return;
    if (frames.some(({ fn, isFallback }) => isFallback && fn === binding.owner)) return;
    if (binding.declared === "param" && binding.owner && takesHandlers(module, binding.owner)) return;
  }
  if (isMemberHandler(module, handler)) return;
  if (handler.type === "CallExpression") {
    const source = module.file.text.slice(handler.start, handler.end);
    const call = source.length > 60 ? "…" : source;
    const text = `${attribute} gets the result of a call, which is made while the page renders. Write ${attribute}={() => ${call}} to call it at the event, or ${attribute}={(event) => ${call}(event)} if it returns the handler.`;
    throw diagnostic(module.file, "SVC103", expression, text);
  }
  throw diagnostic(
    module.file,
    "SVC103",
    expression,
    `${attribute} needs a function or the name of one, so that the compiler can send it to the browser. Write ${attribute}={(event, element) => …} or name a function declared in this component or imported.`,
  );
}

function makesHandler(module: Module, call: ESTree.CallExpression): boolean {
  return makesFunction(module, call) || isCallOfHook(module, call) || isWrapper(module, call);
}

/** A member of an object that may contain functions: `actions.save`, `props.form.actions.save`. Stores contain none. */
function isMemberHandler(module: Module, expression: Node): boolean {
  const handler = expression.type === "ChainExpression" ? expression.expression : expression;
  if (handler.type !== "MemberExpression" || readsStore(module, handler)) return false;
  let root: Node = handler;
  while (root.type === "MemberExpression") root = unwrap(root.object);
  const binding = root.type === "Identifier" ? referenceOf(module, root)?.binding : undefined;
  const kind = binding && module.kind(binding);
  if (kind === "import" || kind === "lifted" || kind === "props") return true;
  if (!binding || kind !== "value") return false;
  return binding.owner === null || binding.declared === "param" || isOfHook(binding);
}

/** A component, a render prop of one, or a local function, which get their handlers as arguments. */
function takesHandlers(module: Module, fn: FunctionNode): boolean {
  if (module.components.has(fn)) return true;
  const parent = module.parentOf(fn);
  if (fn.id || parent?.type === "VariableDeclarator") return true;
  if (parent?.type !== "JSXExpressionContainer") return false;
  const holder = module.parentOf(parent);
  const opening = holder?.type === "JSXElement" ? holder.openingElement : holder && module.parentOf(holder);
  if (opening?.type !== "JSXOpeningElement") return false;
  return isComponentTag(tagName(opening.name)) && svcName(opening.name, module.scopes) === undefined;
}

/** A constant that may be a function of a hook, which the server describes to the browser. */
function isOfHook(binding: Binding): boolean {
  return binding.declared === "const" && mayHoldSignals(binding, "value");
}

/** `undefined`, `null` or a literal: an element without a handler. */
function isNothing(node: Node): boolean {
  return node.type === "Literal" ? !node.value : node.type === "Identifier" && node.name === "undefined";
}

function isChoice(node: Node): node is ESTree.ConditionalExpression | ESTree.LogicalExpression {
  return node.type === "ConditionalExpression" || node.type === "LogicalExpression";
}

/** The values that a condition may have. `isOpen && close` may also have the value of `isOpen`, which is no function if it is falsy. */
function choicesOf(node: ESTree.ConditionalExpression | ESTree.LogicalExpression): Node[] {
  if (node.type === "ConditionalExpression") return [node.consequent, node.alternate];
  return node.operator === "&&" ? [node.right] : [node.left, node.right];
}

/** `save.bind(null, 1)`, or the call of a local function that returns functions: `const select = (id) => () => …`. */
function makesFunction(module: Module, call: ESTree.CallExpression): boolean {
  const callee = unwrap(call.callee);
  const bound = isBind(call) && callee.type === "MemberExpression" ? unwrap(callee.object) : undefined;
  const name = bound ?? callee;
  const binding = name.type === "Identifier" ? referenceOf(module, name)?.binding : undefined;
  if (!binding) return false;
  const kind = module.kind(binding);
  if (bound) return kind === "function" || kind === "import" || kind === "lifted";
  const fn = functionOf(binding);
  return fn !== undefined && makesFunctions(fn);
}

/** `set("name")` or `form.set("name")` for a function that a hook returns. A call without arguments is likelier a mistake. */
export function isCallOfHook(module: Module, call: ESTree.CallExpression): boolean {
  const callee = unwrap(call.callee);
  const root = callee.type === "MemberExpression" ? unwrap(callee.object) : callee;
  const binding = root.type === "Identifier" ? referenceOf(module, root)?.binding : undefined;
  if (!binding || call.arguments.length === 0 || (callee.type === "MemberExpression" && isBind(call))) return false;
  return module.kind(binding) === "value" && binding.owner !== null && isOfHook(binding);
}

/** Whether a prop's expression has a function that the browser can create: a choice, a bound function, or a member of a lifted object. */
export function isFunctionExpression(module: Module, node: Node): boolean {
  if (isChoice(node)) return choicesOf(node).every((part) => isFunctionPart(module, unwrap(part)));
  if (node.type === "CallExpression") return makesFunction(module, node);
  return memberFunction(module, node) !== undefined || isOfModule(module, node);
}

/** `handlers.onClick` of an object that is imported or is a constant of the module. */
function isOfModule(module: Module, node: Node): boolean {
  const root = node.type === "MemberExpression" ? rootOfObject(node) : undefined;
  const binding = root && referenceOf(module, root)?.binding;
  return binding?.owner === null && (binding.declared === "import" || binding.declared === "const");
}

function isFunctionPart(module: Module, node: Node): boolean {
  if (isFunction(node) || isNothing(node) || declaredFunction(module, node)) return true;
  if (node.type === "MemberExpression" && isFunctionProp(memberName(node) ?? "")) return true;
  return isFunctionExpression(module, node);
}

/** Names of props whose functions are in the chunk of their file, because handlers call most of them. */
export function isFunctionProp(name: string): boolean {
  return /^on[A-Z]/.test(name);
}

function referenceOf(module: Module, node: Node) {
  return module.scopes.within(node).find((item) => item.node === node);
}

/** `!` if the handler always prevents the default, `.` if it always stops propagation. */
export function handlerFlags(module: Module, expression: Node): string {
  return isChoice(unwrap(expression)) ? "" : flagsOfAll(functionsOf(module, expression));
}

/** Flags of the handlers that a function returns: `(save) => (event) => { event.preventDefault(); save(); }`. */
export function madeFlags(fn: FunctionNode): string {
  return makesFunctions(fn) ? flagsOfAll(returnsOf(fn).map(unwrap).filter(isFunction)) : "";
}

function flagsOfAll(functions: readonly FunctionNode[]): string {
  const always = (method: string): boolean => functions.length > 0 && functions.every((fn) => alwaysCalls(fn, method));
  return (always("preventDefault") ? "!" : "") + (always("stopPropagation") ? "." : "");
}

/** The functions of this file that a handler expression may be. */
export function functionsOf(module: Module, expression: Node): FunctionNode[] {
  const handler = unwrap(expression);
  if (isFunction(handler)) return [handler];
  if (isChoice(handler)) return choicesOf(handler).flatMap((part) => functionsOf(module, part));
  if (handler.type === "CallExpression") {
    const maker = declaredFunction(module, unwrap(handler.callee));
    return maker && makesFunctions(maker) ? returnsOf(maker).map(unwrap).filter(isFunction) : [];
  }
  const fn = declaredFunction(module, handler) ?? memberFunction(module, handler);
  return fn ? [fn] : [];
}

function declaredFunction(module: Module, node: Node): FunctionNode | undefined {
  const binding = node.type === "Identifier" ? referenceOf(module, node)?.binding : undefined;
  return binding && functionOf(binding);
}

/** The function in `actions.save` for `const actions = { save: () => … }`. */
function memberFunction(module: Module, node: Node): FunctionNode | undefined {
  if (node.type !== "MemberExpression" || node.object.type !== "Identifier") return undefined;
  const binding = referenceOf(module, node.object)?.binding;
  const value = binding && propertyOf(initOf(binding), memberName(node));
  if (!value) return undefined;
  return isFunction(value) ? value : declaredFunction(module, unwrap(value));
}

/** Whether the call is at the top of the body, before any statement that could return or wait. */
function alwaysCalls(fn: FunctionNode, method: string): boolean {
  const event = fn.params[0];
  if (event?.type !== "Identifier" || fn.body === null) return false;
  const steps = fn.body.type === "BlockStatement" ? fn.body.body.flatMap(stepsOf) : stepsOf(fn.body);
  for (const step of steps) {
    if (isCallOf(step, event.name, method)) return true;
    if (mayLeave(step)) return false;
  }
  return false;
}

/** The expressions of a statement or arrow body: `(event.preventDefault(), save())` contains two. */
function stepsOf(node: Node): Node[] {
  const inner = node.type === "ExpressionStatement" ? unwrap(node.expression) : unwrap(node);
  if (inner.type === "SequenceExpression") return inner.expressions.flatMap(stepsOf);
  return inner.type === "UnaryExpression" && inner.operator === "void" ? stepsOf(inner.argument) : [inner];
}

function isCallOf(node: Node, object: string, method: string): boolean {
  const call = unwrap(node);
  if (call.type !== "CallExpression" || call.callee.type !== "MemberExpression") return false;
  const { callee } = call;
  return callee.object.type === "Identifier" && callee.object.name === object && memberName(callee) === method;
}

/** Whether a statement may end the function, or wait. */
export function mayLeave(statement: Node): boolean {
  let leaves = false;
  walk(statement, (node) => {
    if (isFunction(node)) return false;
    leaves ||= ["ReturnStatement", "ThrowStatement", "AwaitExpression", "YieldExpression"].includes(node.type);
    return !leaves;
  });
  return leaves;
}
