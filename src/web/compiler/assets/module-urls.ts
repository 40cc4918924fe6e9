/**
 * `new URL("./photo.png", import.meta.url)` on the server. Vite replaces it in code for the browser; here the server's code gets the same URL.
 * In `*.server.ts` modules the expression keeps Node's meaning, the path of a file on the server.
 */
import path from "node:path";
import type { SourceFile } from "../diagnostics.ts";
import { unwrap, walk, type Node } from "../parse/ast.ts";
import { parse } from "../parse/parse.ts";

/** Files that browsers show or play. A module or a data file keeps Node's meaning, because server code reads such files. */
const SHOWN =
  /\.(?:png|apng|jpe?g|jfif|gif|svg|ico|webp|avif|bmp|mp4|webm|ogg|mp3|wav|flac|aac|opus|mov|m4a|woff2?|eot|ttf|otf|pdf)$/i;
const LOCAL = "$svc_file";

/** @param runtime specifier of the JSX runtime. @returns the file, with the same lines and imports at its end. */
export function withModuleUrls(file: SourceFile, runtime: string): SourceFile {
  if (!/new\s+URL\b[^]*import\.meta\.url/.test(file.text) || /\.server\.[cm]?[jt]sx?$/.test(file.path)) return file;
  const found: { start: number; end: number; specifier: string }[] = [];
  walk(parse(file), (node) => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) found.push({ start: node.start, end: node.end, specifier });
  });
  if (found.length === 0) return file;
  const imports = found.map(({ specifier }, at) => `import ${LOCAL}${at} from ${JSON.stringify(`${specifier}?url`)};`);
  const text = found.reduceRight(
    (before, { start, end }, at) => `${before.slice(0, start)}${LOCAL}Url(${LOCAL}${at})${before.slice(end)}`,
    file.text,
  );
  return {
    ...file,
    text: `${text}\nimport { fileUrl as ${LOCAL}Url } from ${JSON.stringify(runtime)}; ${imports.join(" ")}\n`,
  };
}

/** @returns the file's path for `new URL("./file", import.meta.url)`, relative to the module */
function specifierOf(node: Node): string | undefined {
  if (node.type !== "NewExpression" || node.callee.type !== "Identifier" || node.callee.name !== "URL")
    return undefined;
  const [target, base] = node.arguments;
  if (!target || !base || !isModuleUrl(unwrap(base))) return undefined;
  const text = target.type === "Literal" && typeof target.value === "string" ? target.value : undefined;
  if (text === undefined || /^[a-z]+:|^\//i.test(text) || !SHOWN.test(text)) return undefined;
  return text.startsWith(".") ? text : `./${path.posix.normalize(text)}`;
}

/** Whether an expression is `import.meta.url`. */
function isModuleUrl(node: Node): boolean {
  if (node.type !== "MemberExpression" || node.computed || node.object.type !== "MetaProperty") return false;
  return node.property.type === "Identifier" && node.property.name === "url";
}
