/**
 * `preventDefault` before a handler's code has loaded: conditions that the page evaluates at once (src/web/ssr/early-conditions.ts), and
 * calls that would come too late for the first event.
 */
import type { ESTree } from "vite";
import { isInside, type Module } from "../analyze/analyze.ts";
import { functionOf } from "../analyze/declaration-kinds.ts";
import { shortHash } from "../build/manifest.ts";
import { childrenOf, isFunction, isJsx, memberName, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import { diagnostic } from "../diagnostics.ts";
import { functionsOf, handlerFlags, mayLeave } from "./handlers.ts";

/** A function of the event and the element that decides whether to prevent the default action. */
export interface Condition {
  /** Source of a function expression. */
  text: string;
  /** Identifies it in pages. */
  key: string;
}

/** Syntax whose meaning depends on code around the function. */
const OUTER = new Set(["ThisExpression", "AwaitExpression", "YieldExpression", "ImportExpression", "MetaProperty"]);

/** @throws SvcError SVC103 if the condition is no function, or uses more than its parameters and names of the browser. */
export function conditionOf(
  module: Module,
  attribute: string,
  { key, value, method }: ESTree.ObjectProperty,
): Condition {
  const inner = unwrap(value);
  const fn = isFunction(inner) ? inner : namedFunction(module, inner);
  const text = fn && (method ? "function " : "") + module.file.text.slice(fn.start, fn.end);
  const outside = fn && outsideOf(module, fn);
  if (fn && text !== undefined && outside === undefined) return { text, key: shortHash(text) };
  const cause =
    outside === undefined
      ? "it is neither a literal true or false nor a function"
      : `"${outside}" is not part of the function`;
  throw diagnostic(
    module.file,
    "SVC103",
    fn ?? key,
    `preventDefault of ${attribute} is evaluated before any code has loaded, but ${cause}. Write a function that uses only the event, the element and names of the browser: preventDefault: (event, element) => event.key === "Enter".`,
  );
}

function namedFunction(module: Module, node: Node): FunctionNode | undefined {
  const binding = node.type === "Identifier" ? module.scopes.within(node)[0]?.binding : undefined;
  return binding && functionOf(binding);
}

/** A name or keyword in the function that only has a meaning outside of it. */
function outsideOf(module: Module, fn: FunctionNode): string | undefined {
  if (fn.async || fn.generator) return fn.async ? "async" : "function*";
  const reference = module.scopes.within(fn).find(({ binding }) => binding && !isInside(binding.node, fn));
  if (reference) return reference.name;
  let found: string | undefined;
  walk(fn, (node) => {
    if (OUTER.has(node.type) || isJsx(node)) found ??= module.file.text.slice(node.start, node.end);
    return found === undefined;
  });
  return found;
}

/** SVC125: a call of `preventDefault` that the page can't decide before the handler's code has loaded. */
export function refuseLatePrevention(module: Module, attribute: string, handler: Node, isGlobal: boolean): void {
  const functions = functionsOf(module, handler);
  if (!isGlobal && handlerFlags(module, handler).includes("!")) return;
  for (const fn of functions) {
    const call = lateCall(module, fn, 0, new Set());
    if (!call) continue;
    const test = testAround(module, fn, call);
    const example = attribute.startsWith("onKey") ? '(event) => event.key === "Enter"' : "true";
    const condition = test ?? example;
    const more =
      condition === "true" ? " For a condition, give preventDefault a function of the event and the element." : "";
    throw diagnostic(
      module.file,
      "SVC125",
      call,
      `This preventDefault runs only when the code of ${attribute} has loaded, which is too late for the first event. Decide it in the page: ${attribute}={{ preventDefault: ${condition}, handler: … }}.${more} If the first event may keep its default action, write preventDefault: false instead.`,
    );
  }
}

/** The first call of `preventDefault` of the parameter `index`, in the function or in a function of this file that receives it. */
function lateCall(module: Module, fn: FunctionNode, index: number, seen: Set<FunctionNode>): Node | undefined {
  const param = fn.params[index];
  if (!param || fn.body === null || seen.has(fn)) return undefined;
  seen.add(fn);
  const name = param.type === "Identifier" ? param.name : undefined;
  const own = param.type === "ObjectPattern" ? destructured(param) : undefined;
  let found: Node | undefined;
  walk(fn.body, (node) => {
    if (found || node.type !== "CallExpression") return !found;
    const callee = unwrap(node.callee);
    if (callee.type === "Identifier" && callee.name === own) found = node;
    else if (callee.type === "MemberExpression") {
      const object = unwrap(callee.object);
      if (object.type === "Identifier" && object.name === name && memberName(callee) === "preventDefault") found = node;
    } else if (name !== undefined && callee.type === "Identifier") {
      const at = node.arguments.findIndex((argument) => argument.type === "Identifier" && argument.name === name);
      const helper = at < 0 ? undefined : namedFunction(module, callee);
      if (helper && lateCall(module, helper, at, seen)) found = node;
    }
    return !found;
  });
  return found;
}

/** The local name of `preventDefault` in a destructured event. */
function destructured(pattern: ESTree.ObjectPattern): string | undefined {
  for (const property of pattern.properties) {
    if (property.type !== "Property" || property.key.type !== "Identifier") continue;
    if (property.key.name === "preventDefault" && property.value.type === "Identifier") return property.value.name;
  }
  return undefined;
}

/** The condition around the call as a function of the event, if nothing else decides whether the call is reached. */
function testAround(module: Module, fn: FunctionNode, call: Node): string | undefined {
  const [param] = fn.params;
  if (param?.type !== "Identifier" || !isInside(call, fn)) return undefined;
  const tests: Node[] = [];
  for (let node: Node | undefined = fn.body ?? undefined; node && node !== call;) {
    const inner: Node | undefined = childrenOf(node).find(
      (child) => child.start <= call.start && child.end >= call.end,
    );
    if (!inner || isFunction(inner)) return undefined;
    if (node.type === "BlockStatement" && node.body.some((step) => step.end <= call.start && mayLeave(step)))
      return undefined;
    if (node.type === "IfStatement" && inner === node.consequent) tests.push(node.test);
    else if (node.type === "LogicalExpression" && node.operator === "&&" && inner === node.right) tests.push(node.left);
    else if (!PASSED.has(node.type)) return undefined;
    node = inner;
  }
  const isOwn = (test: Node): boolean =>
    module.scopes.within(test).every(({ binding }) => !binding || binding.node === param);
  if (tests.length === 0 || !tests.every(isOwn)) return undefined;
  const texts = tests.map(({ start, end }) => module.file.text.slice(start, end));
  return `(${param.name}) => ${texts.length === 1 ? texts[0] : texts.map((text) => `(${text})`).join(" && ")}`;
}

/** Nodes around a call that don't decide whether it is reached. */
const PASSED = new Set([
  "BlockStatement",
  "ExpressionStatement",
  "ParenthesizedExpression",
  "UnaryExpression",
  "SequenceExpression",
  "ChainExpression",
]);
