/**
 * Finds functions and computeds that leave the function which creates them: hooks return them, alone or in an object or array. The browser
 * cannot call the hook again, because that would create new state, so it creates each of these values from its captures (emit-lifted.ts).
 */
import type { ESTree } from "vite";
import type { Module } from "./analyze.ts";
import { isInside, isTableWithJsx } from "./analyze.ts";
import {
  holdsJsx,
  isComponentTag,
  isFunction,
  isJsx,
  memberName,
  tagName,
  unwrap,
  walk,
  type FunctionNode,
  type Node,
} from "../parse/ast.ts";
import { functionOf, isHookName, svcImport, svcName } from "./declaration-kinds.ts";
import { wrapperReceivers } from "./wrapped-functions.ts";
import { returnsFunction } from "./returned-functions.ts";
import { isOfModule, receiversOf } from "./given-functions.ts";
import { isProvidedComputed } from "./provided-computeds.ts";
import { propNamed } from "./prop-names.ts";
import { componentOf } from "./prop-reads.ts";
import type { Reference } from "../parse/scopes.ts";

export interface Escaping {
  /** `value`: an expression. `wrapped`: the call of a function that may return one. `method`: the function of `{ name() {} }`. `getter`: that of `{ get name() {} }`. `declaration`: `function name() {}`. `effect`: the function of `effect(…)`. `load`: that of `onLoad(…)`. `module`: the name of a constant or function of the module. */
  form: "value" | "wrapped" | "method" | "getter" | "declaration" | "effect" | "load" | "module";
  node: Node;
  /** The property of a method, the statement of a declaration, the callee of an effect or `onLoad`. */
  place: Node;
  /** Nearest function around it. */
  owner: FunctionNode;
  /** Whether its name says that browser code calls it, even if it depends on no state. */
  isHandler?: true;
  /** Names of the props, contexts and hooks that get it. The browser needs it only if its code captures one of them. */
  receivers?: readonly string[];
}

/** Functions of the framework that create state. A function that calls one is a hook. */
const CREATES = new Set(["signal", "store", "computed", "createRef", "resource", "useContext"]);

/** Calls of `onVisible`, `onIdle` and `onMedia` outside of components. The compiler finds no element for them. */
export function momentsElsewhere(module: Module): { node: Node; name: string }[] {
  const found: { node: Node; name: string }[] = [];
  walk(module.program, (node) => {
    if (node.type !== "CallExpression") return;
    const name = svcName(node.callee, module.scopes) ?? "";
    const owner = OTHER_MOMENTS.has(name) ? ownerOf(module, node) : undefined;
    if (owner && !isInComponent(module, owner)) found.push({ node, name });
  });
  return found;
}

/** Calls of `resource` outside of components, which the browser does not repeat for a page from the server. */
export function resourcesElsewhere(module: Module): ESTree.CallExpression[] {
  const found: ESTree.CallExpression[] = [];
  walk(module.program, (node) => {
    if (node.type !== "CallExpression" || svcName(node.callee, module.scopes) !== "resource") return;
    const owner = ownerOf(module, node);
    if (owner && !isInComponent(module, owner)) found.push(node);
  });
  return found;
}

const OTHER_MOMENTS = new Set(["onVisible", "onIdle", "onMedia"]);

export function escapingValues(module: Module): Escaping[] {
  const found: Escaping[] = [];
  walk(module.program, (node) => {
    const owner = ownerOf(module, node);
    if (!owner) return;
    const wrapped = wrappedAt(module, node, owner);
    if (wrapped) {
      found.push(wrapped);
      return;
    }
    const escaping = escapingAt(module, node, owner);
    const isSent = escaping?.isHandler ?? (escaping !== undefined && capturesState(module, node, owner));
    const sent = escaping && !holdsJsx(node) && isSent ? escaping : givenAt(module, node, owner);
    if (sent) found.push(sent);
  });
  return found;
}

/** A call of a component or hook that returns a function. */
function wrappedAt(module: Module, node: Node, owner: FunctionNode): Escaping | undefined {
  if (!returnsFunction(module, node)) return undefined;
  const found: Escaping = { form: "wrapped", node, place: node, owner };
  if (!isInComponent(module, owner)) return isHook(module, owner) && escapes(module, node, false) ? found : undefined;
  const receivers = module.components.has(owner) ? wrapperReceivers(module, node, owner) : undefined;
  return receivers && { ...found, ...(receivers.length > 0 && { receivers }) };
}

/** A function of a component, or the name of one, that other components or hooks get. */
function givenAt(module: Module, node: Node, owner: FunctionNode): Escaping | undefined {
  const receivers = isInComponent(module, owner) ? receiversOf(module, node) : [];
  if (receivers.length === 0) return undefined;
  const parent = module.parentOf(node);
  const isOwn = parent?.type === "Property" && (parent.method || parent.kind === "get");
  const form = isOwn ? (parent.method ? "method" : "getter") : isOfModule(module, node) ? "module" : "value";
  return { form, node, place: isOwn ? parent : node, owner, receivers };
}

function escapingAt(module: Module, node: Node, owner: FunctionNode): Escaping | undefined {
  const isOfComponent = isInComponent(module, owner);
  if (isOfComponent && isFunction(node) && isInProp(module, node)) return ofProp(module, node, owner);
  if (isOfComponent && isProvidedComputed(module, node)) return { form: "value", node, place: node, owner };
  if (isOfComponent && isGivenToRender(module, node, owner))
    return { form: "value", node, place: node, owner, isHandler: true };
  if (isOfComponent && !runsInBody(module, node)) return undefined;
  if (node.type === "CallExpression") {
    const name = svcName(node.callee, module.scopes);
    if (name === "computed" && escapes(module, node, isOfComponent)) return { form: "value", node, place: node, owner };
    const [callback] = node.arguments;
    if (name === "onLoad" && !isOfComponent && callback && isStatement(module, node))
      return { form: "load", node: callback, place: node.callee, owner, isHandler: true };
    if (name === "effect" && !isOfComponent && callback && isFunction(callback) && isStatement(module, node))
      return { form: "effect", node: callback, place: node.callee, owner };
    return undefined;
  }
  if (isOfComponent && isGivenToHook(module, node) && !usesImports(module, node))
    return { form: "value", node, place: node, owner };
  if (!isFunction(node)) return undefined;
  if (isOfComponent && isInShownTable(module, node)) return { form: "value", node, place: node, owner };
  if (isOfComponent) return isGivenAway(module, node) ? { form: "value", node, place: node, owner } : undefined;
  if (node.type === "FunctionDeclaration") {
    const isUsed = node.id !== null && isNamedElsewhere(module, node.id, false);
    return isUsed ? { form: "declaration", node, place: node, owner } : undefined;
  }
  const parent = module.parentOf(node);
  if (parent?.type === "Property" && (parent.method || parent.kind === "get"))
    return parent.key.type === "Identifier" && !parent.computed
      ? { form: parent.method ? "method" : "getter", node, place: parent, owner }
      : undefined;
  return escapes(module, node, false) ? { form: "value", node, place: node, owner } : undefined;
}

/** Whether a function is a component or inside one. Effects inside of handlers run in the browser only. */
function isInComponent(module: Module, fn: FunctionNode): boolean {
  for (let at: FunctionNode | undefined = fn; at; at = ownerOf(module, at)) if (module.components.has(at)) return true;
  return false;
}

/** Whether the code of a component is neither in its JSX nor in a function for the browser. */
function runsInBody(module: Module, node: Node): boolean {
  for (let at = module.parentOf(node); at; at = module.parentOf(at)) {
    if (isJsx(at)) return false;
    if (at.type === "CallExpression" && svcName(at.callee, module.scopes) !== undefined) return false;
    if (isFunction(at) && module.components.has(at)) return true;
  }
  return false;
}

function isStatement(module: Module, node: Node): boolean {
  return module.parentOf(node)?.type === "ExpressionStatement";
}

/** Whether the value of an expression leaves its function. In components only computeds inside of other values do. */
function escapes(module: Module, node: Node, isOfComponent: boolean): boolean {
  const parent = module.parentOf(node);
  switch (parent?.type) {
    case "ParenthesizedExpression":
    case "ConditionalExpression":
    case "LogicalExpression":
      return parent.type === "ConditionalExpression" && parent.test === node
        ? false
        : escapes(module, parent, isOfComponent);
    case "ReturnStatement":
      return !isOfComponent;
    case "ArrowFunctionExpression":
      return parent.body === node;
    case "Property":
      return parent.kind === "init" && parent.value === node && !staysInObject(module, parent, isOfComponent);
    case "ArrayExpression":
      return !staysInObject(module, parent, isOfComponent);
    case "VariableDeclarator":
      return parent.init === node && isNamedElsewhere(module, parent.id, isOfComponent);
    case "AssignmentExpression":
    case "AssignmentPattern":
      return !isOfComponent && parent.right === node;
    case "CallExpression":
      return parent.callee !== node && keeps(module, parent);
    default:
      return false;
  }
}

/** Whether a function, or the name of one, is an argument of a hook, which may return functions that call it: `useReducer(reduce, 0)`. */
function isGivenToHook(module: Module, node: Node): boolean {
  const call = module.parentOf(node);
  if (call?.type !== "CallExpression" || call.callee === node || call.callee.type !== "Identifier") return false;
  if (!/^use[A-Z]/.test(call.callee.name) || svcName(call.callee, module.scopes) !== undefined) return false;
  if (isFunction(node)) return true;
  const binding = node.type === "Identifier" ? referenceOf(module, node)?.binding : undefined;
  return binding !== undefined && !/^[A-Z]/.test(binding.name) && functionOf(binding) !== undefined;
}

/**
 * Whether a function of a component, or the name of one, is an argument of a function that returns JSX and may use it as a handler: a render prop
 * or a local function. `props.children({ toggle })`, `item(() => count.value++)`.
 */
function isGivenToRender(module: Module, node: Node, owner: FunctionNode): boolean {
  const call = callAround(module, node);
  if (!call || !(module.components.has(owner) || holdsJsx(owner)) || !isRender(module, unwrap(call.callee)))
    return false;
  const binding = node.type === "Identifier" ? referenceOf(module, node)?.binding : undefined;
  const fn = binding?.owner ? functionOf(binding) : node;
  return fn !== undefined && isFunction(fn) && !holdsJsx(fn) && !module.components.has(fn);
}

/** The call that gets a value as an argument, alone or in an object or array. */
function callAround(module: Module, node: Node): ESTree.CallExpression | undefined {
  let inner = node;
  let at = module.parentOf(node);
  if (at?.type === "Property" && (at.method || at.value !== node)) return undefined;
  while (at?.type === "Property" || at?.type === "ObjectExpression" || at?.type === "ArrayExpression") {
    inner = at;
    at = module.parentOf(at);
  }
  return at?.type === "CallExpression" && at.callee !== inner ? at : undefined;
}

function isRender(module: Module, callee: Node): boolean {
  if (callee.type === "MemberExpression") return isProp(module, callee);
  const binding = callee.type === "Identifier" ? referenceOf(module, callee)?.binding : undefined;
  if (!binding?.owner) return false;
  if (binding.declared === "param") return module.components.has(binding.owner);
  const fn = functionOf(binding);
  return fn ? holdsJsx(fn) : isProp(module, callee);
}

function isProp(module: Module, name: Node): boolean {
  const fn = componentOf(module, name);
  return fn !== undefined && propNamed(module, fn, name) !== undefined;
}

/** Whether code uses another module of the app, which may be one that only the server has. */
function usesImports(module: Module, code: Node, visited = new Set<Node>()): boolean {
  visited.add(code);
  return module.scopes.within(code).some(({ binding }) => {
    if (!binding || isInside(binding.node, code)) return false;
    if (binding.declared === "import") return svcImport(binding) === undefined;
    const source = functionOf(binding) ?? (binding.owner === null ? binding.source : undefined);
    return source !== undefined && !visited.has(source) && usesImports(module, source, visited);
  });
}

/** Whether a function is in a constant object or array of a component that other components receive: as a prop or in a context. */
function isGivenAway(module: Module, node: Node): boolean {
  let at = module.parentOf(node);
  if (at?.type === "Property" && (at.method || at.kind === "get")) return false;
  while (at?.type === "Property" || at?.type === "ObjectExpression" || at?.type === "ArrayExpression")
    at = module.parentOf(at);
  if (at?.type === "VariableDeclarator") return at.init !== node && isNamedElsewhere(module, at.id, true);
  while (at && CHOICES.has(at.type)) at = module.parentOf(at);
  return at?.type === "VariableDeclarator" && isSpread(module, at.id);
}

/** Whether a function is in a constant with JSX that follows what the function reads. */
function isInShownTable(module: Module, node: Node): boolean {
  let at = module.parentOf(node);
  if (at?.type === "Property" && (at.method || at.kind === "get")) return false;
  while (at?.type === "Property" || at?.type === "ObjectExpression" || at?.type === "ArrayExpression")
    at = module.parentOf(at);
  const binding = at?.type === "VariableDeclarator" ? module.scopes.bindingAt(at.id) : undefined;
  return binding !== undefined && isTableWithJsx(binding);
}

/** Whether a function is in an object or array that is a prop of a component: `<Button attributes={{ onClick: () => … }} />`. */
function isInProp(module: Module, node: Node): boolean {
  let at = module.parentOf(node);
  if (at?.type !== "Property" && at?.type !== "ArrayExpression") return false;
  while (at?.type === "Property" || at?.type === "ObjectExpression" || at?.type === "ArrayExpression") {
    if (at.type === "Property" && (at.method || at.kind === "get")) return false;
    at = module.parentOf(at);
  }
  return at !== undefined && isPropOf(module, at);
}

/** A function in a prop. Others than handlers may be for the server. */
function ofProp(module: Module, node: FunctionNode, owner: FunctionNode): Escaping | undefined {
  const property = module.parentOf(node);
  const name = property?.type === "Property" && property.key.type === "Identifier" ? property.key.name : "";
  const found: Escaping = { form: "value", node, place: node, owner };
  if (/^on[A-Z]/.test(name)) return { ...found, isHandler: true };
  return usesImports(module, node) ? undefined : found;
}

/** Expressions that choose an object. */
const CHOICES = new Set(["ConditionalExpression", "LogicalExpression", "ParenthesizedExpression"]);

/** Whether an element gets the object behind a name in a spread. */
function isSpread(module: Module, id: Node): boolean {
  const binding = module.scopes.bindingAt(id);
  return module.scopes.references.some(
    ({ binding: used, parent }) => used !== undefined && used === binding && parent.type === "JSXSpreadAttribute",
  );
}

/** Whether the browser gets a computed with the object around it, and no component receives that object. */
function staysInObject(module: Module, place: Node, isOfComponent: boolean): boolean {
  return isOfLifted(module, place, isOfComponent) && !isGivenAway(module, place);
}

/** A constant object of a component that is created again as a whole (lifted.ts), or one whose functions belong to an element. */
function isOfLifted(module: Module, node: Node, isOfComponent: boolean): boolean {
  if (!isOfComponent) return false;
  for (let at: Node | undefined = node; at; at = module.parentOf(at)) {
    if (at.type === "JSXAttribute" || at.type === "JSXSpreadAttribute") return true;
    if (at.type !== "VariableDeclarator") continue;
    const binding = module.scopes.bindingAt(at.id);
    return binding !== undefined && module.kind(binding) === "lifted";
  }
  return false;
}

/** Whether a function of the app may keep its arguments. */
function keeps(module: Module, { callee }: ESTree.CallExpression): boolean {
  if (callee.type !== "Identifier") return false;
  const binding = referenceOf(module, callee)?.binding;
  return binding !== undefined && svcImport(binding) === undefined;
}

/** Whether a name is used as a value, not only called or read. */
function isNamedElsewhere(module: Module, id: Node, isOfComponent: boolean): boolean {
  const binding = module.scopes.bindingAt(id);
  if (!binding) return false;
  return module.scopes.references.some(({ binding: other, node, parent }) => {
    if (other !== binding) return false;
    if (isOfComponent) return isPropValue(module, node);
    if (parent.type === "CallExpression" && parent.callee === node) return false;
    return !(parent.type === "MemberExpression" && parent.object === node);
  });
}

/**
 * Whether a name is a prop of a component or an argument in its body, alone or in an object that may have a name too: `<Child api={api} />`,
 * `usePages(rows)`, `const value = { api }` and `<Theme.Provider value={value}>`.
 */
function isPropValue(module: Module, name: Node): boolean {
  let inner = name;
  let at = module.parentOf(name);
  while (at?.type === "Property" || at?.type === "ObjectExpression" || at?.type === "ArrayExpression") {
    inner = at;
    at = module.parentOf(at);
  }
  if (at?.type === "VariableDeclarator" && at.init === inner && inner !== name)
    return isNamedElsewhere(module, at.id, true);
  if (at?.type === "CallExpression") return at.callee !== inner && keeps(module, at) && runsInBody(module, at);
  return at !== undefined && isPropOf(module, at);
}

/** Whether a container in JSX is the value of a component's prop. */
function isPropOf(module: Module, at: Node): boolean {
  const attribute = at.type === "JSXExpressionContainer" ? module.parentOf(at) : undefined;
  const element = attribute?.type === "JSXAttribute" ? module.parentOf(attribute) : undefined;
  return element?.type === "JSXOpeningElement" && isComponentTag(tagName(element.name));
}

/** Whether a value depends on state, or its function creates some. Others stay on the server. */
function capturesState(module: Module, node: Node, owner: FunctionNode): boolean {
  if (isHook(module, owner) || isOfNamedHook(module, node, owner)) return true;
  return module.scopes.within(node).some(({ binding, parent, node: used }) => {
    if (!binding || binding.owner === null || isInside(binding.node, node)) return false;
    if (/^(?:signal|store|computed|ref|resource)$/.test(module.kind(binding))) return true;
    const member = parent.type === "MemberExpression" && parent.object === used ? memberName(parent) : undefined;
    return member === "value" || member === "current";
  });
}

/** Whether a function is made by a hook without state. Those that use another module may be for the server, unless they are handlers by their names. */
function isOfNamedHook(module: Module, node: Node, owner: FunctionNode): boolean {
  if (!isFunction(node) || !isHookName(nameOf(module, owner))) return false;
  return /^on[A-Z]/.test(nameOf(module, node)) || !usesImports(module, node);
}

/** The name of a function, or of the constant or property whose value it is; empty if it has none. */
function nameOf(module: Module, fn: FunctionNode): string {
  if (fn.id) return fn.id.name;
  const parent = module.parentOf(fn);
  const name = parent?.type === "Property" ? parent.key : parent?.type === "VariableDeclarator" ? parent.id : undefined;
  return name?.type === "Identifier" ? name.name : "";
}

/** Whether a function is a hook, by the calls in its body. */
export function isHook(module: Module, { body }: FunctionNode): boolean {
  let found = false;
  if (body)
    walk(body, (node) => {
      if (found || isFunction(node)) return false;
      if (node.type === "CallExpression") {
        const callee = unwrap(node.callee);
        found =
          CREATES.has(svcName(callee, module.scopes) ?? "") ||
          (callee.type === "Identifier" && isHookName(callee.name));
      }
      return !found;
    });
  return found;
}

function ownerOf(module: Module, node: Node): FunctionNode | undefined {
  for (let at = module.parentOf(node); at; at = module.parentOf(at)) if (isFunction(at)) return at;
  return undefined;
}

function referenceOf(module: Module, node: Node): Reference | undefined {
  return module.scopes.within(node).find((reference) => reference.node === node);
}
