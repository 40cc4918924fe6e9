/**
 * `asset("/app.css")`: the compiler replaces each call by the URL of a file in `public/`. In a build the name in the URL contains a hash of
 * the file's content, and the folder stays the same, so that relative URLs in the file keep their meaning.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { PACKAGE_NAME } from "../../../platform/package/manifest.ts";
import { SVC } from "../analyze/declaration-kinds.ts";
import { diagnostic, type SourceFile } from "../diagnostics.ts";
import { NO_ALIASES, nameFrameworkImports, type FrameworkAliases } from "../framework-imports.ts";
import { walk, type Node } from "../parse/ast.ts";
import { parse } from "../parse/parse.ts";

/** The entry point of `asset` and `Image`. */
export const ASSETS = `${SVC}/assets`;

/** Finds files of `public/` for the modules that refer to them. */
export class PublicFiles {
  readonly #hashesNames: boolean;
  /** Path in `public/` -> path with a hash, for the files that the app refers to. Empty under `svc dev`. */
  readonly hashed = new Map<string, string>();
  /** Absolute paths of the files that modules refer to, whether they exist or not. */
  readonly asked = new Set<string>();

  /** @param hashesNames whether names in URLs contain a hash, as in a build */
  constructor(hashesNames: boolean) {
    this.#hashesNames = hashesNames;
  }

  /**
   * @param folder absolute path of `public/`. @param name path of the file in it, with forward slashes
   * @returns its path in a URL, without the first slash; undefined if there is no such file.
   */
  urlPath(folder: string, name: string): string | undefined {
    const file = path.join(folder, name);
    this.asked.add(file.split(path.sep).join("/"));
    if (path.relative(folder, file).startsWith("..") || !existsSync(file) || !statSync(file).isFile()) return undefined;
    if (!this.#hashesNames) return name;
    const hash = createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 8);
    const { dir, name: base, ext } = path.posix.parse(name);
    const hashed = path.posix.join(dir, `${base}-${hash}${ext}`);
    this.hashed.set(name, hashed);
    return hashed;
  }

  /** Copies the files under their names with a hash. */
  async copy(folder: string, target: string): Promise<void> {
    for (const [name, hashed] of this.hashed) {
      await mkdir(path.dirname(path.join(target, hashed)), { recursive: true });
      await copyFile(path.join(folder, name), path.join(target, hashed));
    }
  }
}

/**
 * @param folder absolute path of `public/`
 * @returns the file with a string in place of each call; its lines stay the same.
 * @throws SvcError `SVC127` for a file that does not exist, or an argument that is no literal
 */
export function withPublicFiles(
  file: SourceFile,
  folder: string,
  files: PublicFiles,
  aliases: FrameworkAliases = NO_ALIASES,
): SourceFile {
  if (!mayCallAsset(file.text)) return file;
  const program = parse(file);
  nameFrameworkImports(program, aliases);
  const names = new Set(
    program.body.flatMap((statement) =>
      statement.type === "ImportDeclaration" && statement.source.value === ASSETS
        ? statement.specifiers.flatMap((item) =>
            item.type === "ImportSpecifier" && item.imported.type === "Identifier" && item.imported.name === "asset"
              ? [item.local.name]
              : [],
          )
        : [],
    ),
  );
  if (names.size === 0) return file;
  const edits: { start: number; end: number; text: string }[] = [];
  walk(program, (node) => {
    if (node.type !== "CallExpression" || node.callee.type !== "Identifier" || !names.has(node.callee.name)) return;
    const [argument] = node.arguments;
    edits.push({
      start: node.start,
      end: node.end,
      text: JSON.stringify(urlOf(file, argument ?? node, folder, files)),
    });
  });
  const text = edits
    .sort((left, right) => right.start - left.start)
    .reduce((before, { start, end, text: url }) => before.slice(0, start) + url + before.slice(end), file.text);
  return { ...file, text };
}

/** Most modules have no such call. The package may have another name, so its specifier is not searched. */
export function mayCallAsset(text: string): boolean {
  return text.includes("/assets") && /\basset\b/.test(text);
}

function urlOf(file: SourceFile, argument: Node, folder: string, files: PublicFiles): string {
  const literal = argument.type === "Literal" && typeof argument.value === "string" ? argument.value : undefined;
  if (literal === undefined)
    throw diagnostic(
      file,
      "SVC127",
      argument,
      `asset() of "${PACKAGE_NAME}/assets" needs a string in quotes, so that the build can find the file. Write a call for each file, and choose between their results.`,
    );
  const [, name = "", rest = ""] = /^\/([^?#]*)(.*)$/s.exec(literal) ?? [];
  const found = name === "" ? undefined : files.urlPath(folder, name);
  if (found === undefined)
    throw diagnostic(
      file,
      "SVC127",
      argument,
      name === ""
        ? `asset(${JSON.stringify(literal)}) needs the path of a file in public/ that begins with a slash, such as "/app.css".`
        : `asset(${JSON.stringify(literal)}) names no file: public/${name} does not exist. Add the file, or correct the path.`,
    );
  return encodeURI(`/${found}`) + rest;
}
