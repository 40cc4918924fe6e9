/**
 * Finds the reads of an effect in its syntax. The browser does not repeat the run of the server, so it watches these reads until the
 * effect runs there for the first time (docs/resume-protocol.md section 5).
 */
import { isInside, mayHoldSignals, type Module } from "./analyze.ts";
import { isRestOfProps } from "./prop-reads.ts";
import { isFunction, memberName, returnsOf, unwrap, walk, type Node } from "../parse/ast.ts";
import { functionOf, svcName } from "./declaration-kinds.ts";
import type { Code } from "../model.ts";
import type { Reference } from "../parse/scopes.ts";

/**
 * @param called gives the name of the runtime function that reads what a function of the page has captured.
 * @returns a list with one function per possible read. Their nodes belong to the effect and are rewritten with it.
 */
export function readsOf(module: Module, effect: Node, called: () => string): Code {
  const reads = new Map<string, Code>();
  const visited = new Set<Node>();
  const visit = (node: Node): void => {
    if (visited.has(node)) return;
    visited.add(node);
    const untracked = untrackedIn(module, node);
    for (const reference of module.scopes.within(node)) {
      const { binding } = reference;
      if (!binding || binding.owner === null || isInside(binding.node, node)) continue;
      if (untracked.some((span) => isInside(reference.node, span))) continue;
      const helper = module.kind(binding) === "function" ? functionOf(binding) : undefined;
      if (helper) visit(helper);
      const read = helper ? undefined : readOf(module, reference);
      if (read) reads.set(module.file.text.slice(read.start, read.end), codeOf(read, reference));
      const callee = helper ? undefined : calledFunction(module, reference, effect);
      if (callee) reads.set(module.file.text.slice(callee.start, callee.end), [`() => ${called()}(`, callee, ")"]);
    }
  };
  visit(effect);
  return [...reads.values()].flatMap((read) => [...read, ", "]);
}

function codeOf(read: Node, { node, parent }: Reference): Code {
  if (read === node && parent.type === "Property" && parent.shorthand) return ["() => ({ ", read, " })"];
  const isValue = read.type === "MemberExpression" && memberName(read) === "value";
  return [isValue ? "() => void " : "() => ", read];
}

/** The longest member access by fixed names that is a read. Undefined for values that are only written or never change. */
function readOf(module: Module, reference: Reference): Node | undefined {
  const { binding } = reference;
  const kind = binding && module.kind(binding);
  if (!binding || !kind) return undefined;
  const isReactive = kind === "signal" || kind === "computed" || kind === "store" || kind === "resource";
  if (!isReactive && !mayHoldSignals(binding, kind)) return undefined;
  let at: Node = reference.node;
  for (;;) {
    const parent = module.parentOf(at);
    if (parent?.type !== "MemberExpression" || parent.object !== at || memberName(parent) === undefined) break;
    // A prop is captured without the object of all props.
    const isProp = at === reference.node && (kind === "props" || isRestOfProps(module, binding));
    if (isCallee(parent, module.parentOf(parent))) return isProp ? undefined : at;
    at = parent;
    if (kind !== "store" && memberName(parent) === "value") break;
  }
  return isAssigned(at, module.parentOf(at)) ? undefined : at;
}

/**
 * A function of a parameter, a prop or a hook's result that is called for its value: `source` of `out.value = source()`. What it reads is known
 * only to its own code. A call without use of its value, such as `onChange()`, has another purpose.
 */
function calledFunction(module: Module, { binding, node }: Reference, effect: Node): Node | undefined {
  if (!binding || !mayHoldSignals(binding, module.kind(binding))) return undefined;
  let at = node;
  for (let parent = module.parentOf(at); parent; parent = module.parentOf(at)) {
    if (isCallee(at, parent)) return isUsed(module, parent, effect) ? at : undefined;
    if (parent.type !== "MemberExpression" || parent.object !== at || memberName(parent) === undefined)
      return undefined;
    at = parent;
  }
  return undefined;
}

function isUsed(module: Module, call: Node, effect: Node): boolean {
  const parent = module.parentOf(call);
  if (!parent || parent.type === "ExpressionStatement") return false;
  if (parent.type === "UnaryExpression" && parent.operator === "void") return false;
  // An effect returns its cleanup.
  if (parent === unwrap(effect) || parent.type === "ReturnStatement")
    return enclosingFunction(module, call) !== unwrap(effect);
  const passesOn =
    (parent.type === "LogicalExpression" && parent.right === call) ||
    (parent.type === "ConditionalExpression" && parent.test !== call) ||
    unwrap(parent) !== parent;
  return passesOn ? isUsed(module, parent, effect) : true;
}

function enclosingFunction(module: Module, node: Node): Node | undefined {
  let at = module.parentOf(node);
  while (at && !isFunction(at)) at = module.parentOf(at);
  return at;
}

function isCallee(node: Node, parent: Node | undefined): boolean {
  return parent?.type === "CallExpression" && parent.callee === node;
}

function isAssigned(node: Node, parent: Node | undefined): boolean {
  return parent?.type === "AssignmentExpression" && parent.left === node && parent.operator === "=";
}

/** Arguments of `untrack` and `onCleanup`, and the function that an effect returns. */
function untrackedIn(module: Module, root: Node): Node[] {
  const found = isFunction(root) ? returnsOf(root).filter((node) => isFunction(unwrap(node))) : [];
  walk(root, (node) => {
    if (node.type === "CallExpression" && UNTRACKED.has(svcName(node.callee, module.scopes) ?? "")) found.push(node);
  });
  return found;
}

const UNTRACKED = new Set(["untrack", "onCleanup"]);
