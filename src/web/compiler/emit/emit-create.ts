/**
 * Step 4, browser code: emits the create functions of a module. A create function is the component as written, in which JSX is a view
 * (emit-views.ts). The browser calls it for rows and branches that it creates.
 */
import type { ESTree } from "vite";
import { SvcError } from "../../../platform/shared/errors.ts";
import { PATHS } from "../../../platform/shared/wire.ts";
import { isInside, type Module } from "../analyze/analyze.ts";
import type { Creatables } from "../analyze/creatables.ts";
import { memberOwner } from "../analyze/assigned-members.ts";
import { firstChoice, mayRunFrom } from "../analyze/frozen-components.ts";
import { bindingAt } from "../analyze/prop-names.ts";
import { propCodes, propsName } from "../extract/prop-codes.ts";
import { isFunction, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import { importOf, svcImport } from "../analyze/declaration-kinds.ts";
import { ClientModule, CREATE_QUERY, exportedName, type ClientImport } from "./client-module.ts";
import { BrowserEmitter } from "./emit-browser.ts";
import { followNames } from "./emit-created-names.ts";
import { newScope, type Output, type Scope } from "../model.ts";

/** The create functions of one module. */
export interface CreateModule {
  output: Output;
  imports: readonly ClientImport[];
  /** Functions that the browser can't create, with the reason. */
  problems: ReadonlyMap<string, SvcError>;
  /** Imports of each create function. */
  uses: ReadonlyMap<string, readonly ClientImport[]>;
  /** Modules of which all exports are exported again. */
  reexports: readonly ClientImport[];
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

/** An export of what another module declares, or of a declaration under another name. */
interface CreateExport {
  name: string;
  source: string | undefined;
  imported: string;
  start: number;
  end: number;
}

export function emitCreateModule(module: Module): CreateModule {
  const client = new ClientModule(module);
  client.isCreateModule = true;
  const browser = new BrowserEmitter(module, client);
  const problems = new Map<string, SvcError>();
  const uses = new Map<string, readonly ClientImport[]>();
  const { found, exports, others } = new CreatableFinder(module, client.creatables);
  for (const { name, head, node, fn } of found) {
    const known = client.imports.length;
    const scope = newScope(0, client.newEdits());
    scope.isClosure = true;
    try {
      for (const component of componentsIn(module, node, fn)) followProps(module, component, client, scope);
      browser.emitCreated(head, node, scope);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      problems.set(name, error);
    }
    uses.set(name, [...(uses.get(name) ?? []), ...client.imports.slice(known)]);
  }
  const reexports: ClientImport[] = [];
  for (const item of exports) {
    client.add(client.newEdits(), [exportLine(item)]);
    const { name, source, imported, start, end } = item;
    if (source === undefined) continue;
    const used = { source: source + CREATE_QUERY, imported, local: name, start, end };
    if (name === "*") reexports.push(used);
    else uses.set(name, [used]);
  }
  return { output: client.render(), imports: client.imports, problems, uses, reexports, others };
}

/** A function, or the one that a call gets first: `memo((props) => <li>…</li>)`. */
function componentIn(init: Node): FunctionNode | undefined {
  if (isFunction(init)) return init;
  const first = init.type === "CallExpression" ? init.arguments[0] : undefined;
  return first && isFunction(first) ? first : undefined;
}

/** The component that is created, or those that a function makes: `(title) => ({ n }) => <p>{title} {n}</p>`. */
function componentsIn(module: Module, node: Node, fn: FunctionNode | undefined): FunctionNode[] {
  if (fn && module.components.has(fn)) return [fn];
  const inside = [...module.components].filter((component) => isInside(component, node));
  return inside.filter((component) => !inside.some((other) => other !== component && isInside(component, other)));
}

/** Makes the names of props follow them. */
function followProps(module: Module, fn: FunctionNode, client: ClientModule, scope: Scope): void {
  replacePattern(module, fn, client, scope);
  replaceRests(module, fn, client, scope);
  followReturns(module, fn, client, scope);
  scope.propCodes = new Map([...scope.propCodes, ...propCodes(module, fn, propsName(client))]);
  scope.propCodes = new Map([...scope.propCodes, ...followNames(module, fn, client, scope)]);
}

/** The statements of a module that its create functions need. */
class CreatableFinder {
  readonly #module: Module;
  readonly #creatables: Creatables;
  readonly found: Creatable[] = [];
  readonly exports: CreateExport[] = [];
  readonly others: string[] = [];

  constructor(module: Module, creatables: Creatables) {
    this.#module = module;
    this.#creatables = creatables;
    for (const statement of module.program.body) this.#read(statement);
  }

  #read(statement: ESTree.Program["body"][number]): void {
    if (statement.type === "ExportAllDeclaration") return this.#readAll(statement);
    if (statement.type === "ExportNamedDeclaration" && !statement.declaration) return this.#readNames(statement);
    if (statement.type === "ExportDefaultDeclaration") return this.#readDefault(statement);
    const isExport = statement.type === "ExportNamedDeclaration";
    const declaration = isExport ? statement.declaration : statement;
    if (declaration?.type === "FunctionDeclaration" && declaration.id) {
      const { name } = declaration.id;
      if (this.#isCreatable(declaration.id))
        this.found.push({ name, head: "export ", node: declaration, fn: declaration });
      else if (isExport) this.others.push(name);
    } else if (declaration?.type === "VariableDeclaration") {
      for (const { id, init } of declaration.declarations) {
        if (id.type !== "Identifier") continue;
        const fn = init ? componentIn(unwrap(init)) : undefined;
        if (init && this.#isCreatable(id))
          this.found.push({ name: id.name, head: `export const ${id.name} = `, node: init, fn });
        else if (isExport) this.others.push(id.name);
      }
    } else if (statement.type === "ExpressionStatement") {
      const owner = memberOwner(this.#module, statement.expression);
      if (owner && this.#creatables.has(owner))
        this.found.push({ name: owner.name, head: "", node: statement.expression, fn: undefined });
    }
  }

  #isCreatable(id: Node): boolean {
    const binding = this.#module.scopes.bindingAt(id);
    return binding !== undefined && this.#creatables.has(binding);
  }

  #readDefault({ declaration: node }: ESTree.ExportDefaultDeclaration): void {
    const head = "export default ";
    if (isFunction(node)) this.found.push({ name: "default", head, node, fn: node });
    else if (this.#creatables.usesComponent(node)) this.found.push({ name: "default", head, node, fn: undefined });
    else this.others.push("default");
  }

  #readNames({ specifiers, source }: ESTree.ExportNamedDeclaration): void {
    for (const { local, exported, start, end } of specifiers) {
      const [from, name] = [nameOf(local), nameOf(exported)];
      if (source) this.exports.push({ name, source: source.value, imported: from, start, end });
      else {
        const binding = this.#module.scopes.bindings.find((one) => one.owner === null && one.name === from);
        const declaration = binding && importOf(binding);
        if (declaration && svcImport(binding) === undefined)
          this.exports.push({ name, source: declaration.source.value, imported: exportedName(binding), start, end });
        else if (!binding || !this.#creatables.has(binding)) this.others.push(name);
        else if (name !== from) this.exports.push({ name, source: undefined, imported: from, start, end });
      }
    }
  }

  #readAll({ exported, source, start, end }: ESTree.ExportAllDeclaration): void {
    const name = exported ? nameOf(exported) : "*";
    this.exports.push({ name, source: source.value, imported: "*", start, end });
  }
}

function nameOf(node: ESTree.ModuleExportName): string {
  return node.type === "Literal" ? String(node.value) : node.name;
}

/** Code of an export of another module, or under another name. */
function exportLine({ name, source, imported }: CreateExport): string {
  if (source === undefined) return `export { ${imported} as ${name} };\n`;
  const from = ` from ${JSON.stringify(source + CREATE_QUERY)};\n`;
  if (imported === "*") return `export *${name === "*" ? "" : ` as ${name}`}${from}`;
  return `export { ${imported} as ${name} }${from}`;
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
  const rest = restOf(pattern) ? `, ${name}_rest = ${restCode(pattern, name, client)}` : "";
  for (const reference of module.scopes.within(pattern)) {
    if (reference.binding?.owner === null) client.needModuleBinding(reference.binding, reference);
    // The pattern is replaced as a whole.
    rewritten.add(reference.node);
  }
  const isBare = fn.type === "ArrowFunctionExpression" && !text.slice(fn.start, pattern.start).includes("(");
  edits.update(pattern.start, pattern.end, isBare ? `(${name}${rest})` : name + rest);
}

/** `const { text, ...rest } = props` -> `const { text } = props, rest = …`: the rest keeps the getters of live props. */
function replaceRests(module: Module, fn: FunctionNode, client: ClientModule, { edits }: Scope): void {
  for (const { declared, owner, node, source } of module.scopes.bindings) {
    if (owner !== fn || declared !== "const" || source.type !== "VariableDeclarator" || !source.init) continue;
    const rest = source.id.type === "ObjectPattern" ? restOf(source.id) : undefined;
    const init = unwrap(source.init);
    if (source.id.type !== "ObjectPattern" || rest?.argument !== node || init.type !== "Identifier") continue;
    const props = bindingAt(module, init);
    if (!props || module.kind(props) !== "props" || props.owner !== fn) continue;
    edits.remove(rest.start, rest.end);
    const name = module.file.text.slice(node.start, node.end);
    edits.appendRight(source.end, `, ${name} = ${restCode(source.id, init.name, client)}`);
  }
}

function restOf({ properties }: ESTree.ObjectPattern): ESTree.BindingRestElement | undefined {
  return properties.find((item) => item.type === "RestElement");
}

/** Code of the props that a pattern doesn't name. */
function restCode({ properties }: ESTree.ObjectPattern, props: string, client: ClientModule): string {
  const keys = properties.flatMap((item) =>
    item.type === "Property" && item.key.type === "Identifier" && !item.computed ? [JSON.stringify(item.key.name)] : [],
  );
  return `${client.runtime(PATHS.create, "Z")}(${[props, ...keys].join(", ")})`;
}
