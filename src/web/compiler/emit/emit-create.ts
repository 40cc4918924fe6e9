/**
 * Step 4, browser code: emits the create functions of a module. A create function is the component as written, in which JSX is a view
 * (emit-views.ts). The browser calls it for rows and branches that it creates.
 */
import type { ESTree } from "vite";
import { SvcError } from "../../../platform/shared/errors.ts";
import { PATHS } from "../../../platform/shared/wire.ts";
import { initOf } from "../analyze/declaration-kinds.ts";
import { isInside, type Module } from "../analyze/analyze.ts";
import { holdsJsx, isFunction, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";
import { ClientModule, type ClientImport } from "./client-module.ts";
import { BrowserEmitter } from "./emit-browser.ts";
import { newScope, type Output } from "../model.ts";

/** The create functions of one module. */
export interface CreateModule {
  output: Output;
  imports: readonly ClientImport[];
  /** Functions that the browser can't create, with the reason. */
  problems: ReadonlyMap<string, SvcError>;
  /** Imports of each create function. */
  uses: ReadonlyMap<string, readonly ClientImport[]>;
  /** Exports that are no create functions. They are those of the module itself. */
  others: readonly string[];
}

/** A function or constant whose JSX the browser creates. */
interface Creatable {
  name: string;
  /** Code before it. */
  head: string;
  node: Node;
  fn: FunctionNode | undefined;
}

export function emitCreateModule(module: Module): CreateModule {
  const client = new ClientModule(module);
  client.isCreateModule = true;
  const browser = new BrowserEmitter(module, client);
  const problems = new Map<string, SvcError>();
  const uses = new Map<string, readonly ClientImport[]>();
  const { found, others } = creatablesOf(module.program);
  for (const { name, head, node, fn } of found) {
    const known = client.imports.length;
    const scope = newScope(0, client.newEdits());
    scope.isClosure = true;
    browser.captures.props = fn && module.components.has(fn) ? propsOf(module, fn, client, scope.edits) : undefined;
    try {
      browser.emitCreated(head, node, scope);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      problems.set(name, error);
    }
    uses.set(name, client.imports.slice(known));
  }
  return { output: client.render(), imports: client.imports, problems, uses, others };
}

function creatablesOf(program: ESTree.Program): { found: Creatable[]; others: string[] } {
  const found: Creatable[] = [];
  const others: string[] = [];
  for (const statement of program.body) {
    const isExport = statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
    const declaration = isExport ? statement.declaration : statement;
    if (statement.type === "ExportDefaultDeclaration") {
      const { declaration: node } = statement;
      if (isFunction(node)) found.push({ name: "default", head: "export default ", node, fn: node });
      else others.push("default");
    } else if (declaration?.type === "FunctionDeclaration" && declaration.id) {
      const { name } = declaration.id;
      if (holdsJsx(declaration)) found.push({ name, head: "export ", node: declaration, fn: declaration });
      else if (isExport) others.push(name);
    } else if (declaration?.type === "VariableDeclaration") {
      for (const { id, init } of declaration.declarations) {
        if (id.type !== "Identifier") continue;
        const fn = init && isFunction(unwrap(init)) ? (unwrap(init) as FunctionNode) : undefined;
        if (init && holdsJsx(init)) found.push({ name: id.name, head: `export const ${id.name} = `, node: init, fn });
        else if (isExport) others.push(id.name);
      }
    }
  }
  return { found, others };
}

/** Reads of destructured props as reads of the props object, so that they stay live. */
function propsOf(
  module: Module,
  fn: FunctionNode,
  client: ClientModule,
  edits: ReturnType<ClientModule["newEdits"]>,
): (binding: Binding) => string | undefined {
  const [param] = fn.params;
  const name = `${client.names.prefix}props`;
  const { text } = module.file;
  const codes = new Map<Binding, string | undefined>();
  const pattern = param?.type === "ObjectPattern" ? param : undefined;
  if (pattern) {
    const names = pattern.properties.flatMap((item) =>
      item.type === "Property" && item.key.type === "Identifier" && !item.computed ? [item.key.name] : [],
    );
    const hasRest = pattern.properties.some(({ type }) => type === "RestElement");
    const omit = !hasRest ? "" : client.runtime(PATHS.create, "Z");
    const rest = hasRest
      ? `, ${name}_rest = ${omit}(${[name, ...names.map((key) => JSON.stringify(key))].join(", ")})`
      : "";
    const isBare = fn.type === "ArrowFunctionExpression" && !text.slice(fn.start, pattern.start).includes("(");
    edits.update(pattern.start, pattern.end, isBare ? `(${name}${rest})` : name + rest);
  }
  const codeOf = (binding: Binding): string | undefined => {
    if (pattern && binding.owner === fn && binding.declared === "param" && isInside(binding.node, pattern))
      return pathIn(pattern, binding, name, text, client, module);
    const { source } = binding;
    if (source.type !== "VariableDeclarator" || binding.declared !== "const" || !source.init) return undefined;
    const init = unwrap(source.init);
    const base =
      source.id.type === "ObjectPattern" && isProps(module, init) ? text.slice(init.start, init.end) : undefined;
    if (base !== undefined) return pathIn(source.id, binding, base, text, client, module);
    const direct = initOf(binding);
    if (direct?.type !== "MemberExpression" || !isProps(module, direct.object)) return undefined;
    return `(${text.slice(direct.start, direct.end)})`;
  };
  return (binding) => {
    if (!codes.has(binding)) codes.set(binding, codeOf(binding));
    return codes.get(binding);
  };
}

function isProps(module: Module, node: Node): boolean {
  if (node.type !== "Identifier") return false;
  const binding = module.scopes.within(node)[0]?.binding;
  return binding !== undefined && module.kind(binding) === "props";
}

/** `{ a: { b = 1 } }` and `b` -> `props.a.b`, with its default. */
function pathIn(
  pattern: Node,
  binding: Binding,
  base: string,
  text: string,
  client: ClientModule,
  module: Module,
): string | undefined {
  if (pattern === binding.node) return base;
  if (pattern.type === "AssignmentPattern") {
    const inner = pathIn(pattern.left, binding, base, text, client, module);
    for (const reference of module.scopes.within(pattern.right))
      if (reference.binding?.owner === null) client.needModuleBinding(reference.binding, reference);
    const fallback = text.slice(pattern.right.start, pattern.right.end);
    return pattern.left === binding.node ? `(${base} === undefined ? (${fallback}) : ${base})` : inner;
  }
  if (pattern.type !== "ObjectPattern") return undefined;
  for (const property of pattern.properties) {
    if (!isInside(binding.node, property)) continue;
    if (property.type === "RestElement") return `${base}_rest`;
    if (property.computed || property.key.type !== "Identifier") return undefined;
    return pathIn(property.value, binding, `${base}.${property.key.name}`, text, client, module);
  }
  return undefined;
}
