/** Records imports of the browser build, to show the chain by which browser code reaches a server module (SVC104). */
import path from "node:path";
import { SvcError } from "../../../platform/shared/errors.ts";

/** Longest chain in a message. */
const MAX_STEPS = 20;

export class ImportChain {
  readonly #importers = new Map<string, string>();

  /** Records the first importer of a module. Both are absolute paths, with or without a query. */
  note(id: string, importer: string): void {
    if (!this.#importers.has(id)) this.#importers.set(id, importer);
  }

  /** @returns SVC104 for `source`, which `importer` imports. Paths in its message are relative to `root`. */
  serverOnly(source: string, importer: string, root: string): SvcError {
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
