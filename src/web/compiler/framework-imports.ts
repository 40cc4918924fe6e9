/**
 * Recognises imports of the framework under any name that an app gives the package: an npm alias, a scoped fork, an alias of Vite.
 * A specifier is the framework's if it resolves to one of this package's entry points.
 */
import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join } from "node:path";
import type { ESTree } from "vite";
import { PACKAGE_NAME } from "../../platform/package/manifest.ts";
import { PACKAGE_ROOT } from "../../platform/package/package-root.ts";

/** Specifier as the app writes it -> the same in the package's own name: `svckit`, `svckit/graph`. */
export type FrameworkAliases = ReadonlyMap<string, string>;

export const NO_ALIASES: FrameworkAliases = new Map();

/** How Vite resolves a specifier; undefined where it cannot. */
export type Resolve = (specifier: string, importer: string) => Promise<string | undefined>;

const SPECIFIER = /\b(?:from|import)\s*\(?\s*["']([^"'\n]+)["']/g;

export class FrameworkImports {
  /** Folder of the importer, then specifier -> specifier in the package's own name; undefined for other packages. */
  readonly #known = new Map<string, string | undefined>();
  readonly #entries = entryPoints();

  /** @param text source of a module. @param id absolute path of the module. @returns aliases that the module imports. */
  async aliasesIn(text: string, id: string, resolve: Resolve): Promise<FrameworkAliases> {
    const found = new Map<string, string>();
    for (const [, specifier = ""] of text.matchAll(SPECIFIER)) {
      const own = await this.canonical(specifier, id, resolve);
      if (own !== undefined && own !== specifier) found.set(specifier, own);
    }
    return found;
  }

  /** @returns the specifier in the package's own name; undefined if it does not belong to the framework. */
  async canonical(specifier: string, importer: string, resolve: Resolve): Promise<string | undefined> {
    if (specifier === PACKAGE_NAME || specifier.startsWith(`${PACKAGE_NAME}/`)) return specifier;
    if (!mayBePackage(specifier)) return undefined;
    const key = `${dirname(importer)}\0${specifier}`;
    if (!this.#known.has(key)) this.#known.set(key, await this.#find(specifier, importer, resolve));
    return this.#known.get(key);
  }

  async #find(specifier: string, importer: string, resolve: Resolve): Promise<string | undefined> {
    const resolved = await resolve(specifier, importer);
    const file =
      resolved !== undefined && isAbsolute(resolved) ? resolved : nodeResolve(resolved ?? specifier, importer);
    return file === undefined ? undefined : this.#entries.get(realPath(file.split("?")[0] ?? file));
  }
}

/** Gives the framework's imports of a module their own names in its tree. The text keeps the names that the app wrote. */
export function nameFrameworkImports(program: ESTree.Program, aliases: FrameworkAliases): void {
  for (const statement of program.body) {
    if (!("source" in statement) || statement.source === null) continue;
    const own = aliases.get(statement.source.value);
    if (own !== undefined) statement.source.value = own;
  }
}

/** Whether a module imports the framework, under its own name or an alias. */
export function importsFramework(text: string, aliases: FrameworkAliases): boolean {
  for (const [, specifier = ""] of text.matchAll(SPECIFIER))
    if (aliases.has(specifier) || specifier === PACKAGE_NAME || specifier.startsWith(`${PACKAGE_NAME}/`)) return true;
  return false;
}

/** @returns the specifier of the JSX runtime that Node can resolve from the app: under the package's name, else under an alias. */
export function runtimeOf(aliases: FrameworkAliases, importer: string): string {
  const names = [PACKAGE_NAME, ...[...aliases].map(([alias, own]) => alias.slice(0, alias.length - suffixOf(own)))];
  const usable = names.find((name) => nodeResolve(`${name}/jsx-runtime`, importer) !== undefined);
  return `${usable ?? PACKAGE_NAME}/jsx-runtime`;
}

/** @returns the file that Node finds; undefined if it finds none. */
export function nodeResolve(specifier: string, importer: string): string | undefined {
  try {
    return createRequire(importer).resolve(specifier);
  } catch {
    // Not installed, or an alias that only Vite knows.
    return undefined;
  }
}

/** Length of what follows the package's name: `/graph`. */
function suffixOf(own: string): number {
  return own.length - PACKAGE_NAME.length;
}

function mayBePackage(specifier: string): boolean {
  return !/^(?:\.|\/|node:|\0|[a-z]+:\/\/|virtual:)/.test(specifier);
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // A virtual module of another plugin.
    return file;
  }
}

/** Absolute file of each entry point -> its specifier. */
function entryPoints(): ReadonlyMap<string, string> {
  const { exports } = JSON.parse(readFileSync(join(PACKAGE_ROOT, "package.json"), "utf8")) as {
    exports: Record<string, string | Record<string, string>>;
  };
  const files = Object.entries(exports).flatMap(([subpath, target]) =>
    Object.values(typeof target === "string" ? {} : target).map(
      (file) => [realPath(join(PACKAGE_ROOT, file)), PACKAGE_NAME + subpath.slice(1)] as const,
    ),
  );
  return new Map(files);
}
