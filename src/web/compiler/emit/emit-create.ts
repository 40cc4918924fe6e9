/**
 * Step 4, browser code: emits the create functions of a module. A create function is the component as written, in which JSX is a view
 * (emit-views.ts). The browser calls it for rows and branches that it creates.
 */
import type { ESTree } from "vite";
import { SvcError } from "../../../platform/shared/errors.ts";
import { PATHS } from "../../../platform/shared/wire.ts";
import type { Module } from "../analyze/analyze.ts";
import { firstChoice, mayRunFrom } from "../analyze/frozen-components.ts";
import { svcImport } from "../analyze/declaration-kinds.ts";
import { propCodes, propsName } from "../extract/prop-codes.ts";
import { holdsJsx, isFunction, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import { ClientModule, type ClientImport } from "./client-module.ts";
import { BrowserEmitter } from "./emit-browser.ts";
import { newScope, type Output, type Scope } from "../model.ts";

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
    try {
      if (fn && module.components.has(fn)) {
        replacePattern(module, fn, client, scope);
        followReturns(module, fn, client, scope);
        scope.propCodes = propCodes(module, fn, propsName(client));
      }
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

/** The statements from the first early return on run again when a prop changes that decides. */
function followReturns(module: Module, fn: FunctionNode, client: ClientModule, scope: Scope): void {
  const first = firstChoice(module, fn);
  if (!first || !fn.body || !mayRunFrom(module, fn, first)) return;
  scope.edits.appendLeft(first.start, `return ${client.createPart("Tail", scope)}(() => {\n`);
  scope.edits.appendLeft(fn.body.end - 1, "\n});\n");
}

function holdsSlot(module: Module, fn: FunctionNode): boolean {
  return module.scopes.within(fn).some(({ binding }) => binding && svcImport(binding) === "Slot");
}

/** `({ text, ...rest })` -> `($props, $props_rest = …)`. The names are read from the props object (prop-codes.ts). */
function replacePattern(module: Module, fn: FunctionNode, client: ClientModule, { edits, rewritten }: Scope): void {
  const [pattern] = fn.params;
  const { text } = module.file;
  const name = propsName(client);
  // A component may read its props through a `<Slot>` alone.
  if (!pattern && !holdsSlot(module, fn)) return;
  if (!pattern) return void edits.appendLeft(text.indexOf("(", fn.id?.end ?? fn.start) + 1, name);
  if (pattern.type !== "ObjectPattern") return;
  const keys = pattern.properties.flatMap((item) =>
    item.type === "Property" && item.key.type === "Identifier" && !item.computed ? [JSON.stringify(item.key.name)] : [],
  );
  const hasRest = pattern.properties.some(({ type }) => type === "RestElement");
  const rest = hasRest ? `, ${name}_rest = ${client.runtime(PATHS.create, "Z")}(${[name, ...keys].join(", ")})` : "";
  for (const reference of module.scopes.within(pattern)) {
    if (reference.binding?.owner === null) client.needModuleBinding(reference.binding, reference);
    // The pattern is replaced as a whole.
    rewritten.add(reference.node);
  }
  const isBare = fn.type === "ArrowFunctionExpression" && !text.slice(fn.start, pattern.start).includes("(");
  edits.update(pattern.start, pattern.end, isBare ? `(${name}${rest})` : name + rest);
}
