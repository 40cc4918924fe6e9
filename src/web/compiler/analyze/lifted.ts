/**
 * Finds constants of a component that the browser creates again from their source instead of receiving their value: objects, arrays and
 * choices of functions and computeds, and formatters. Their values can't be serialized, and evaluating them again creates no state.
 */
import type { ESTree } from "vite";
import { holdsJsx, isFunction, memberName, unwrap, walk, type Node } from "../parse/ast.ts";
import type { Binding, Scopes } from "../parse/scopes.ts";
import { initOf, kindOf, svcName, type Kind } from "./declaration-kinds.ts";
import { calledCode, mayRunFunction } from "./repeated-calls.ts";

/** Forms that may be created again. An identifier is its own value. */
const FORMS = new Set(
  "ObjectExpression ArrayExpression ConditionalExpression LogicalExpression CallExpression".split(" "),
);

/** Names with these kinds refer to functions or to values that update. */
const UNSERIALIZABLE = new Set(["function", "computed", "signal", "lifted"]);

/** The kind of a declaration, `lifted` included. */
export function fullKindOf(binding: Binding, scopes: Scopes): Kind {
  const kind = kindOf(binding, scopes);
  const init = kind === "value" && binding.declared === "const" && binding.owner !== null ? initOf(binding) : undefined;
  const isMade = init && (isLifted(init, scopes) || isFormatter(init, scopes));
  return isMade ? "lifted" : kind;
}

/** Whether the browser creates the value of `init` again. */
function isLifted(init: Node, scopes: Scopes): boolean {
  if (!FORMS.has(init.type) || holdsJsx(init)) return false;
  const made: Made = { isNeeded: false, bodies: [init], called: new Set() };
  return isPure(init, scopes, made) && (made.isNeeded || made.bodies.some((body) => namesReactive(body, scopes, made)));
}

/** What makes a value: its own code, and that of functions which the code calls at once. */
interface Made {
  /** Whether the value contains a function or a computed. */
  isNeeded: boolean;
  bodies: Node[];
  /** Names of functions that are called, so they are no part of the value. */
  called: Set<Node>;
}

/** Whether code has no effect and reads nothing that changes. Functions in it are values that nobody calls. */
function isPure(code: Node, scopes: Scopes, made: Made): boolean {
  let result = true;
  const run = new Set<Node>();
  walk(code, (node) => {
    if (isFunction(node)) {
      if (run.has(node)) return false;
      made.isNeeded = true;
      result &&= !writesThis(node);
      return false;
    }
    if (node.type !== "CallExpression") result &&= !HAS_EFFECT.has(node.type) && !readsNow(node, scopes);
    else if (svcName(node.callee, scopes) === "computed" || isBind(node)) made.isNeeded = true;
    else result &&= mayCallAgain(node, scopes, made, run);
    return result;
  });
  return result;
}

/** @param run gets the functions of the call's arguments that the call runs */
function mayCallAgain(call: ESTree.CallExpression, scopes: Scopes, made: Made, run: Set<Node>): boolean {
  const called = calledCode(call, scopes);
  if (!called) return false;
  for (const name of called.names) made.called.add(name);
  return called.bodies.every((fn) => {
    run.add(fn);
    if (made.bodies.includes(fn)) return false;
    made.bodies.push(fn);
    return mayRunFunction(fn, scopes, (code) => isPure(code, scopes, made));
  });
}

/** Names of the platform whose objects have no state of their own, beside those of `Intl`. */
const STATELESS = new Set(["TextEncoder", "TextDecoder"]);

/** `new Intl.NumberFormat("en")`: an object of the platform without state, made without a read of a value that may have changed. */
function isFormatter(init: Node, scopes: Scopes): boolean {
  if (init.type !== "NewExpression" || holdsJsx(init) || !isStateless(unwrap(init.callee), scopes)) return false;
  let isPure = true;
  walk(init, (node) => {
    isPure &&= !isFunction(node) && node.type !== "CallExpression" && (node === init || !HAS_EFFECT.has(node.type));
    isPure &&= !readsNow(node, scopes);
    return isPure;
  });
  return isPure;
}

function isStateless(callee: Node, scopes: Scopes): boolean {
  const root = callee.type === "MemberExpression" ? unwrap(callee.object) : callee;
  if (root.type !== "Identifier" || scopes.within(root).some(({ binding }) => binding)) return false;
  return callee.type === "MemberExpression" ? root.name === "Intl" : STATELESS.has(root.name);
}

/** Whether a constant that the browser creates again depends on values of the component, which may change. */
export function dependsOnNames(binding: Binding, scopes: Scopes): boolean {
  const init = initOf(binding);
  return init?.type === "NewExpression" && scopes.within(init).some((one) => one.binding && one.binding.owner !== null);
}

const HAS_EFFECT = new Set(
  "NewExpression AwaitExpression YieldExpression AssignmentExpression UpdateExpression TaggedTemplateExpression ThisExpression".split(
    " ",
  ),
);

/** Whether it reads a value that may have changed when the browser evaluates it. */
function readsNow(node: Node, scopes: Scopes): boolean {
  if (node.type !== "MemberExpression" || node.object.type !== "Identifier") return false;
  const { object } = node;
  const binding = scopes.within(object).find((reference) => reference.node === object)?.binding;
  return binding !== undefined && CHANGING.has(kindOf(binding, scopes));
}

const CHANGING = new Set(["signal", "store", "computed", "resource", "ref"]);

/** `save.bind(null, 1)`. */
export function isBind(node: Node): boolean {
  return (
    node.type === "CallExpression" && node.callee.type === "MemberExpression" && memberName(node.callee) === "bind"
  );
}

/** Whether a function stores something in its object. The server's and the browser's object would differ. */
function writesThis(fn: Node): boolean {
  let found = false;
  walk(fn, (node) => {
    const target =
      node.type === "AssignmentExpression" ? node.left : node.type === "UpdateExpression" ? node.argument : undefined;
    found ||= target?.type === "MemberExpression" && rootOf(target).type === "ThisExpression";
    return !found;
  });
  return found;
}

function rootOf(node: ESTree.MemberExpression): Node {
  const object = unwrap(node.object);
  return object.type === "MemberExpression" ? rootOf(object) : object;
}

/** Whether a part of the value is a signal, a computed or a local function under its own name. */
function namesReactive(init: Node, scopes: Scopes, { called }: Made): boolean {
  return scopes.within(init).some(({ binding, node, parent }) => {
    const isWhole = parent.type !== "MemberExpression" && parent.type !== "BinaryExpression" && !called.has(node);
    return (
      isWhole &&
      binding !== undefined &&
      binding.node.end < init.start &&
      UNSERIALIZABLE.has(fullKindOf(binding, scopes))
    );
  });
}

/** The value of the property `name` of an object literal; undefined if it has none that is known. */
export function propertyOf(object: Node | undefined, name: string | undefined): Node | undefined {
  if (object?.type !== "ObjectExpression" || object.properties.some(({ type }) => type === "SpreadElement"))
    return undefined;
  const found = object.properties.find(
    (property) =>
      property.type === "Property" &&
      !property.computed &&
      property.key.type === "Identifier" &&
      property.key.name === name,
  );
  return found?.type === "Property" && found.kind === "init" ? found.value : undefined;
}
