/** Finds mutations of an object in the syntax: assignments to its fields, and calls of mutating methods. */
import type { ESTree } from "vite";
import type { Module } from "./analyze.ts";
import { isFunction, memberName, walk, type Node } from "../parse/ast.ts";
import { svcName } from "./declaration-kinds.ts";
import { propertyOf } from "./lifted.ts";
import { CHANGING_METHODS } from "./methods.ts";

/** The assignment, increment or `delete` of a member access. */
export function changeOf(module: Module, target: Node): Node | undefined {
  const parent = module.parentOf(target);
  if (parent?.type === "AssignmentExpression" && parent.left === target) return parent;
  if (parent?.type === "UpdateExpression") return parent;
  return parent?.type === "UnaryExpression" && parent.operator === "delete" ? parent : undefined;
}

/** `Object.assign(node, …)` */
export function assignOf(module: Module, node: Node): Node | undefined {
  const call = module.parentOf(node);
  if (call?.type !== "CallExpression" || call.arguments[0] !== node || call.callee.type !== "MemberExpression")
    return undefined;
  const { object } = call.callee;
  return object.type === "Identifier" && object.name === "Object" && memberName(call.callee) === "assign"
    ? call
    : undefined;
}

export interface Change {
  node: Node;
  /** Path of field names to the changed value, up to the first computed key. */
  path: (string | undefined)[];
  /** Number of member accesses between the object and what changes in it: 0 for `node.a = 1` and `node.push(…)`. */
  depth: number;
}

/** A mutation of the object behind `node`, at any depth: `node.a.b = 1`, `node.list.push(…)`, `node[0]++`. */
export function deepChangeOf(module: Module, node: Node): Change | undefined {
  const assigned = assignOf(module, node);
  if (assigned) return { node: assigned, path: [], depth: 0 };
  const members = membersFrom(module, node);
  for (const [at, member] of members.entries()) {
    const change = changeOf(module, member);
    if (change) return { node: change, path: fixedNames(members.slice(0, at + 1)), depth: at };
    const call = module.parentOf(member);
    if (call?.type === "CallExpression" && call.callee === member && CHANGING_METHODS.has(memberName(member) ?? ""))
      return { node: call, path: fixedNames(members.slice(0, at)), depth: at };
  }
  return undefined;
}

/** Whether a change is the call of a method that the object literal has itself: `cart.add()` of `{ add() {…} }`. */
export function callsOwnMethod(init: Node, { node, path }: Change): boolean {
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return false;
  let object: Node | undefined = init;
  for (const name of path) object = propertyOf(object, name);
  return propertyOf(object, memberName(node.callee)) !== undefined;
}

/** Whether a change is that of a signal in an object or array literal: `fields[key].value = ""`. */
export function writesSignalIn(module: Module, init: Node, { node, depth }: Change): boolean {
  const target =
    node.type === "AssignmentExpression" ? node.left : node.type === "UpdateExpression" ? node.argument : undefined;
  if (depth === 0 || target?.type !== "MemberExpression" || memberName(target) !== "value") return false;
  let found = false;
  walk(init, (inner) => {
    if (isFunction(inner)) return false;
    const binding = inner.type === "Identifier" ? module.scopes.within(inner)[0]?.binding : undefined;
    found ||= inner.type === "CallExpression" && svcName(inner.callee, module.scopes) === "signal";
    found ||= binding !== undefined && module.kind(binding) === "signal";
    return !found;
  });
  return found;
}

/** Whether the value at `node` contains the changed value, or is inside of it. */
export function isAffected(module: Module, node: Node, { path }: Change): boolean {
  const read = fixedNames(membersFrom(module, node));
  return path.every((name, at) => at >= read.length || read[at] === name);
}

/** Member accesses that start at a node, innermost first. */
function membersFrom(module: Module, node: Node): ESTree.MemberExpression[] {
  const members: ESTree.MemberExpression[] = [];
  for (let at = node; ;) {
    const member = module.parentOf(at);
    if (member?.type !== "MemberExpression" || member.object !== at) return members;
    members.push(member);
    at = member;
  }
}

/** Member accesses by fixed names that start at `node`: `a.b` and `a.b.c` for `a` in `a.b.c`. */
export function namedMembers(module: Module, node: Node): ESTree.MemberExpression[] {
  return named(membersFrom(module, node));
}

function named(members: ESTree.MemberExpression[]): ESTree.MemberExpression[] {
  const end = members.findIndex((member) => memberName(member) === undefined);
  return end < 0 ? members : members.slice(0, end);
}

function fixedNames(members: ESTree.MemberExpression[]): (string | undefined)[] {
  return named(members).map(memberName);
}
