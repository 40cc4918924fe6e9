/** Collects the browser module of a TSX file: imports, module-level declarations, helpers and exports. */
import MagicString, { Bundle } from "magic-string";
import pathParts from "node:path";
import { DOM, PATHS } from "../../../platform/shared/wire.ts";
import type { Module } from "../analyze/analyze.ts";
import { holdsJsx, type Node } from "../parse/ast.ts";
import { diagnostic } from "../diagnostics.ts";
import { contextNames } from "../analyze/contexts.ts";
import { Creatables } from "../analyze/creatables.ts";
import { importOf, svcImport, SVC } from "../analyze/declaration-kinds.ts";
import type { Code, Scope } from "../model.ts";
import { newNames, type Names } from "../names.ts";
import type { Binding, Reference } from "../parse/scopes.ts";

/** Names of "svckit" that exist in the browser, and the asset that holds them. */
export const BROWSER_NAMES: Readonly<Record<string, string>> = {
  signal: PATHS.core,
  computed: PATHS.core,
  batch: PATHS.core,
  untrack: PATHS.core,
  effect: PATHS.effect,
  onCleanup: PATHS.effect,
  store: PATHS.store,
  ActionError: PATHS.act,
  call: PATHS.call,
  toast: PATHS.toast,
  navigate: PATHS.navigate,
};

/** Names that exist in components that the browser creates, beside those of `BROWSER_NAMES`. */
export const CREATED_NAMES: Readonly<Record<string, string>> = {
  onLoad: PATHS.create,
  createRef: PATHS.create,
  createContext: PATHS.context,
  useContext: PATHS.context,
  resource: PATHS.resource,
  onVisible: PATHS.createdMoments,
  onIdle: PATHS.createdMoments,
  onMedia: PATHS.createdMoments,
};

/** Components of "svckit" that the browser can create. */
export const CREATED_BUILTINS: Readonly<Record<string, string>> = {
  Await: PATHS.builtins,
  Dynamic: PATHS.dynamic,
  ErrorBoundary: PATHS.errorBoundary,
  Island: PATHS.builtins,
  Modal: PATHS.widgets,
  Popup: PATHS.widgets,
  Portal: PATHS.portals,
  Slot: PATHS.builtins,
};

/** A declaration that browser code may contain anywhere: a provider names the context. */
const DECLARES = "createContext";

/** Parts of the runtime. A page loads only those that it uses. */
export type PartName =
  | "region"
  | "create"
  | "attr"
  | "raw"
  | "form"
  | "effect"
  | "resource"
  | "boundary"
  | "portal"
  | "ref"
  | "select"
  | "virtual"
  | "prop";

/** Parts that create functions need. */
const CREATE_PARTS: readonly PartName[] = ["create", "region", "effect"];

/** Query of an import that requests the create functions of a module's components (emit-create.ts). */
export const CREATE_QUERY = "?svc-create";

/** An import of the app that browser code needs. */
export interface ClientImport {
  source: string;
  /** Exported name; `default` or `*`. */
  imported: string;
  local: string;
  start: number;
  end: number;
}

export class ClientModule {
  readonly names: Names;
  readonly imports: ClientImport[] = [];
  /** Whether rows or branches show components that are values of the server, such as `<props.as />`. */
  takesComponents = false;
  /** Names of the props that browser code captures. */
  readonly captured = new Set<string>();
  /** Props that may be JSX, such as children, where code that the browser creates captures them. */
  readonly shownViews: Node[] = [];
  /** Imported functions whose results browser code captures. `local` is the name of the result. */
  readonly factories: ClientImport[] = [];
  readonly #module: Module;
  readonly #source: MagicString;
  readonly #runtime = new Map<string, Set<string>>();
  /** Assets by the local name of what is imported from them. */
  readonly #owners = new Map<string, string>();
  readonly #declarations = new Set<Node>();
  readonly #created = new Set<Binding>();
  /** Module-level names that browser code uses. */
  readonly taken = new Set<Binding>();
  readonly #parts: { edits: MagicString; code: Code }[] = [];

  constructor(module: Module) {
    this.#module = module;
    this.creatables = new Creatables(module.scopes);
    this.#source = new MagicString(module.file.text);
    for (const { at, code } of contextNames(module.program, module.file.path)) this.#source.appendLeft(at, code);
    this.names = newNames(module.scopes);
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** A copy of the source for the edits of one scope. */
  newEdits(): MagicString {
    return this.#source.clone();
  }

  /** Local name of an export of a runtime asset. */
  runtime(path: string, name: string): string {
    const names = this.#runtime.get(path) ?? new Set();
    const local = this.#localOf(path, name);
    this.#runtime.set(path, names.add(`${name} as ${local}`));
    return local;
  }

  /** Assets export short names, and two may have the same one: the second is named after its asset. */
  #localOf(path: string, name: string): string {
    const plain = this.names.prefix + name;
    const owner = this.#owners.get(plain) ?? path;
    this.#owners.set(plain, owner);
    if (owner === path) return plain;
    return `${this.names.prefix}${pathParts.posix.basename(path, ".js").replaceAll("-", "_")}_${name}`;
  }

  /** Local name of an export of a part. The scope records the part, so the browser fetches it together with the chunk. */
  part(part: PartName, name: string, scope: Scope): string {
    scope.parts.add(part);
    return this.runtime(PATHS[part], name);
  }

  /** Local name of an export of the part that creates views. It needs two other parts, which the browser fetches together with it. */
  createPart(name: string, scope: Scope): string {
    for (const part of CREATE_PARTS) scope.parts.add(part);
    this.hasViews = true;
    return this.runtime(PATHS.create, name);
  }

  /** Whether browser code creates views. */
  hasViews = false;
  /** Whether this is the module of create functions itself. */
  isCreateModule = false;

  /** Names that browser code takes from create functions. */
  readonly creatables: Creatables;

  /** Local name of the create function behind a component's name. */
  creatable(binding: Binding, scope: Scope): string {
    scope.creates.add(binding);
    if (this.creatables.isTable(binding)) for (const part of CREATE_PARTS) scope.parts.add(part);
    if (binding.declared !== "import" && this.isCreateModule) return binding.name;
    const local = `${this.names.prefix}c_${binding.name}`;
    if (this.#created.has(binding)) return local;
    this.#created.add(binding);
    const { node } = binding;
    const declaration = importOf(binding);
    const from = declaration?.source.value ?? `./${pathParts.posix.basename(this.#module.file.path)}`;
    const imported = declaration ? exportedName(binding) : binding.name;
    this.imports.push({ source: from + CREATE_QUERY, imported, local, start: node.start, end: node.end });
    return local;
  }

  add(edits: MagicString, code: Code): void {
    this.#parts.push({ edits, code });
  }

  /** Adds a module-level name that browser code uses: its import, or a copy of its declaration. */
  needModuleBinding(binding: Binding, reference: Pick<Reference, "node">): void {
    this.#refuse(binding, reference.node);
    if (this.taken.has(binding)) return;
    this.taken.add(binding);
    if (binding.declared === "import") this.#needImport(binding, reference.node);
    else this.#copyDeclaration(binding);
  }

  #refuse(binding: Binding, node: Node): void {
    const kind = this.#module.kind(binding);
    if (kind === "let" || kind === "signal" || kind === "store" || kind === "computed" || kind === "resource") {
      const what = kind === "let" ? "a let variable" : `a ${kind}`;
      const fix =
        kind === "let"
          ? `Create a signal in the component instead: const ${binding.name} = signal(…), and use ${binding.name}.value.`
          : "Move it into the component, or pass it as a prop.";
      throw diagnostic(
        this.#module.file,
        "SVC105",
        node,
        `"${binding.name}" is ${what} of the module, shared by all requests on the server, while the browser would have a copy of its own. ${fix}`,
      );
    }
  }

  #needImport(binding: Binding, node: Node): void {
    const declaration = importOf(binding);
    if (!declaration) return;
    const svc = svcImport(binding);
    if (svc !== undefined) return this.#needSvc(svc, binding, node);
    this.imports.push({
      source: declaration.source.value,
      imported: exportedName(binding),
      local: binding.name,
      start: node.start,
      end: node.end,
    });
  }

  #needSvc(name: string, binding: Binding, node: Node): void {
    const known = this.isCreateModule || name === DECLARES ? { ...CREATED_NAMES, ...BROWSER_NAMES } : BROWSER_NAMES;
    const asset = Object.hasOwn(known, name) ? known[name] : undefined;
    if (asset === undefined) {
      throw diagnostic(
        this.#module.file,
        "SVC104",
        node,
        `"${name}" of "${SVC}" exists on the server only, but this code runs in the browser. In the browser there are ${Object.keys(BROWSER_NAMES).join(", ")}; call a server action for the rest.`,
      );
    }
    const names = this.#runtime.get(asset) ?? new Set();
    this.#runtime.set(asset, names.add(binding.name === name ? name : `${name} as ${binding.name}`));
  }

  #copyDeclaration(binding: Binding): void {
    const { source } = binding;
    const statement = source.type === "VariableDeclarator" ? this.#module.parentOf(source) : source;
    if (!statement || this.#declarations.has(statement)) return;
    if (holdsJsx(statement)) {
      throw diagnostic(
        this.#module.file,
        "SVC120",
        binding.node,
        `"${binding.name}" contains JSX, which is rendered on the server, but browser code uses it. Set a signal there, and show the JSX as a component by a condition: {isOpen.value && <${binding.name.slice(0, 1).toUpperCase()}${binding.name.slice(1)} />}.`,
      );
    }
    this.#declarations.add(statement);
    for (const reference of this.#module.scopes.within(statement)) {
      if (reference.binding?.owner === null && reference.binding !== binding) {
        this.needModuleBinding(reference.binding, reference);
      }
    }
  }

  /** The module, which still contains TypeScript, and its source map. */
  render(): { code: string; map: string } {
    const bundle = new Bundle({ separator: "" });
    if (this.hasViews && !this.isCreateModule) this.runtime(PATHS.create, DOM.createdHandler);
    let pending = this.#importLines();
    const keep = (edits: MagicString, node: Node): void => {
      bundle.addSource({
        filename: this.#module.file.path,
        content: edits.snip(node.start, node.end).prepend(pending),
      });
      pending = "";
    };
    const declarations = [...this.#declarations].sort((left, right) => left.start - right.start);
    for (const node of declarations) {
      keep(this.#source, node);
      pending += "\n";
    }
    for (const { edits, code } of this.#parts) {
      for (const item of code) {
        if (typeof item === "string") pending += item;
        else keep(edits, item);
      }
    }
    if (this.hasViews && !this.isCreateModule)
      pending += `export const ${DOM.createdHandler} = ${this.runtime(PATHS.create, DOM.createdHandler)};\n`;
    bundle.append(pending);
    const map = bundle.generateMap({ hires: "boundary", includeContent: true });
    return { code: bundle.toString(), map: map.toString() };
  }

  #importLines(): string {
    const lines: string[] = [];
    for (const [path, names] of this.#runtime) {
      lines.push(`import { ${[...names].sort().join(", ")} } from "${path}";`);
    }
    for (const item of this.imports) lines.push(importLine(item));
    return lines.map((line) => `${line}\n`).join("");
  }
}

/** The name under which its module exports an imported binding: `default`, or `*` for all. */
export function exportedName({ source }: Binding): string {
  if (source.type === "ImportNamespaceSpecifier") return "*";
  if (source.type !== "ImportSpecifier") return "default";
  return source.imported.type === "Identifier" ? source.imported.name : source.imported.value;
}

function importLine(item: ClientImport): string {
  const source = JSON.stringify(item.source);
  if (item.imported === "*") return `import * as ${item.local} from ${source};`;
  if (item.imported === "default") return `import ${item.local} from ${source};`;
  return `import { ${item.imported}${item.local === item.imported ? "" : ` as ${item.local}`} } from ${source};`;
}
