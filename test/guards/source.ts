/** Reads the source tree for the guards: files, imports, and text without comments. */
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(fileURLToPath(import.meta.url), "../../../..");

export interface SourceFile {
  /** Path from the root of the repository, with forward slashes. */
  path: string;
  text: string;
}

/** TypeScript sources below a folder, by default without tests. */
export function sourceFiles(folder: string, options: { tests?: boolean } = {}): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file) && (options.tests === true || !/\.(test|testkit)\.tsx?$/.test(file)))
    .filter((file) => !/(^|\/)(node_modules|dist)\//.test(file))
    .map((file) => {
      const path = join(folder, file).split(sep).join("/");
      return { path, text: readFileSync(join(root, path), "utf8") };
    });
}

/** The text with comments blanked out and strings kept. Comments may contain anything that code may not. */
export function withoutComments(text: string): string {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
  return text.replace(token, (part) =>
    part.startsWith("/*") || part.startsWith("//") ? part.replace(/[^\n]/g, " ") : part,
  );
}

/** Repository paths of the relative imports of a file: static, dynamic, re-exports and types alike. */
export function importsOf(file: SourceFile): string[] {
  const pattern = /(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g;
  const found = [...withoutComments(file.text).matchAll(pattern)].map((match) => match[1] as string);
  return found.map((specifier) =>
    relative(root, resolve(root, dirname(file.path), specifier))
      .split(sep)
      .join("/"),
  );
}

/** The folders of `src` that are TypeScript projects, such as `platform/http`; nested ones first. */
const LAYERS = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.split(sep).at(-1) === "tsconfig.json")
  .map((file) => dirname(file).split(sep).join("/"))
  .filter((folder) => folder !== ".")
  .sort((a, b) => b.length - a.length);

/** The files directly in `src`, which the package exports. */
export const ENTRY_POINTS = "entry points";

/** `src/platform/http/server.ts` -> `platform/http`; `src/index.ts` -> `entry points`. */
export function layerOf(path: string): string {
  return LAYERS.find((layer) => path.startsWith(`src/${layer}/`)) ?? ENTRY_POINTS;
}
