/**
 * Server modules that browser code imports. An import that the bundler removes is harmless, so each becomes an external module without side
 * effects, and only one that is left in a chunk is an error (SVC104). Its message shows the chain of imports.
 */
import path from "node:path";
import { SvcError } from "../../../platform/shared/errors.ts";

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
    for (const [, id = ""] of code.matchAll(IMPORTS)) {
      const found = this.#serverOnly.get(id);
      if (found) throw this.#error(found.source, found.importer, root);
    }
  }

  /** @returns SVC104 for `source`, which `importer` imports. Paths in its message are relative to `root`. */
  #error(source: string, importer: string, root: string): SvcError {
    const steps: string[] = [source];
    for (let at: string | undefined = importer; at !== undefined && steps.length < MAX_STEPS;) {
      steps.push(relativePath(root, at.split("?")[0] ?? at));
      at = this.#importers.get(at);
    }
    return new SvcError(
      "SVC104",
      `SVC104 Browser code reaches "${source}", which exists on the server only.\nImports: ${steps.reverse().join(" -> ")}\nMove the work into a server action, or the code the browser needs into a module of its own.`,
    );
  }
}

/** With forward slashes, on every system. */
export function relativePath(root: string, absolute: string): string {
  return path.relative(root, absolute).split(path.sep).join("/");
}
