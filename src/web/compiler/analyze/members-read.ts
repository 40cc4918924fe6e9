/**
 * Finds the members that a component reads of the result of a hook and of its props. If the value turns out to contain stores
 * (web/ssr/resume/held-state.ts), then the browser gets only these members.
 */
import type { Module } from "./analyze.ts";
import { svcName } from "./declaration-kinds.ts";
import { namedMembers } from "./mutations.ts";
import { isPropsObject, propNamed } from "./prop-names.ts";
import {
  isComponentTag,
  isFunction,
  memberName,
  returnsOf,
  tagName,
  unwrap,
  type FunctionNode,
  type Node,
} from "../parse/ast.ts";
import type { Binding, Reference } from "../parse/scopes.ts";

/** Stands for the members of a value that is passed to a function, and for computed ones. */
const ANY = "*";

/** The members that the component's code reads of a value, separated by spaces; undefined if it reads none. */
export function membersRead(module: Module, fn: FunctionNode, binding: Binding): string | undefined {
  const members = new MembersRead(module, fn);
  members.noteValue(binding);
  return members.paths.size === 0 ? undefined : [...members.paths].sort().join(" ");
}

/**
 * The members that the component's code reads of each prop, separated by spaces: `form` -> `label values.name`. Without props that it
 * uses as a whole, of which no members are enough.
 */
export function propMembersRead(module: Module, fn: FunctionNode): ReadonlyMap<string, string> {
  const [param] = fn.params;
  const found = new Map<string, string[]>();
  if (!param || param.type === "RestElement") return new Map();
  const members = new MembersRead(module, fn);
  members.noteTarget(param, []);
  for (const path of members.paths) {
    const [name = ANY, ...rest] = path.split(".");
    if (name === ANY) return new Map();
    found.set(name, [...(found.get(name) ?? []), rest.join(".")]);
  }
  const partial = [...found].filter(([, paths]) => !paths.includes(""));
  return new Map(partial.map(([name, paths]) => [name, paths.sort().join(" ")]));
}

/** Whether a function of a component uses a prop, such as a handler. It may call its methods and set its members. */
export function isUsedInFunctions(module: Module, fn: FunctionNode, prop: string): boolean {
  return usesOf(module, fn, prop).some((use) => {
    for (let at = module.parentOf(use); at && at !== fn; at = module.parentOf(at)) if (isFunction(at)) return true;
    return false;
  });
}

/** Whether a component passes a prop to a component that the browser may create, which may read any member. */
export function isPassedInCreated(module: Module, fn: FunctionNode, prop: string): boolean {
  const isOneReturn = returnsOf(fn).length === 1;
  return usesOf(module, fn, prop).some((use) => isPassed(module, use) && !(isOneReturn && isInPlace(module, fn, use)));
}

function usesOf(module: Module, fn: FunctionNode, prop: string): Node[] {
  return module.scopes.within(fn).flatMap(({ node, parent }) => {
    const read = parent.type === "MemberExpression" && parent.object === node ? parent : node;
    return [read, node].find((use) => propNamed(module, fn, use) === prop) ?? [];
  });
}

/** Ancestors of a call whose component only the server runs. */
const PLACES = new Set(
  "JSXFragment JSXExpressionContainer ReturnStatement BlockStatement ParenthesizedExpression".split(" "),
);

function isInPlace(module: Module, fn: FunctionNode, attribute: Node): boolean {
  let call: Node | undefined = attribute;
  while (call && call.type !== "JSXElement") call = module.parentOf(call);
  for (let at = call && module.parentOf(call); at && at !== fn; at = module.parentOf(at)) {
    const isHost = at.type === "JSXElement" && !isComponentTag(tagName(at.openingElement.name));
    if (!isHost && !PLACES.has(at.type)) return false;
  }
  return true;
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

  /** Whether code gets a prop as a whole, or all props, so that it does not matter what it reads. */
  #isWholeProp(node: Node): boolean {
    const module = this.#module;
    const user = module.parentOf(node);
    if (node.type === "Identifier" && isPropsObject(module, this.#fn, node)) return user?.type === "JSXSpreadAttribute";
    return propNamed(module, this.#fn, node) !== undefined && (isInHandler(module, node) || isPassed(module, node));
  }

  /** @param start a use of the value's member `path` */
  #note(start: Node, path: readonly string[]): void {
    const module = this.#module;
    const members = namedMembers(module, start);
    const last = members.at(-1) ?? start;
    if ([start, ...members].some((node) => this.#isWholeProp(node))) return;
    if (path.length === 0 && last === start && isPassed(module, start)) return;
    const names = [...path, ...members.flatMap((member) => memberName(member) ?? [])];
    const user = module.parentOf(last);
    if (user?.type === "VariableDeclarator" && user.init === last) this.noteTarget(user.id, names);
    else this.paths.add(names.join(".") || ANY);
  }

  /** @param target the name or pattern that gets the member `path` */
  noteTarget(target: Node, path: readonly string[]): void {
    if (target.type === "AssignmentPattern") this.noteTarget(target.left, path);
    else if (target.type === "RestElement") this.#noteName(target.argument, path);
    else if (target.type === "Identifier") this.#noteName(target, path);
    else if (target.type === "ObjectPattern")
      for (const item of target.properties) {
        const key =
          item.type === "Property" && !item.computed && item.key.type === "Identifier" ? item.key.name : undefined;
        if (item.type === "RestElement") this.noteTarget(item, path);
        else if (key !== undefined) this.noteTarget(item.value, [...path, key]);
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

/** The name that a constant is another name of: `form` of `const same = form`. */
export function aliased({ declared, source }: Binding): Node | undefined {
  if (declared !== "const" || source.type !== "VariableDeclarator" || !source.init) return undefined;
  const init = unwrap(source.init);
  return source.id.type === "Identifier" && init.type === "Identifier" ? init : undefined;
}

/** Components of the framework that show what they get in place. */
const PLACED = new Set(["For", "Show", "Case"]);

/** Whether an expression is a prop of a component. */
function isPassed(module: Module, node: Node): boolean {
  const container = module.parentOf(node);
  const attribute = container?.type === "JSXExpressionContainer" ? module.parentOf(container) : undefined;
  const tag = attribute?.type === "JSXAttribute" ? module.parentOf(attribute) : undefined;
  if (tag?.type !== "JSXOpeningElement" || !isComponentTag(tagName(tag.name))) return false;
  return !PLACED.has(svcName(tag.name, module.scopes) ?? "");
}

/** Whether code is in a handler, which runs later. */
function isInHandler(module: Module, node: Node): boolean {
  for (let at = module.parentOf(node); at; at = module.parentOf(at)) {
    if (at.type !== "JSXAttribute") continue;
    return at.name.type !== "JSXIdentifier" || /^(?:on[A-Z]|ref$|key$)/.test(at.name.name);
  }
  return false;
}
