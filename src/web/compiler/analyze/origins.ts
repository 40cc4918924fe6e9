/**
 * Names for where the values of constants come from: contexts, results of hooks and parameters of hooks. Browser code that captures such a
 * constant may call functions in it, so the files that give them record how the browser creates them (given-functions.ts).
 */
import type { ESTree } from "vite";
import type { Module } from "./analyze.ts";
import { isInside } from "./analyze.ts";
import { contextName, exportedName } from "./context-names.ts";
import { functionOf, isHookName, mayCreateState, svcName } from "./declaration-kinds.ts";
import { bindingAt } from "./prop-names.ts";
import { listOfRow } from "./store-items.ts";
import { propReads, topProperty } from "./prop-reads.ts";
import { isFunction, isJsx, memberName, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";

/** Begins the name of a hook's result. */
const RESULT = "~result/";
/** Begins the name of a hook's arguments. */
const GIVEN = "~given/";
/** Begins the name of a prop of whose value browser code captures an item. */
const ITEM = "~item/";
/** Separates the name of an origin from the member of its value. */
const MEMBER = "#";

/** An origin whose values contain those of another one, or those of props. */
export interface OriginLink {
  name: string;
  /** Names of other origins or of props, separated by spaces. */
  from: string;
}

/** The name of an origin, with the member of its value if only that one is captured. */
export function memberOfOrigin(name: string, member: string | undefined): string {
  return member === undefined ? name : name + MEMBER + member;
}

/** The name of an origin without that of a member. */
export function originIn(name: string): string {
  return name.split(MEMBER)[0] ?? name;
}

/** The name for items of a prop. Origins are the same for their items. */
export function itemOf(name: string): string {
  return name.startsWith("~") ? name : ITEM + name;
}

/** The prop whose items have this name; other names as they are. */
export function propOfItem(name: string): string {
  return name.startsWith(ITEM) ? name.slice(ITEM.length) : name;
}

/** The name of a hook's arguments, for a call of a hook of the app or of a package; undefined for other calls. */
export function givenTo(module: Module, call: Node): string | undefined {
  const hook = hookCalled(module, call);
  return hook === undefined ? undefined : GIVEN + hook;
}

/**
 * The name of a hook's arguments, for a call of a function that the hook returned, `register("name", { validate })`, in the body of a component.
 * Undefined for other calls, such as those that handlers make.
 */
export function givenToResult(module: Module, call: ESTree.CallExpression): string | undefined {
  let root: Node = unwrap(call.callee);
  while (root.type === "MemberExpression") root = unwrap(root.object);
  const { owner, source } = bindingAt(module, root) ?? {};
  if (!owner || !module.components.has(owner) || source?.type !== "VariableDeclarator" || !source.init)
    return undefined;
  for (let at = module.parentOf(call); at && at !== owner; at = module.parentOf(at))
    if (isFunction(at) || isJsx(at)) return undefined;
  return givenTo(module, unwrap(source.init));
}

/** Names of the origins of a constant or parameter. */
export function originsOf(module: Module, binding: Binding): Set<string> {
  const found = new Set<string>();
  new OriginSearch(module, found).ofBinding(binding, undefined);
  return found;
}

/** What the hooks and components of a module pass on. */
export function originLinks(module: Module): OriginLink[] {
  const found: OriginLink[] = [];
  walk(module.program, (node) => {
    const owner = node.type === "CallExpression" ? functionAround(module, node) : undefined;
    if (node.type !== "CallExpression" || !owner) return;
    const hook = nameOfHook(module, owner);
    const context = contextRead(module, node);
    const called = hookCalled(module, node);
    const result = context ?? (called && RESULT + called);
    if (hook !== undefined && result !== undefined) found.push({ name: RESULT + hook, from: result });
    if (called === undefined) return;
    for (const argument of node.arguments) {
      const from = new Set(propReads(module, argument).split(" ").filter(Boolean));
      new OriginSearch(module, from).ofCode(argument);
      if (from.size > 0) found.push({ name: GIVEN + called, from: [...from].map(originIn).join(" ") });
    }
  });
  return found;
}

class OriginSearch {
  readonly #module: Module;
  readonly #found: Set<string>;
  readonly #seen = new Set<Binding>();

  constructor(module: Module, found: Set<string>) {
    this.#module = module;
    this.#found = found;
  }

  /** @param member of the value that is read */
  ofBinding(binding: Binding, member: string | undefined): void {
    const { owner, declared, source } = binding;
    if (!owner || this.#seen.has(binding)) return;
    this.#seen.add(binding);
    if (declared === "param") {
      const isHook = !this.#module.components.has(owner) && nameOfHook(this.#module, owner) !== undefined;
      this.#ofHookAround(binding);
      if (!isHook && !this.#module.components.has(owner)) this.#ofCalls(owner);
    } else if (source.type === "VariableDeclarator" && source.init && !functionOf(binding)) {
      const isContainer = /^(?:Object|Array|New)Expression$/.test(unwrap(source.init).type);
      if (isContainer) this.#ofHookAround(binding);
      const property = source.id.type === "Identifier" ? undefined : topProperty(source.id, binding);
      const key = property?.type === "Property" && property.key.type === "Identifier" ? property.key.name : undefined;
      this.#ofValue(unwrap(source.init), source.id.type === "Identifier" ? member : key);
    }
  }

  /** A parameter of a hook or of a function in one, or an object that such a function may put its arguments into. */
  #ofHookAround({ node }: Binding): void {
    const fn = functionAround(this.#module, node);
    const hook = fn && !this.#module.components.has(fn) ? nameOfHook(this.#module, fn) : undefined;
    if (hook !== undefined) this.#found.add(GIVEN + hook);
  }

  /** The parameter of a row, another callback, or a local function. */
  #ofCalls(fn: FunctionNode): void {
    const name = fn.id ?? this.#declaredName(fn);
    const binding = name && this.#module.scopes.bindingAt(name);
    const uses = binding ? this.#module.scopes.references.filter((one) => one.binding === binding) : [];
    const callers = [listOfRow(this.#module, fn), this.#module.parentOf(fn), ...uses.map(({ parent }) => parent)];
    for (const code of callers) {
      const given =
        code?.type === "CallExpression" ? [code.callee, ...code.arguments] : code === callers[0] ? [code] : [];
      for (const part of given) if (part && !isFunction(part)) this.#ofItems(part);
    }
  }

  #ofItems(code: Node): void {
    this.ofCode(code);
    for (const name of propReads(this.#module, code).split(" ")) if (name !== "") this.#found.add(itemOf(name));
  }

  #declaredName(fn: FunctionNode): Node | undefined {
    const parent = this.#module.parentOf(fn);
    return parent?.type === "VariableDeclarator" ? parent.id : undefined;
  }

  #ofValue(value: Node, member: string | undefined): void {
    let root = value;
    let first = member;
    while (root.type === "MemberExpression") {
      first = memberName(root);
      root = unwrap(root.object);
    }
    const binding =
      root.type === "Identifier"
        ? this.#module.scopes.within(root).find(({ node }) => node === root)?.binding
        : undefined;
    const origin = this.#originOfCall(root);
    if (origin !== undefined) this.#found.add(memberOfOrigin(origin, first));
    else if (binding) this.ofBinding(binding, first);
    else this.ofCode(value);
  }

  /** Any value that code names may be a part of its value. */
  ofCode(code: Node): void {
    walk(code, (node) => {
      if (isFunction(node)) return false;
      const origin = this.#originOfCall(node);
      if (origin !== undefined) this.#found.add(origin);
      return undefined;
    });
    for (const { binding } of this.#module.scopes.within(code))
      if (binding && !isInside(binding.node, code)) this.ofBinding(binding, undefined);
  }

  #originOfCall(node: Node): string | undefined {
    const hook = hookCalled(this.#module, node);
    return contextRead(this.#module, node) ?? (hook && RESULT + hook);
  }
}

/** The name of the context in `useContext(Theme)`. */
function contextRead(module: Module, node: Node): string | undefined {
  if (node.type !== "CallExpression" || svcName(node.callee, module.scopes) !== "useContext") return undefined;
  const [context] = node.arguments;
  return context && contextName(module, context);
}

/** The name of the hook or factory that a call calls, which its module exports. */
function hookCalled(module: Module, node: Node): string | undefined {
  if (node.type !== "CallExpression" || svcName(node.callee, module.scopes) !== undefined) return undefined;
  const callee = unwrap(node.callee);
  const name =
    callee.type === "MemberExpression" ? memberName(callee) : callee.type === "Identifier" ? callee.name : "";
  if (name === undefined || !mayCreateState(name)) return undefined;
  const binding = callee.type === "Identifier" ? module.scopes.within(callee)[0]?.binding : undefined;
  return binding ? exportedName(module, binding) : name;
}

function functionAround(module: Module, node: Node): FunctionNode | undefined {
  let found: FunctionNode | undefined;
  for (let at = module.parentOf(node); at; at = module.parentOf(at)) if (isFunction(at)) found = at;
  return found;
}

/** The name under which the module exports a hook or factory. */
function nameOfHook(module: Module, fn: FunctionNode): string | undefined {
  const parent = module.parentOf(fn);
  const id = fn.id ?? (parent?.type === "VariableDeclarator" ? parent.id : undefined);
  const binding = id && module.scopes.bindingAt(id);
  return binding && (isHookName(binding.name) || mayCreateState(binding.name))
    ? exportedName(module, binding)
    : undefined;
}
