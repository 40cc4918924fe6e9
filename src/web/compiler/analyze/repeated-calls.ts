/**
 * Tells which code of a component the browser may run again to make a value (lifted.ts): code without effects, whose calls are those of the
 * platform or of functions of the file, and whose results keep no state of their own.
 */
import type { ESTree } from "vite";
import { isFunction, memberName, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding, Scopes } from "../parse/scopes.ts";
import { functionOf } from "./declaration-kinds.ts";
import { CHANGING_METHODS, METHODS } from "./methods.ts";

/** Functions of the platform whose results depend on their arguments only. */
const GLOBALS = new Set(
  "Array.from Array.of Object.fromEntries Object.entries Object.keys Object.values Math.max Math.min Math.round Math.floor Math.ceil Math.abs String Number Boolean".split(
    " ",
  ),
);

/** The code that a call runs at once, and names of functions that it takes for that. */
export interface Called {
  readonly bodies: readonly FunctionNode[];
  readonly names: readonly Node[];
}

/** Undefined for a call that may have an effect or keep state. */
export function calledCode(call: ESTree.CallExpression, scopes: Scopes): Called | undefined {
  const callee = unwrap(call.callee);
  if (callee.type === "Identifier" && bindingOf(callee, scopes)) return ofNames([callee], scopes);
  const isKnown =
    callee.type === "MemberExpression" && rootIsGlobal(callee, scopes)
      ? GLOBALS.has(nameOf(callee))
      : callee.type === "MemberExpression"
        ? METHODS.has(memberName(callee) ?? "")
        : GLOBALS.has(nameOf(callee));
  if (!isKnown) return undefined;
  const inline = call.arguments.filter(isFunction);
  const named = ofNames(
    call.arguments.filter((item) => item.type === "Identifier" && functionNamed(item, scopes) !== undefined),
    scopes,
  );
  return named && { bodies: [...inline, ...named.bodies], names: named.names };
}

function ofNames(names: readonly Node[], scopes: Scopes): Called | undefined {
  const bodies = names.flatMap((name) => functionNamed(name, scopes) ?? []);
  return bodies.length === names.length && bodies.every((fn) => readsFixedNames(fn, scopes))
    ? { bodies, names }
    : undefined;
}

/** Whether a function elsewhere in the file uses no name that changes with the component around it. */
function readsFixedNames(fn: FunctionNode, scopes: Scopes): boolean {
  return scopes
    .within(fn)
    .every(
      ({ binding }) => !binding || isIn(binding, fn) || binding.declared === "function" || binding.declared === "const",
    );
}

/**
 * Whether running the code of a function has no effect, so that only its result counts, and whether functions in the result keep no state.
 * @param isPure checks what stands in its expressions
 */
export function mayRunFunction(fn: FunctionNode, scopes: Scopes, isPure: (code: Node) => boolean): boolean {
  if (fn.async || fn.generator || fn.body === null || keepsState(fn, scopes)) return false;
  if (fn.body.type !== "BlockStatement") return isPure(fn.body);
  return fn.body.body.every((statement) => mayRunStatement(statement, isPure));
}

function mayRunStatement(statement: Node, isPure: (code: Node) => boolean): boolean {
  switch (statement.type) {
    case "ReturnStatement":
      return statement.argument === null || isPure(statement.argument);
    case "FunctionDeclaration":
      return true;
    case "VariableDeclaration":
      return statement.kind === "const" && statement.declarations.every(({ init }) => init !== null && isPure(init));
    case "BlockStatement":
      return statement.body.every((inner) => mayRunStatement(inner, isPure));
    case "IfStatement":
      return (
        isPure(statement.test) &&
        mayRunStatement(statement.consequent, isPure) &&
        (statement.alternate === null || mayRunStatement(statement.alternate, isPure))
      );
    default:
      return false;
  }
}

/** Whether code in a function changes an object that the function gets or makes: the server's and the browser's would differ. */
function keepsState(fn: FunctionNode, scopes: Scopes): boolean {
  return scopes.within(fn).some(({ binding, node, isWrite }) => {
    if (binding?.owner !== fn) return false;
    return isWrite ? binding.declared !== "const" : changes(fn, node);
  });
}

/** Whether a name is the root of a change: `item.count++`, `list.push(1)`. A write of a signal's `value` is none. */
function changes(fn: FunctionNode, name: Node): boolean {
  let found = false;
  walk(fn, (node) => {
    const target =
      node.type === "AssignmentExpression"
        ? node.left
        : node.type === "UpdateExpression"
          ? node.argument
          : node.type === "UnaryExpression" && node.operator === "delete"
            ? node.argument
            : node.type === "CallExpression" && node.callee.type === "MemberExpression"
              ? changedBy(node.callee)
              : undefined;
    found ||= target?.type === "MemberExpression" && memberName(target) !== "value" && rootOf(target) === name;
    found ||= target === name && node.type === "CallExpression";
    return !found;
  });
  return found;
}

function changedBy(callee: ESTree.MemberExpression): Node | undefined {
  return CHANGING_METHODS.has(memberName(callee) ?? "") ? unwrap(callee.object) : undefined;
}

function rootOf(node: Node): Node {
  let root = unwrap(node);
  while (root.type === "MemberExpression") root = unwrap(root.object);
  return root;
}

function isIn(binding: Binding, { start, end }: Node): boolean {
  return binding.node.start >= start && binding.node.end <= end;
}

function functionNamed(name: Node, scopes: Scopes): FunctionNode | undefined {
  const binding = bindingOf(name, scopes);
  return binding && functionOf(binding);
}

function bindingOf(name: Node, scopes: Scopes): Binding | undefined {
  return scopes.within(name).find(({ node }) => node === name)?.binding;
}

function rootIsGlobal(callee: ESTree.MemberExpression, scopes: Scopes): boolean {
  const object = unwrap(callee.object);
  return object.type === "Identifier" && bindingOf(object, scopes) === undefined;
}

/** `Object.entries`, or `String`. */
function nameOf(callee: Node): string {
  if (callee.type === "Identifier") return callee.name;
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return "";
  return `${callee.object.name}.${memberName(callee) ?? ""}`;
}
