/**
 * Writes `svc-graphs.d.ts` beside the app module: the names of the graphs and workers that the app lists, for the types of
 * `engine.start` ("svckit/graph": `Definitions`). Reads source code only. If the code does not show all names, no file is written, and
 * any name compiles.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseSync, type ESTree } from "vite";
import { unwrap, walk, type Node } from "../parse/ast.ts";

const NAME = "svc-graphs.d.ts";
const CREATE = /^create(?:FullStack)?App$/;
/** Functions whose first argument is the name of a definition. */
const DECLARE = /^(?:graph|worker)$/;
const LISTS = ["graphs", "workers"];

/** A definition that the app lists. */
interface Listed {
  readonly name: string;
  /** Import of its type; undefined: its module does not export it. */
  readonly type: string | undefined;
}

/** @param entry absolute path of the app module. @returns the path of the file if it was written or removed. */
export function writeGraphTypes(entry: string): string | undefined {
  const target = path.join(path.dirname(entry), NAME);
  const source = readModule(entry);
  // A syntax error in an editor says nothing about the names.
  if (!source) return undefined;
  const text = graphTypes(source);
  const before = existsSync(target) ? readFileSync(target, "utf8") : undefined;
  if (before === text) return undefined;
  if (text === undefined) rmSync(target);
  else writeFileSync(target, text);
  return target;
}

function graphTypes(entry: Module): string | undefined {
  const listed = listedIn(entry);
  const specifier = entry.imports.get(entry.create ?? "")?.from;
  if (!listed || listed.length === 0 || specifier === undefined) return undefined;
  const lines = new Map(listed.map(({ name, type }) => [name, `    ${JSON.stringify(name)}: ${type ?? "unknown"};\n`]));
  return `// Written by svc from the graphs and workers of this app: the names for engine.start. Fit for .gitignore, and for a commit.
export {};
declare module ${JSON.stringify(`${specifier.replace(/\/fullstack$/, "")}/graph`)} {
  interface Definitions {
${[...lines.keys()]
  .sort()
  .map((name) => lines.get(name))
  .join("")}  }
}
`;
}

// The lists.

/** @returns undefined if the code does not show all definitions. */
function listedIn(entry: Module): Listed[] | undefined {
  if (entry.options?.type !== "ObjectExpression") return undefined;
  const lists = entry.options.properties.map((property) => {
    // Another object may add lists.
    if (property.type !== "Property") return undefined;
    return LISTS.includes(nameOf(property.key)) ? entriesOf(entry, property.value) : [];
  });
  return allOf(lists)?.flat();
}

function entriesOf(entry: Module, value: Node): Listed[] | undefined {
  const list = unwrap(value);
  if (list.type === "Identifier") {
    const constant = entry.constants.get(list.name);
    return constant && entriesOf(entry, constant.init);
  }
  if (list.type !== "ArrayExpression") return undefined;
  return allOf(list.elements.map((each) => (each?.type === "Identifier" ? definitionOf(entry, each.name) : undefined)));
}

function definitionOf(entry: Module, local: string): Listed | undefined {
  const own = entry.constants.get(local);
  if (own) {
    const name = declaredName(own.init);
    const here = `./${path.basename(entry.file)}`;
    return name === undefined ? undefined : { name, type: own.isExported ? typeOf(here, local) : undefined };
  }
  const imported = entry.imports.get(local);
  const file = imported && fileOf(entry.file, imported.from);
  const declared = file === undefined ? undefined : readModule(file)?.constants.get(imported?.name ?? "");
  const name = declared?.isExported ? declaredName(declared.init) : undefined;
  return name === undefined || !imported ? undefined : { name, type: typeOf(imported.from, imported.name) };
}

function typeOf(specifier: string, name: string): string {
  return `typeof import(${JSON.stringify(specifier)}).${name}`;
}

/** `graph<Order>("order", …)` → `order`. */
function declaredName(init: Node): string | undefined {
  const call = unwrap(init);
  if (call.type !== "CallExpression" || !DECLARE.test(nameOf(call.callee))) return undefined;
  const [first] = call.arguments;
  return first?.type === "Literal" && typeof first.value === "string" ? first.value : undefined;
}

/** Modules that were written without an extension, or with that of the compiled file. */
function fileOf(importer: string, specifier: string): string | undefined {
  if (!/^\.{1,2}\//.test(specifier)) return undefined;
  const base = path.resolve(path.dirname(importer), specifier);
  const stem = base.replace(/\.[cm]?jsx?$/, "");
  return [base, `${stem}.ts`, `${stem}.tsx`].find((file) => /\.[cm]?[jt]sx?$/.test(file) && existsSync(file));
}

// Modules.

interface Import {
  readonly name: string;
  readonly from: string;
}

interface Constant {
  readonly init: Node;
  readonly isExported: boolean;
}

interface Module {
  readonly file: string;
  /** Imports by local name. */
  readonly imports: ReadonlyMap<string, Import>;
  /** Top-level constants by name. */
  readonly constants: ReadonlyMap<string, Constant>;
  /** Local name of the function that creates the app, and its argument. */
  readonly create: string | undefined;
  readonly options: Node | undefined;
}

/** @returns undefined for a file with a syntax error. */
function readModule(file: string): Module | undefined {
  const lang = file.endsWith("x") ? "tsx" : "ts";
  const { program, errors } = parseSync(file, readFileSync(file, "utf8"), { lang, sourceType: "module" });
  if (errors.length > 0) return undefined;
  const imports = new Map<string, Import>();
  const constants = new Map<string, Constant>();
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") addImports(imports, statement);
    const isExported = statement.type === "ExportNamedDeclaration";
    const declaration = isExported ? statement.declaration : statement;
    if (declaration?.type === "VariableDeclaration") addConstants(constants, declaration, isExported);
  }
  return { file, imports, constants, ...creation(program, imports, constants) };
}

function addImports(into: Map<string, Import>, { specifiers, source }: ESTree.ImportDeclaration) {
  for (const one of specifiers)
    if (one.type === "ImportSpecifier") into.set(one.local.name, { name: nameOf(one.imported), from: source.value });
}

function addConstants(
  into: Map<string, Constant>,
  { kind, declarations }: ESTree.VariableDeclaration,
  isExported: boolean,
): void {
  if (kind !== "const") return;
  for (const { id, init } of declarations)
    if (id.type === "Identifier" && init) into.set(id.name, { init, isExported });
}

/** The only call of `createApp` or `createFullStackApp`. */
function creation(
  program: ESTree.Program,
  imports: ReadonlyMap<string, Import>,
  constants: ReadonlyMap<string, Constant>,
): Pick<Module, "create" | "options"> {
  const calls: [string, Node | undefined][] = [];
  walk(program, (node) => {
    if (node.type !== "CallExpression") return;
    const callee = nameOf(node.callee);
    if (CREATE.test(imports.get(callee)?.name ?? "")) calls.push([callee, node.arguments[0]]);
  });
  const [create, given] = calls[0] ?? [];
  if (calls.length !== 1 || !given) return { create, options: undefined };
  const options = unwrap(given);
  return { create, options: options.type === "Identifier" ? constants.get(options.name)?.init : options };
}

function nameOf(node: Node): string {
  if (node.type === "Identifier") return node.name;
  return node.type === "Literal" && typeof node.value === "string" ? node.value : "";
}

/** @returns undefined if one is. */
function allOf<T>(values: readonly (T | undefined)[]): T[] | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length ? known : undefined;
}
