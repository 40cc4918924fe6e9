/**
 * Determines the kind of a declaration from its syntax: a signal, a store, a local function, a plain value. It uses no type
 * information, so every tool gets the same result.
 */
import type { ESTree } from "vite";
import { PACKAGE_NAME } from "../../../platform/package/manifest.ts";
import { isFunction, unwrap, type Expression, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding, Scopes } from "../parse/scopes.ts";

/** The package whose exports the compiler recognises. Apps may import it under another name (framework-imports.ts). */
export const SVC = PACKAGE_NAME;

/** The module that compiled server code imports by default. */
export const RUNTIME = `${SVC}/jsx-runtime`;

export type Kind =
  | "import"
  | "signal"
  | "store"
  | "computed"
  /** Result of `createRef()`. */
  | "ref"
  /** Result of `resource(…)`. */
  | "resource"
  /** Parameter of the children of an `<Await>`, for a resource that the browser may fetch again. */
  | "awaited"
  | "function"
  /** A constant of a component that the browser creates again from its source (lifted.ts). */
  | "lifted"
  | "let"
  | "class"
  /** First parameter of a function, written as one name: `props`. */
  | "props"
  | "value";

const REACTIVE_CALLS: Record<string, Kind> = {
  signal: "signal",
  store: "store",
  computed: "computed",
  createRef: "ref",
  resource: "resource",
};

/** Constructors whose instances the page's state can contain (platform/shared/serialize.ts). */
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

/** Whether a function is a hook by its name, as in React: `useForm`. */
export function isHookName(name: string): boolean {
  return /^use[A-Z]/.test(name);
}

/** Whether the result of a function may be state by its name: that of a hook, or of a factory as in Solid and Svelte, `createForm`. */
export function mayCreateState(name: string): boolean {
  return isHookName(name) || /^create[A-Z]/.test(name);
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

/** Records the declaration of every import specifier, because nodes have no parent pointers. */
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

/** @returns the class name of a `new X` that the state script cannot contain, else undefined. */
export function unserialisableInit(binding: Binding): string | undefined {
  const init = initOf(binding);
  return init && unserialisableClass(init);
}

/** The same for an expression. */
export function unserialisableClass(node: Node): string | undefined {
  if (node.type !== "NewExpression") return undefined;
  const name = node.callee.type === "Identifier" ? node.callee.name : "…";
  return SERIALISABLE.has(name) ? undefined : name;
}
