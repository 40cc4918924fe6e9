/** Recognises calls that return functions: those that wrap a function, and those of functions that make some (wrapped-functions.ts). */
import type { ESTree } from "vite";
import { holdsJsx, isFunction, memberName, returnsOf, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding, Scopes } from "../parse/scopes.ts";
import { functionOf, isHookName, svcName } from "./declaration-kinds.ts";

/** Imports of a module about whose values other modules tell (build/function-imports.ts). */
export interface FunctionImports {
  /** Local names of functions, and of objects with functions. */
  readonly values: ReadonlySet<string>;
  /** Local names of functions that return functions. */
  readonly makers: ReadonlySet<string>;
}

/** The parts of a module that tell what its calls return. */
interface Calls {
  readonly scopes: Scopes;
  readonly functionImports: FunctionImports;
  liveness(node: Node): string;
}

/** `debounce(() => …, 300)`, `Object.assign(run, { cancel })`: a call of a function of the app, a package or JavaScript whose first argument is a function. */
export function isWrapper(module: Calls, node: Node): boolean {
  if (node.type !== "CallExpression" || !(isAssign(module, node) || calledBy(module, node))) return false;
  const [first] = node.arguments;
  if (first === undefined) return false;
  const given = bindingOf(module, first);
  const isImported = given?.declared === "import" && module.functionImports.values.has(given.name);
  return isFunction(first) || isImported || (given !== undefined && functionOf(given) !== undefined);
}

/** A wrapper, `minLength(3)` for a function that returns functions, or `all(required(), minLength(3))`. Its arguments don't change. */
export function returnsFunction(module: Calls, node: Node): boolean {
  if (node.type !== "CallExpression" || !node.arguments.every((item) => isStatic(module, item))) return false;
  if (isWrapper(module, node)) return true;
  const called = calledBy(module, node);
  if (!called) return false;
  const [first] = node.arguments;
  return isMaker(module, called) || (first !== undefined && returnsFunction(module, first));
}

/** Whether a call is `Object.assign(…)`, which may give a function members. */
function isAssign({ scopes }: Calls, { callee }: ESTree.CallExpression): boolean {
  if (callee.type !== "MemberExpression" || memberName(callee) !== "assign") return false;
  const { object } = callee;
  return object.type === "Identifier" && object.name === "Object" && !bindingOf({ scopes }, object);
}

/** Whether an argument doesn't change. What a function reads may change. */
function isStatic(module: Calls, argument: Node): boolean {
  if (argument.type === "ObjectExpression")
    return argument.properties.every((item) => isStatic(module, item.type === "Property" ? item.value : item.argument));
  return isFunction(argument) || module.liveness(argument) === "static" || returnsFunction(module, argument);
}

function isMaker({ functionImports }: Calls, called: Binding): boolean {
  if (called.declared === "import") return functionImports.makers.has(called.name);
  const fn = functionOf(called);
  return fn !== undefined && makesFunctions(fn);
}

/** Whether all that a function returns are functions. */
export function makesFunctions(fn: FunctionNode): boolean {
  const results = returnsOf(fn);
  return results.length > 0 && !fn.async && !fn.generator && results.every((result) => isFunction(unwrap(result)));
}

/** The name that a call calls, or whose member it calls; undefined for hooks, functions of svc, and calls with JSX. */
function calledBy({ scopes }: Calls, node: Node): Binding | undefined {
  if (node.type !== "CallExpression" || svcName(node.callee, scopes) !== undefined || holdsJsx(node)) return undefined;
  const callee = unwrap(node.callee);
  const isMember = callee.type === "MemberExpression";
  const binding = bindingOf({ scopes }, isMember ? unwrap(callee.object) : callee);
  if (!binding || (isMember && binding.declared !== "import")) return undefined;
  const name = isMember ? memberName(callee) : binding.name;
  return name === undefined || isHookName(name) ? undefined : binding;
}

function bindingOf({ scopes }: Pick<Calls, "scopes">, name: Node): Binding | undefined {
  return name.type === "Identifier" ? scopes.within(name)[0]?.binding : undefined;
}
