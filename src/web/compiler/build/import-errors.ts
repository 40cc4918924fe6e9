/**
 * Explains unresolved imports. Vite's module runner reports them in terms of compiled code; this module adds the file, position and fix
 * in the app's source.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "vite";
import type { SvcError } from "../../../platform/shared/errors.ts";
import { didYouMean } from "../../../platform/shared/did-you-mean.ts";
import { diagnostic } from "../diagnostics.ts";
import { relativePath } from "./import-chain.ts";

interface FailedImport {
  specifier: string;
  /** Absolute path of the file that has it. */
  importer: string;
  /** Name of the missing export; undefined if the module itself is missing. */
  name?: string;
}

const NO_FILE = /^Failed to load url (.+?) \(resolved id: .*?\) in (.+)\. Does the file exist\?/;
const NO_PACKAGE = /^Cannot find (?:module|package) '(.+?)' imported from '?([^']+?)'?$/;
const NO_EXPORT = /The requested module '(.+?)' does not provide an export named '(.+?)'/;
/** The first module of the app in the stack is the one that runs. */
const RUNNING = /\((\/[^()]+|[A-Za-z]:[\\/][^()]+?):\d+:\d+\)/g;

/**
 * @param root folder of the app. @param namesOf export names of a module.
 * @param files modules of the app, for an error whose stack has none of them
 * @returns `SVC_DEFINITION` with place and frame; undefined for an error of another kind.
 */
export async function importError(
  error: unknown,
  root: string,
  namesOf: (specifier: string) => Promise<readonly string[]>,
  files: Iterable<string> = [],
): Promise<SvcError | undefined> {
  const failed = error instanceof Error ? failedImport(error, root, files) : undefined;
  if (!failed) return undefined;
  const { importer, specifier, name } = failed;
  const text = readFileSync(importer, "utf8");
  const span = spanOf(importer, text, failed);
  const message = name === undefined ? noModule(failed) : await noExport(specifier, name, namesOf);
  return span && diagnostic({ path: relativePath(root, importer), text }, "SVC_DEFINITION", span, message);
}

/** @param error of the bundler. @returns `SVC_DEFINITION` with place and frame; undefined for an error of another kind */
export function unresolvedImport(error: unknown, root: string): SvcError | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "UNRESOLVED_IMPORT") return undefined;
  const { id, exporter: specifier } = error as { id?: unknown; exporter?: unknown };
  if (typeof id !== "string" || typeof specifier !== "string") return undefined;
  const importer = id.split("?")[0] ?? id;
  if (!path.isAbsolute(importer) || !isOfApp(importer, root)) return undefined;
  const text = readFileSync(importer, "utf8");
  const failed = { specifier, importer };
  const span = spanOf(importer, text, failed);
  return span && diagnostic({ path: relativePath(root, importer), text }, "SVC_DEFINITION", span, noModule(failed));
}

function failedImport({ message, stack = "" }: Error, root: string, files: Iterable<string>): FailedImport | undefined {
  const [, specifier, importer] = NO_FILE.exec(message) ?? NO_PACKAGE.exec(message) ?? [];
  if (specifier !== undefined && importer !== undefined)
    return isOfApp(importer, root) ? { specifier, importer } : undefined;
  const [, from, name] = NO_EXPORT.exec(message) ?? [];
  if (from === undefined || name === undefined) return undefined;
  const running = [...stack.matchAll(RUNNING)].map(([, file = ""]) => file).find((file) => isOfApp(file, root));
  const found = running ?? [...files].find((file) => isOfApp(file, root) && importsName(file, from, name));
  return found === undefined ? undefined : { specifier: from, name, importer: found };
}

function importsName(file: string, specifier: string, name: string): boolean {
  if (!/\.[cm]?[jt]sx?$/.test(file) || !existsSync(file)) return false;
  const text = readFileSync(file, "utf8");
  const span = text.includes(name) ? spanOf(file, text, { specifier, name, importer: file }) : undefined;
  return span !== undefined && text.slice(span.start, span.end) === name;
}

function isOfApp(file: string, root: string): boolean {
  const inside = path.relative(root, file);
  return !inside.startsWith("..") && !path.isAbsolute(inside) && !inside.includes("node_modules");
}

interface Asked {
  readonly moduleRequest: { value: string; start: number; end: number } | null;
  readonly names: readonly { name: string | null; start: number | null; end: number | null }[];
}

/** Position of the name, else of the specifier. Undefined if the text has changed since. */
function spanOf(
  file: string,
  text: string,
  { specifier, name }: FailedImport,
): { start: number; end: number } | undefined {
  const { staticImports, staticExports } = parseSync(file, text, { sourceType: "module" }).module;
  const all: readonly Asked[] = [
    ...staticImports.map(({ moduleRequest, entries }) => ({
      moduleRequest,
      names: entries.map(({ importName }) => importName),
    })),
    ...staticExports.flatMap(({ entries }) =>
      entries.map(({ moduleRequest, importName }) => ({ moduleRequest, names: [importName] })),
    ),
  ].filter(({ moduleRequest }) => moduleRequest?.value === specifier);
  if (name === undefined) return all[0]?.moduleRequest ?? undefined;
  const named = all.flatMap(({ names }) => names).find((one) => one.name === name);
  return typeof named?.start === "number" && typeof named.end === "number"
    ? { start: named.start, end: named.end }
    : (all[0]?.moduleRequest ?? undefined);
}

function noModule({ specifier, importer }: FailedImport): string {
  if (!/^[./]/.test(specifier)) {
    const [name = specifier] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [];
    return `The package "${name}" is not installed. Run "npm install ${name}", or fix the name.`;
  }
  const meant = didYouMean(path.basename(specifier), filesBeside(path.resolve(path.dirname(importer), specifier)));
  const said =
    meant === undefined ? "" : `; did you mean "${specifier.slice(0, -path.basename(specifier).length)}${meant}"?`;
  return `There is no file "${specifier}". Fix the path${said || "."}`;
}

function filesBeside(file: string): string[] {
  try {
    return readdirSync(path.dirname(file));
  } catch {
    // The folder does not exist either.
    return [];
  }
}

async function noExport(specifier: string, name: string, namesOf: (specifier: string) => Promise<readonly string[]>) {
  const meant = didYouMean(name, await namesOf(specifier));
  return `"${specifier}" has no export "${name}"${meant === undefined ? ". Fix the name." : `; did you mean "${meant}"?`}`;
}
