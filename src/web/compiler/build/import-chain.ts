/**
 * Server modules that browser code imports. An import that the bundler removes is harmless, so each becomes an external module without side
 * effects, and only one that is left in a chunk is an error (SVC104). Its message shows the chain of imports.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "vite";
import { SvcError } from "../../../platform/shared/errors.ts";
import { diagnostic } from "../diagnostics.ts";
import { Problems } from "../problems.ts";

/** Longest chain in a message. */
const MAX_STEPS = 20;

/** Prefix of the ids of these external modules. */
const SERVER_ONLY = "svc-server-only:";
/** Mentions of these modules in static and dynamic imports. */
const IMPORTS = new RegExp(`["'\`](${SERVER_ONLY}\\d+)["'\`]`, "g");

/** Calls whose unused result the bundler may drop: they declare something at the top of a module with components. */
export const PURE_CALLS: readonly string[] = ["$block", "$$block", "createContext"];

export class ImportChain {
  readonly #importers = new Map<string, string>();
  readonly #serverOnly = new Map<string, { source: string; importer: string }>();

  /** Records the first importer of a module. Both are absolute paths, with or without a query. */
  note(id: string, importer: string): void {
    if (!this.#importers.has(id)) this.#importers.set(id, importer);
  }

  /** @returns the external module that replaces an import of a server module */
  external(source: string, importer: string): { id: string; external: true; moduleSideEffects: false } {
    const id = `${SERVER_ONLY}${this.#serverOnly.size}`;
    this.#serverOnly.set(id, { source, importer });
    return { id, external: true, moduleSideEffects: false };
  }

  /**
   * @param code of a finished chunk: the bundler's list of its imports contains removed ones too.
   * @throws SvcError SVC104 if the chunk imports a server module
   */
  refuseServerOnly(code: string, root: string): void {
    const problems = new Problems();
    for (const [, id = ""] of code.matchAll(IMPORTS)) {
      const found = this.#serverOnly.get(id);
      if (found) problems.add(this.#error(found.source, found.importer, root));
    }
    problems.throwAny();
  }

  /** @returns SVC104 for `source`, which `importer` imports. Paths in its message are relative to `root`. */
  #error(source: string, importer: string, root: string): SvcError {
    const steps: string[] = [source];
    for (let at: string | undefined = importer; at !== undefined && steps.length < MAX_STEPS;) {
      steps.push(relativePath(root, at.split("?")[0] ?? at));
      at = this.#importers.get(at);
    }
    const text = `Browser code reaches "${source}", which exists on the server only. Move the work into a server action, or the code the browser needs into a module of its own.\nImports: ${steps.reverse().join(" -> ")}`;
    return importedAt(importer, source, root, text) ?? new SvcError("SVC104", `SVC104 ${text}`);
  }
}

/** @returns SVC104 at the import; undefined if the module does not contain it, because a plugin has added it */
function importedAt(importer: string, source: string, root: string, message: string): SvcError | undefined {
  const file = importer.split("?")[0] ?? importer;
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  const { staticImports, dynamicImports } = parseSync(file, text, { sourceType: "module" }).module;
  // `page of svckit` is an import of a name.
  const [, specifier = source] = / of (\S+)$/.exec(source) ?? [];
  const found = staticImports.find(({ moduleRequest }) => moduleRequest.value === specifier)?.moduleRequest;
  const late = dynamicImports.find(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1) === specifier);
  const span = found ?? late?.moduleRequest;
  return span && diagnostic({ path: relativePath(root, file), text }, "SVC104", span, message);
}

/** With forward slashes, on every system. */
export function relativePath(root: string, absolute: string): string {
  return path.relative(root, absolute).split(path.sep).join("/");
}
