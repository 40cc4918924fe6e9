/**
 * Finds names whose values may be stores, although the syntax doesn't show it: results of hooks and other functions, items of rows, and props.
 * Only the server knows the value, so it decides for each instance whether the browser gets bindings (web/ssr/resume/held-state.ts).
 */
import { isInside, type Module } from "./analyze.ts";
import { svcName } from "./declaration-kinds.ts";
import { namedMembers } from "./mutations.ts";
import { isFunction, memberName, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding, Reference } from "../parse/scopes.ts";

/** First character of the name of such a value, which no prop has. */
export const HELD = "~";

/** Stands for the members of a value that is passed to a function, and for computed ones. */
const ANY = "*";

/** @returns the name under which the server looks at the value of a binding; undefined if it can't be a store, or is known to be one */
export function heldName(module: Module, fn: FunctionNode, binding: Binding): string | undefined {
  const isHeld = binding.declared === "param" ? isOfRow(fn, binding) : isOfCall(module, fn, binding);
  return isHeld ? `${HELD}${binding.name}${binding.node.start}` : undefined;
}

/** A parameter of a function inside of the component, such as the item of a row. */
function isOfRow(fn: FunctionNode, { owner }: Binding): boolean {
  return owner !== null && owner !== fn && isInside(owner, fn);
}

/** A constant of the component that is made by a call, or from such a constant. */
function isOfCall(module: Module, fn: FunctionNode, binding: Binding): boolean {
  const { declared, owner, source } = binding;
  if (declared !== "const" || owner !== fn || module.kind(binding) !== "value") return false;
  if (source.type !== "VariableDeclarator" || !source.init) return false;
  let isCalled = false;
  let isMarked = false;
  walk(source.init, (node) => {
    if (isFunction(node)) return false;
    if (node.type !== "CallExpression") return undefined;
    if (svcName(node.callee, module.scopes) === "untrack") isMarked = true;
    else isCalled = true;
    return undefined;
  });
  if (isMarked || isCalled) return !isMarked;
  // Earlier constants only, so that functions which name each other end here.
  return module.scopes
    .within(source.init)
    .some(({ binding: from }) => from && from.node.start < binding.node.start && isOfCall(module, fn, from));
}

/** The members that the component's code reads of a value, separated by spaces. @param isOf whether a reference is to the value */
export function membersRead(
  module: Module,
  fn: FunctionNode,
  isOf: (reference: Reference) => Node | undefined,
): string | undefined {
  const members = new MembersRead(module, fn);
  for (const reference of module.scopes.within(fn)) {
    const start = isOf(reference);
    if (start) members.note(start, []);
  }
  return members.paths.size === 0 ? undefined : [...members.paths].sort().join(" ");
}

/** Collects the members that are read of a value, also through names and patterns of constants: `const { data } = form`. */
class MembersRead {
  readonly #module: Module;
  readonly #fn: FunctionNode;
  readonly #seen = new Set<Binding>();
  readonly paths = new Set<string>();

  constructor(module: Module, fn: FunctionNode) {
    this.#module = module;
    this.#fn = fn;
  }

  /** @param start a use of the value's member `path` */
  note(start: Node, path: readonly string[]): void {
    const module = this.#module;
    if (isInHandler(module, start)) return;
    const members = namedMembers(module, start);
    const last = members.at(-1) ?? start;
    const names = [...path, ...members.flatMap((member) => memberName(member) ?? [])];
    const user = module.parentOf(last);
    if (user?.type === "VariableDeclarator" && user.init === last) this.#noteTarget(user.id, names);
    else if (names.length > 0) this.paths.add(names.join("."));
    else if (user?.type === "MemberExpression" || user?.type === "CallExpression") this.paths.add(ANY);
  }

  /** @param target the name or pattern that gets the member `path` */
  #noteTarget(target: Node, path: readonly string[]): void {
    if (target.type === "AssignmentPattern") this.#noteTarget(target.left, path);
    else if (target.type === "Identifier") this.#noteName(target, path);
    else if (target.type === "ObjectPattern")
      for (const item of target.properties) {
        const key =
          item.type === "Property" && !item.computed && item.key.type === "Identifier" ? item.key.name : undefined;
        if (item.type === "Property" && key !== undefined) this.#noteTarget(item.value, [...path, key]);
        else this.paths.add(path.join(".") || ANY);
      }
    else this.paths.add(path.join(".") || ANY);
  }

  #noteName(name: Node, path: readonly string[]): void {
    const binding = this.#module.scopes.bindingAt(name);
    if (!binding || this.#seen.has(binding)) return;
    this.#seen.add(binding);
    for (const reference of this.#module.scopes.within(this.#fn))
      if (reference.binding === binding && reference.node !== name) this.note(reference.node, path);
  }
}

/** Whether code is in a handler, which runs later. */
function isInHandler(module: Module, node: Node): boolean {
  for (let at = module.parentOf(node); at; at = module.parentOf(at)) {
    if (at.type !== "JSXAttribute") continue;
    return at.name.type !== "JSXIdentifier" || /^(?:on[A-Z]|ref$|key$)/.test(at.name.name);
  }
  return false;
}
