/** Step 2: analyzes a module for the extraction: names, kinds, components, and the liveness of expressions. */
import type { ESTree } from "vite";
import { childrenOf, isFunction, isJsx, memberName, unwrap, walk, type FunctionNode, type Node } from "../parse/ast.ts";
import { isProvidedComputed } from "./provided-computeds.ts";
import { findComponents } from "./components.ts";
import type { SourceFile } from "../diagnostics.ts";
import { Problems } from "../problems.ts";
import {
  SVC,
  functionOf,
  indexImports,
  initOf,
  kindOf,
  mayCreateState,
  svcName,
  type Kind,
} from "./declaration-kinds.ts";
import { holdsJsxAndFunctions } from "./holds-functions.ts";
import { fullKindOf, propertyOf } from "./lifted.ts";
import { returnsFunction, type FunctionImports } from "./returned-functions.ts";
import { containsStores } from "./store-containers.ts";
import { awaitedValues, mayFetchAgain } from "./resources.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { resolveScopes, type Binding, type Reference, type Scopes } from "../parse/scopes.ts";

/**
 * Whether the browser may have to evaluate an expression again. `live`: it reads a signal, a store or a computed. `maybe`: it reads
 * `.value` of a value from another file, such as `props.count.value`.
 */
export type Liveness = "static" | "maybe" | "live";

export interface Module {
  file: SourceFile;
  program: ESTree.Program;
  scopes: Scopes;
  /** Functions whose returned JSX is the HTML of a component. */
  components: Set<FunctionNode>;
  kind(binding: Binding): Kind;
  /** The resource that a name of kind `awaited` gets its value from. */
  awaited(binding: Binding): Binding | undefined;
  /**
   * The value of an `<Await>` whose children have this parameter. The browser may follow it only if a prop changes: a resource whose source reads
   * the prop, or a resource of a prop, a hook or a context.
   */
  awaitedValue(binding: Binding): AwaitedValue | undefined;
  liveness(node: Node): Liveness;
  parentOf(node: Node): Node | undefined;
  functionImports: FunctionImports;
  /** Errors of the module. */
  problems: Problems;
}

/** What an `<Await>` shows. */
export interface AwaitedValue {
  value: Node;
  /** The constant behind the name of a resource. */
  resource: Binding | undefined;
}

export function analyze(
  file: SourceFile,
  program: ESTree.Program,
  functionImports: FunctionImports = { values: new Set(), makers: new Set() },
): Module {
  indexImports(program);
  const scopes = resolveScopes(program);
  nameHostElements(program, scopes);
  const kinds = new Map<Binding, Kind>();
  const valuesOfAwaits = awaitedValues(program, scopes);
  const shownBy = (binding: Binding): AwaitedValue | undefined => {
    const value = binding.declared === "param" && binding.owner ? valuesOfAwaits.get(binding.owner) : undefined;
    if (!value) return undefined;
    const named = value.type === "Identifier" ? scopes.within(value)[0]?.binding : undefined;
    return { value, resource: named && kindOf(named, scopes) === "resource" ? named : undefined };
  };
  const mayFetch = (resource: Binding): boolean => mayFetchAgain({ scopes, liveness, parentOf }, resource);
  const awaited = (binding: Binding): Binding | undefined => {
    const resource = shownBy(binding)?.resource;
    return resource && mayFetch(resource) ? resource : undefined;
  };
  const awaitedValue = (binding: Binding): AwaitedValue | undefined => {
    const shown = shownBy(binding);
    return shown?.resource && mayFetch(shown.resource) ? undefined : shown;
  };
  const kind = (binding: Binding): Kind => {
    const known = kinds.get(binding);
    if (known) return known;
    const full = awaited(binding) ? "awaited" : fullKindOf(binding, scopes);
    const own = full === "value" && isMadeOfStores(binding, scopes) ? "store" : full;
    // The first parameter of a hook or callback may be a signal itself, not an object that contains signals.
    const isArgument = hasState && own === "props" && binding.owner !== null && !components.has(binding.owner);
    const found = isArgument ? "value" : own;
    kinds.set(binding, found);
    return found;
  };
  const components = findComponents(program, scopes);
  const hasState = importsState(program);
  const parents = parentsOf(program);
  const parentOf = (node: Node): Node | undefined => parents.get(node);
  const isInJsx = (inner: Node, outer: Node): boolean => {
    for (let at = parents.get(inner); at && at !== outer; at = parents.get(at)) if (isJsx(at)) return true;
    return false;
  };
  const liveness = livenessOf(scopes, kind, isInJsx, signalFields(program), hasState, functionImports);
  return {
    file,
    program,
    scopes,
    kind,
    awaited,
    awaitedValue,
    liveness,
    parentOf,
    components,
    functionImports,
    problems: new Problems(),
  };
}

/** Whether a constant of a component has JSX and functions. */
export function isTableWithJsx(binding: Binding): boolean {
  const init = binding.declared === "const" && binding.owner !== null ? initOf(binding) : undefined;
  return init !== undefined && holdsJsxAndFunctions(init);
}

/** Whether a constant of a component contains stores. */
function isMadeOfStores(binding: Binding, scopes: Scopes): boolean {
  const init = binding.owner && initOf(binding);
  return init != null && containsStores(init, scopes);
}

/** Whether an expression contains signals and stores without reading them: `{ active, select: () => … }`. */
export function passesStateOn(module: Module, expression: Node): boolean {
  const inner = unwrap(expression);
  if (inner.type === "Identifier" || isFunction(inner) || isProvidedComputed(module, inner)) return true;
  if (inner.type === "ArrayExpression")
    return inner.elements.every((item) => item === null || passesStateOn(module, item));
  if (inner.type === "ConditionalExpression" && module.liveness(inner.test) === "static")
    return passesStateOn(module, inner.consequent) && passesStateOn(module, inner.alternate);
  if (inner.type !== "ObjectExpression") return module.liveness(inner) === "static" || returnsFunction(module, inner);
  return inner.properties.every((item) =>
    item.type === "Property" ? passesStateOn(module, item.value) : spreadsStateOn(module, item.argument),
  );
}

/** Whether a spread copies signals and functions from a constant object, whose getters it would call. */
function spreadsStateOn(module: Module, argument: Node): boolean {
  const inner = unwrap(argument);
  if (module.liveness(inner) === "static") return true;
  const binding = inner.type === "Identifier" ? module.scopes.within(inner)[0]?.binding : undefined;
  const object = binding?.declared === "const" ? initOf(binding) : undefined;
  if (object?.type !== "ObjectExpression" || !passesStateOn(module, object)) return false;
  return object.properties.every((item) => item.type === "Property" && item.kind === "init");
}

/** Replaces components of "svckit" that are elements, such as `<Gesture>`, by these elements, so they work in rows and branches. */
const HOST_TAGS: Readonly<Record<string, string>> = { Gesture: DOM.gestureTag };

function nameHostElements(program: ESTree.Program, scopes: Scopes): void {
  walk(program, (node) => {
    if (node.type !== "JSXOpeningElement" && node.type !== "JSXClosingElement") return;
    const tag = HOST_TAGS[svcName(node.name, scopes) ?? ""];
    if (tag !== undefined && node.name.type === "JSXIdentifier") node.name.name = tag;
  });
}

/** The parent of each node. */
export function parentsOf(program: ESTree.Program): Map<Node, Node> {
  const parents = new Map<Node, Node>();
  walk(program, (node) => {
    for (const child of childrenOf(node)) parents.set(child, node);
  });
  return parents;
}

/** Ignores JSX inside the expression: it is a template with its own bindings. */
function livenessOf(
  scopes: Scopes,
  kind: (binding: Binding) => Kind,
  isInJsx: (inner: Node, outer: Node) => boolean,
  fields: ReadonlySet<string | undefined>,
  hasState: boolean,
  functionImports: FunctionImports,
): (node: Node) => Liveness {
  const visiting = new Set<Node>();
  const memberOf = (reference: Reference): string | undefined =>
    reference.parent.type === "MemberExpression" ? memberName(reference.parent) : undefined;

  function ofReference(reference: Reference, within: Node): Liveness {
    const { binding } = reference;
    if (!binding || isInside(binding.node, within)) return "static";
    switch (kind(binding)) {
      case "signal":
      case "store":
      case "computed":
      case "resource":
      case "awaited":
        return "live";
      case "function":
        return binding.owner === null ? "static" : of(functionOf(binding));
      case "lifted":
        return ofLifted(reference, binding);
      case "props":
        return "static";
      case "value":
        if (isTableWithJsx(binding) || isCallOfMade(reference, binding)) return of(initOf(binding));
        return fields.has(memberOf(reference)) && mayHoldSignals(binding, "value") ? "maybe" : "static";
      default:
        return "static";
    }
  }

  /** `format(2)` of `const format = times(() => count.value)`: the function that was made calls those that its maker got. */
  function isCallOfMade({ node, parent }: Reference, binding: Binding): boolean {
    const init = parent.type === "CallExpression" && parent.callee === node ? initOf(binding) : undefined;
    return (
      init !== undefined && binding.owner !== null && returnsFunction({ scopes, functionImports, liveness: of }, init)
    );
  }

  /** `actions.save` is a function, which does not change; `actions.total` may be a getter. */
  function ofLifted({ node, parent }: Reference, binding: Binding): Liveness {
    const init = initOf(binding);
    const isMember = parent.type === "MemberExpression" && parent.object === node;
    const value = isMember ? propertyOf(init, memberName(parent)) : undefined;
    return of(value && !usesThis(value) ? value : init);
  }

  function of(node: Node | undefined): Liveness {
    if (!node || visiting.has(node)) return "static";
    visiting.add(node);
    let result: Liveness = readsChainedField(node, fields, scopes, kind, hasState) ? "maybe" : "static";
    for (const reference of scopes.within(node)) {
      const found = ofReference(reference, node);
      // A signal by its own name is passed on as the signal. The parameter of an <Await> is a value.
      const isValue = reference.node === node && reference.binding && kind(reference.binding) === "awaited";
      if (found === "static" || (!isValue && isInJsx(reference.node, node))) continue;
      result = found;
      if (found === "live") break;
    }
    visiting.delete(node);
    return result;
  }
  return of;
}

function usesThis(code: Node): boolean {
  let found = false;
  walk(code, (node) => {
    found ||= node.type === "ThisExpression";
    return !found;
  });
  return found;
}

/** Names of "svckit" for reactive values and their types. */
const STATE_NAMES = new Set([
  "signal",
  "computed",
  "store",
  "resource",
  "useContext",
  "Signal",
  "Computed",
  "Resource",
]);

/** Whether a module may handle reactive values: it imports their functions or types, or a hook. */
function importsState(program: ESTree.Program): boolean {
  return program.body.some(
    (statement) =>
      statement.type === "ImportDeclaration" &&
      statement.specifiers.some(
        (item) =>
          /^use[A-Z]/.test(item.local.name) ||
          (statement.source.value === SVC &&
            item.type === "ImportSpecifier" &&
            item.imported.type === "Identifier" &&
            STATE_NAMES.has(item.imported.name)),
      ),
  );
}

/** Names of fields that may change: those of signals and getters, and those of resources if the file mentions their type. */
function signalFields(program: ESTree.Program): ReadonlySet<string | undefined> {
  const knowsResources = program.body.some(
    (statement) =>
      statement.type === "ImportDeclaration" &&
      statement.source.value === SVC &&
      statement.specifiers.some(
        (item) =>
          item.type === "ImportSpecifier" && item.imported.type === "Identifier" && item.imported.name === "Resource",
      ),
  );
  return new Set([...(knowsResources ? ["value", "pending", "error"] : ["value"]), ...gettersOf(program)]);
}

/** Names of getters in objects of a module that handles reactive values: a hook may return such an object. */
function gettersOf(program: ESTree.Program): string[] {
  const names: string[] = [];
  if (importsState(program))
    walk(program, (node) => {
      if (node.type === "Property" && node.kind === "get" && !node.computed && node.key.type === "Identifier")
        names.push(node.key.name);
    });
  return names;
}

export function isInside(node: Node, outer: { start: number; end: number }): boolean {
  return node.start >= outer.start && node.end <= outer.end;
}

/** Finds `props.count.value` and `counter.count.value`, which may read a signal from a parent or a helper. */
function readsChainedField(
  node: Node,
  fields: ReadonlySet<string | undefined>,
  scopes: Scopes,
  kind: (binding: Binding) => Kind,
  hasState: boolean,
): boolean {
  let found = false;
  walk(node, (inner) => {
    if (isJsx(inner)) return false;
    if (inner.type !== "MemberExpression" || !fields.has(memberName(inner))) return !found;
    let root: Node = unwrap(inner.object);
    // `rows.reduce((sum, row) => sum + row.value, 0)`: the rows may be signals.
    if (root.type === "Identifier" && hasState) {
      const item = scopes.within(root)[0]?.binding;
      found ||= item?.declared === "param" && isInside(item.node, node);
    }
    // `cells.get(key).value`
    const isMethodCall = root.type === "CallExpression" && unwrap(root.callee).type === "MemberExpression";
    if (root.type !== "MemberExpression" && !isMethodCall) return !found;
    while (root.type === "MemberExpression" || root.type === "CallExpression")
      root = unwrap(root.type === "CallExpression" ? root.callee : root.object);
    const binding = root.type === "Identifier" ? scopes.within(root)[0]?.binding : undefined;
    if (binding && !isInside(binding.node, node) && mayHoldSignals(binding, kind(binding))) found = true;
    return !found;
  });
  return found;
}

/** Whether a name may hold signals: props, and results of the app's functions. */
export function mayHoldSignals(binding: Binding, kind: Kind): boolean {
  return kind === "props" || (kind === "value" && binding.owner !== null && !isPlainInit(binding));
}

/**
 * Whether an expression reads a prop or what a hook returned, also in functions of the component that it calls. A `value` of these is nearly
 * always that of a signal.
 */
export function readsGivenState(module: Module, expression: Node, seen = new Set<Node>()): boolean {
  return module.scopes.within(expression).some(({ binding }) => {
    if (!binding || binding.owner === null || seen.has(binding.node)) return false;
    seen.add(binding.node);
    if (binding.declared === "param") return module.components.has(binding.owner);
    const fn = functionOf(binding);
    return fn ? readsGivenState(module, fn, seen) : isResultOfHook(binding);
  });
}

/** Whether a constant is the result of a hook, or is taken out of it. */
export function isResultOfHook({ source }: Binding): boolean {
  if (source.type !== "VariableDeclarator" || !source.init) return false;
  const init = unwrap(source.init);
  return init.type === "CallExpression" && init.callee.type === "Identifier" && mayCreateState(init.callee.name);
}

/** Whether the initializer of a constant is clearly not a signal. */
function isPlainInit(binding: Binding): boolean {
  const init = initOf(binding);
  return init !== undefined && isPlain(init);
}

function isPlain(node: Node): boolean {
  const inner = unwrap(node);
  if (inner.type === "ConditionalExpression") return isPlain(inner.consequent) && isPlain(inner.alternate);
  if (inner.type === "LogicalExpression") return isPlain(inner.left) && isPlain(inner.right);
  if (inner.type === "ArrayExpression") return inner.elements.every((item) => item === null || isPlain(item));
  if (inner.type === "ObjectExpression")
    return inner.properties.every((item) => isPlain(item.type === "Property" ? item.value : item.argument));
  if (inner.type === "NewExpression") return inner.arguments.every(isPlain);
  // Another name of a prop may be a signal.
  if (inner.type === "Identifier") return inner.name === "undefined";
  return inner.type !== "CallExpression" && inner.type !== "MemberExpression" && inner.type !== "SpreadElement";
}
