/**
 * Contexts in code that the browser creates. Declarations get a name, by which a page refers to the value of a provider. Functions that may
 * read contexts are recorded, so that the server knows which values a page needs (src/web/ssr/resume/context-uses.ts).
 */
import type { ESTree } from "vite";
import { unwrap, type Node } from "../parse/ast.ts";
import type { Binding, Reference } from "../parse/scopes.ts";
import { assignedMembers } from "./assigned-members.ts";
import { SVC, svcImport, svcName } from "./declaration-kinds.ts";
import type { Module } from "./analyze.ts";

/** Code to insert into the source. */
export interface Insertion {
  at: number;
  code: string;
}

/** `const Theme = createContext("light")` -> `createContext("light", "theme.ts#Theme")`. @param path of the module, relative to the app root */
export function contextNames(program: ESTree.Program, path: string): Insertion[] {
  const creators = new Set(program.body.flatMap(creatorsIn));
  if (creators.size === 0) return [];
  return program.body.flatMap((statement) => {
    const isExport = statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration";
    const declaration = isExport ? statement.declaration : statement;
    const inits =
      declaration?.type === "VariableDeclaration"
        ? declaration.declarations.map(({ id, init }) => [id.type === "Identifier" ? id.name : "", init] as const)
        : statement.type === "ExportDefaultDeclaration"
          ? [["default", statement.declaration] as const]
          : [];
    return inits.flatMap(([name, init]) => {
      const call = init && unwrap(init);
      if (name === "" || call?.type !== "CallExpression" || call.callee.type !== "Identifier") return [];
      if (!creators.has(call.callee.name) || call.arguments.length > 1) return [];
      const id = JSON.stringify(`${path}#${name}`);
      return [
        // A chunk may contain none of the components that read it.
        { at: call.start, code: "/* @__PURE__ */ " },
        { at: call.end - 1, code: call.arguments.length === 0 ? `undefined, ${id}` : `, ${id}` },
      ];
    });
  });
}

/** Local names of `createContext` in an import. */
function creatorsIn(statement: ESTree.Statement | ESTree.ModuleDeclaration): string[] {
  if (statement.type !== "ImportDeclaration" || statement.source.value !== SVC) return [];
  return statement.specifiers.flatMap((item) =>
    item.type === "ImportSpecifier" && item.imported.type === "Identifier" && item.imported.name === "createContext"
      ? [item.local.name]
      : [],
  );
}

/** Source of the contexts, and names of imported values, that code may use. */
export interface ContextUses {
  contexts: Set<string>;
  values: Set<string>;
}

/** Finds what the functions and constants of a module use, directly and through each other. */
export class ContextUseFinder {
  readonly #module: Module;

  constructor(module: Module) {
    this.#module = module;
  }

  /** Server code of a list for `uses(…)` and `block(…)`; undefined if no context can be reached. */
  list(bindings: Iterable<Binding>): string | undefined {
    const found: ContextUses = { contexts: new Set(), values: new Set() };
    const seen = new Set<Binding>();
    for (const binding of bindings) this.#visit(binding, found, seen);
    if (found.contexts.size + found.values.size === 0) return undefined;
    return `() => [[${[...found.contexts].join(", ")}], [${[...found.values].join(", ")}]]`;
  }

  /** The exports of the module that may use contexts, and their lists. */
  exported(): { name: string; list: string }[] {
    return this.#module.scopes.bindings.flatMap((binding) => {
      if (binding.owner !== null || binding.declared === "import" || !this.#isExported(binding)) return [];
      const list = this.list([binding]);
      return list === undefined ? [] : [{ name: binding.name, list }];
    });
  }

  #isExported({ name, source }: Binding): boolean {
    return this.#module.program.body.some((statement) => {
      if (statement.type !== "ExportNamedDeclaration" && statement.type !== "ExportDefaultDeclaration") return false;
      const { declaration } = statement;
      if (statement.type === "ExportNamedDeclaration")
        for (const { local } of statement.specifiers)
          if (local.type === "Identifier" && local.name === name) return true;
      if (declaration?.type === "Identifier") return declaration.name === name;
      return (
        declaration === source ||
        (declaration?.type === "VariableDeclaration" && declaration.declarations.includes(source as never))
      );
    });
  }

  #visit(binding: Binding, found: ContextUses, seen: Set<Binding>): void {
    if (seen.has(binding) || binding.owner !== null) return;
    seen.add(binding);
    if (binding.declared === "import") {
      // Components, and hooks. Other imports may exist for their types, or for browser code alone.
      if (svcImport(binding) === undefined && /^[A-Z]|^use[A-Z]/.test(binding.name)) found.values.add(binding.name);
      return;
    }
    const code = [binding.source, ...assignedMembers(this.#module, binding)];
    for (const reference of code.flatMap((node) => this.#module.scopes.within(node))) {
      if (!reference.binding || reference.binding === binding) continue;
      const context = this.#contextAt(reference);
      if (context !== undefined) found.contexts.add(context);
      else this.#visit(reference.binding, found, seen);
    }
  }

  /** Source of `Theme` in `useContext(Theme)`. */
  #contextAt({ node, binding }: Reference): string | undefined {
    let argument: Node = node;
    for (let parent = this.#module.parentOf(node); parent; parent = this.#module.parentOf(parent)) {
      if (parent.type === "CallExpression" && parent.arguments[0] === argument) {
        const isRead = svcName(parent.callee, this.#module.scopes) === "useContext" && binding?.owner === null;
        return isRead ? this.#module.file.text.slice(argument.start, argument.end) : undefined;
      }
      if (parent.type !== "MemberExpression" || parent.object !== argument) return undefined;
      argument = parent;
    }
    return undefined;
  }
}
