/**
 * What a declaration is, read off its syntax: a signal, a store, a local function, a plain value. No type information
 * is used, so the answer is the same in every tool that reads the file.
 */
import type { ESTree } from "vite";
import { PACKAGE_NAME } from "../../../platform/package/manifest.ts";
import { isFunction, unwrap, type Expression, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding, Scopes } from "../parse/scopes.ts";

/** The module whose names the compiler knows. Apps may import it under another name (framework-imports.ts). */
export const SVC = PACKAGE_NAME;

/** The module that compiled server code imports by default. */
export const RUNTIME = `${SVC}/jsx-runtime`;

export type Kind =
  | "import"
  | "signal"
  | "store"
  | "computed"
  /** What `createRef()` gave. */
  | "ref"
  /** What `resource(…)` gave. */
  | "resource"
  /** What the children of an `<Await>` get of a resource that the browser may fetch again. */
  | "awaited"
  | "function"
  | "let"
  | "class"
  /** The first parameter of a function that is written as one name: `props`. */
  | "props"
  | "value";

const REACTIVE_CALLS: Record<string, Kind> = {
  signal: "signal",
  store: "store",
  computed: "computed",
  createRef: "ref",
  resource: "resource",
};

/** Constructors whose instances the page's state can carry (platform/shared/serialize.ts). */
const SERIALISABLE = new Set(
  "Date Map Set URL RegExp Error Array Object Uint8Array Uint16Array Uint32Array Int8Array Int16Array Int32Array Float32Array Float64Array Uint8ClampedArray BigInt64Array BigUint64Array".split(
    " ",
  ),
);

export function kindOf(binding: Binding, scopes: Scopes): Kind {
  switch (binding.declared) {
    case "import":
      return "import";
    case "function":
      return "function";
    case "class":
      return "class";
    case "let":
    case "var":
      return "let";
    case "param":
      return isPropsParam(binding) ? "props" : "value";
    case "const":
      return kindOfConst(binding, scopes);
    default:
      return "value";
  }
}

function isPropsParam(binding: Binding): boolean {
  return binding.owner?.params[0] === binding.node;
}

function kindOfConst(binding: Binding, scopes: Scopes): Kind {
  const init = initOf(binding);
  if (!init) return "value";
  if (isFunction(init)) return "function";
  if (init.type === "ClassExpression") return "class";
  const callee = init.type === "CallExpression" ? svcName(init.callee, scopes) : undefined;
  return (callee === undefined ? undefined : REACTIVE_CALLS[callee]) ?? "value";
}

/** Initial value of `const name = …`; undefined for destructured names. */
export function initOf(binding: Binding): Node | undefined {
  const { source } = binding;
  if (source.type !== "VariableDeclarator" || source.id !== binding.node || !source.init) return undefined;
  return unwrap(source.init);
}

/** The function behind a name of kind `function`. */
export function functionOf(binding: Binding): FunctionNode | undefined {
  if (isFunction(binding.source)) return binding.source;
  const init = initOf(binding);
  return init && isFunction(init) ? init : undefined;
}

/** The name under which "svckit" exports what `node` refers to, e.g. `signal` for `import { signal as s }` and `s`. */
export function svcName(node: Expression | Node, scopes: Scopes): string | undefined {
  if (node.type !== "Identifier" && node.type !== "JSXIdentifier") return undefined;
  const reference = scopes.within(node).find((item) => item.node === node);
  return reference?.binding && svcImport(reference.binding);
}

/** The name under which "svckit" exports an imported binding. */
export function svcImport(binding: Binding): string | undefined {
  const { source } = binding;
  if (source.type !== "ImportSpecifier" || importSource(binding) !== SVC) return undefined;
  return source.imported.type === "Identifier" ? source.imported.name : source.imported.value;
}

const declarationOfSpecifier = new WeakMap<Node, ESTree.ImportDeclaration>();

/** Remembers for every import specifier the declaration it stands in; the tree has no way up. */
export function indexImports(program: ESTree.Program): void {
  for (const statement of program.body) {
    if (statement.type !== "ImportDeclaration") continue;
    for (const specifier of statement.specifiers) declarationOfSpecifier.set(specifier, statement);
  }
}

export function importOf(binding: Binding): ESTree.ImportDeclaration | undefined {
  return declarationOfSpecifier.get(binding.source);
}

function importSource(binding: Binding): string | undefined {
  return importOf(binding)?.source.value;
}

/** `new X` of a class the state script cannot carry; its name, else undefined. */
export function unserialisableInit(binding: Binding): string | undefined {
  const init = initOf(binding);
  if (init?.type !== "NewExpression") return undefined;
  const name = init.callee.type === "Identifier" ? init.callee.name : "…";
  return SERIALISABLE.has(name) ? undefined : name;
}
