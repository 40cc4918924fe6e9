/**
 * Finds names whose values may be stores, although the syntax doesn't show it: the results of hooks. Only the server knows the value, so it
 * decides for each instance whether the browser gets bindings (web/ssr/resume/held-state.ts).
 */
import type { Module } from "./analyze.ts";
import { isHookName, svcName } from "./declaration-kinds.ts";
import { namedMembers } from "./mutations.ts";
import { isComponentTag, memberName, tagName, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding, Reference } from "../parse/scopes.ts";

/** First character of the name of such a value, which no prop has. */
const HELD = "~";

/** Stands for the members of a value that is passed to a function, and for computed ones. */
const ANY = "*";

/** @returns the name under which the server looks at the value of a binding: `~useForm:form70`; undefined if no hook returns it */
export function heldName(module: Module, fn: FunctionNode, binding: Binding): string | undefined {
  const { source, name, node } = binding;
  if (module.kind(binding) !== "value" || !statementOf(module, fn, binding)) return undefined;
  const init = source.type === "VariableDeclarator" && source.init ? unwrap(source.init) : undefined;
  const hook = init && calledHook(module, init);
  return hook === undefined ? undefined : `${HELD}${hook}:${name}${node.start}`;
}

/** Whether a name is one of `heldName`. */
export function isHeld(name: string): boolean {
  return name.startsWith(HELD);
}

/** The hook, or the object that contains it, in a name of `heldName`: `useForm`. */
export function hookOf(name: string): string {
  return name.slice(HELD.length).split(":")[0] ?? name;
}

/** The statement of the component that declares a constant. */
export function statementOf(module: Module, fn: FunctionNode, binding: Binding): Node | undefined {
  const { declared, owner, source } = binding;
  if (declared !== "const" || owner !== fn) return undefined;
  const statement = module.parentOf(source);
  return statement && module.parentOf(statement) === fn.body ? statement : undefined;
}

/** The name in a call of a hook of the app or of a package: `useForm()`, `forms.useForm()`. Hooks of svc return kinds of their own. */
function calledHook(module: Module, node: Node): string | undefined {
  if (node.type !== "CallExpression" || svcName(node.callee, module.scopes) !== undefined) return undefined;
  const callee = unwrap(node.callee);
  if (callee.type === "Identifier") return isHookName(callee.name) ? callee.name : undefined;
  if (callee.type !== "MemberExpression" || !isHookName(memberName(callee) ?? "")) return undefined;
  const object = unwrap(callee.object);
  return object.type === "Identifier" ? object.name : undefined;
}

/** The members that the component's code reads of a value, separated by spaces; undefined if it reads none. */
export function membersRead(module: Module, fn: FunctionNode, binding: Binding): string | undefined {
  const members = new MembersRead(module, fn);
  members.noteValue(binding);
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

  /** @param binding the value. Handlers and components get all of it, so it does not matter what they read. */
  noteValue(binding: Binding): void {
    this.#seen.add(binding);
    for (const { node } of this.#uses(binding))
      if (!isInHandler(this.#module, node) && !isPassed(this.#module, node)) this.#note(node, []);
  }

  /** @param start a use of the value's member `path` */
  #note(start: Node, path: readonly string[]): void {
    const module = this.#module;
    const members = namedMembers(module, start);
    const last = members.at(-1) ?? start;
    const names = [...path, ...members.flatMap((member) => memberName(member) ?? [])];
    const user = module.parentOf(last);
    if (user?.type === "VariableDeclarator" && user.init === last) this.#noteTarget(user.id, names);
    else this.paths.add(names.join(".") || ANY);
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

  /** @param name of the value's member `path`. Handlers capture what the browser makes of that member. */
  #noteName(name: Node, path: readonly string[]): void {
    const binding = this.#module.scopes.bindingAt(name);
    if (!binding || this.#seen.has(binding)) return;
    this.#seen.add(binding);
    for (const { node } of this.#uses(binding)) this.#note(node, path);
  }

  #uses(binding: Binding): Reference[] {
    const references = this.#module.scopes.within(this.#fn);
    return references.filter((one) => one.binding === binding && one.node !== binding.node);
  }
}

/** Whether an expression is a prop of a component. */
function isPassed(module: Module, node: Node): boolean {
  const container = module.parentOf(node);
  const attribute = container?.type === "JSXExpressionContainer" ? module.parentOf(container) : undefined;
  const tag = attribute?.type === "JSXAttribute" ? module.parentOf(attribute) : undefined;
  return tag?.type === "JSXOpeningElement" && isComponentTag(tagName(tag.name));
}

/** Whether code is in a handler, which runs later. */
function isInHandler(module: Module, node: Node): boolean {
  for (let at = module.parentOf(node); at; at = module.parentOf(at)) {
    if (at.type !== "JSXAttribute") continue;
    return at.name.type !== "JSXIdentifier" || /^(?:on[A-Z]|ref$|key$)/.test(at.name.name);
  }
  return false;
}
