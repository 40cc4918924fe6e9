/** What changes an object, as far as syntax tells: assignments to its fields, and calls that are made to change it. */
import type { ESTree } from "vite";
import type { Module } from "./analyze.ts";
import { memberName, type Node } from "../parse/ast.ts";

/** Methods of arrays, maps and sets that change what they are called on. */
const CHANGING = new Set("push pop shift unshift splice sort reverse fill copyWithin set add delete clear".split(" "));

/** The assignment, count or `delete` of a member access. */
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
  /** Names of fields that lead to what changes; cut short at the first that is no fixed name. */
  path: (string | undefined)[];
}

/** A change of the object that `node` names, however deep inside: `node.a.b = 1`, `node.list.push(…)`, `node[0]++`. */
export function deepChangeOf(module: Module, node: Node): Change | undefined {
  const assigned = assignOf(module, node);
  if (assigned) return { node: assigned, path: [] };
  const members = membersFrom(module, node);
  for (const [at, member] of members.entries()) {
    const change = changeOf(module, member);
    if (change) return { node: change, path: fixedNames(members.slice(0, at + 1)) };
    const call = module.parentOf(member);
    if (call?.type === "CallExpression" && call.callee === member && CHANGING.has(memberName(member) ?? ""))
      return { node: call, path: fixedNames(members.slice(0, at)) };
  }
  return undefined;
}

/** Whether what `node` leads to holds what changes, or is inside of it. */
export function isAffected(module: Module, node: Node, { path }: Change): boolean {
  const read = fixedNames(membersFrom(module, node));
  return path.every((name, at) => at >= read.length || read[at] === name);
}

/** Member accesses that begin at a node, innermost first. */
function membersFrom(module: Module, node: Node): ESTree.MemberExpression[] {
  const members: ESTree.MemberExpression[] = [];
  for (let at = node; ;) {
    const member = module.parentOf(at);
    if (member?.type !== "MemberExpression" || member.object !== at) return members;
    members.push(member);
    at = member;
  }
}

/** Member accesses by fixed names that begin at `node`: for `a` in `a.b.c` these are `a.b` and `a.b.c`. */
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
