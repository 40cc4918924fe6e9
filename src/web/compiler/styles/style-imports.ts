/**
 * Finds the stylesheets that modules import, directly or through other modules. It reads the sources and not the bundler's graph, because
 * the server's modules lack the imports of handlers, and browser chunks lack those of components.
 */
import { readFile } from "node:fs/promises";
import { parseSync } from "vite";
import { isStyle, styleOf } from "./style-files.ts";

/** How Vite resolves a specifier; undefined for a module that is not part of the app's code. */
export type ResolveFile = (specifier: string, importer: string) => Promise<string | undefined>;

const SCRIPT = /\.[cm]?[jt]sx?$/;

export class StyleImports {
  /** Script -> files that it imports, in the order of its imports. */
  readonly #imports = new Map<string, readonly string[]>();

  /** Reads a module and everything that it imports. Modules that are known already are not read again. */
  async read(file: string, resolve: ResolveFile): Promise<void> {
    const seen = new Set([file]);
    for (const one of seen) {
      if (!SCRIPT.test(one)) continue;
      const imports = this.#imports.get(one) ?? (await importsOf(one, resolve));
      this.#imports.set(one, imports);
      for (const other of imports) seen.add(other);
    }
  }

  /** Forgets what a file imports, after an edit. @param file undefined if any import may now resolve to another file. */
  forget(file: string | undefined): void {
    if (file === undefined) this.#imports.clear();
    else this.#imports.delete(file);
  }

  /**
   * Stylesheets that modules which were read import, in the order in which the modules run: imports before their importer.
   * @param stops modules whose imports do not count
   */
  stylesOf(files: readonly string[], stops: ReadonlySet<string> = new Set()): string[] {
    const found: string[] = [];
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      if (isStyle(file)) found.push(file);
      else for (const other of this.#imports.get(file) ?? []) if (!stops.has(other)) visit(other);
    };
    for (const file of files) visit(file);
    return found;
  }
}

async function importsOf(file: string, resolve: ResolveFile): Promise<string[]> {
  const found: string[] = [];
  for (const specifier of specifiersOf(file, await readFile(file, "utf8"))) {
    const id = await resolve(specifier, file);
    if (id !== undefined) found.push(styleOf(id) ?? id);
  }
  return found;
}

/** Static imports in their order, then dynamic ones. */
function specifiersOf(file: string, text: string): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text, { sourceType: "module" }).module;
  const imports = staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ start, moduleRequest }) => ({ start, value: moduleRequest.value }));
  const exports = staticExports.flatMap(({ start, entries }) => {
    const source = entries.find(({ isType, moduleRequest }) => !isType && moduleRequest !== null);
    return source?.moduleRequest ? [{ start, value: source.moduleRequest.value }] : [];
  });
  const dynamic = dynamicImports.flatMap(({ moduleRequest }) => {
    const [, value] = /^["'`]([^"'`$]+)["'`]$/.exec(text.slice(moduleRequest.start, moduleRequest.end)) ?? [];
    return value === undefined ? [] : [value];
  });
  return [
    ...[...imports, ...exports].sort((one, other) => one.start - other.start).map(({ value }) => value),
    ...dynamic,
  ];
}
