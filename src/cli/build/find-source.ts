/** Finds the position of a piece of source by its text and the name of the component that contains it. */
import { readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { positionOf } from "../../web/compiler/diagnostics.ts";
import { listFiles } from "../../platform/security/list-files.ts";
import type { Place } from "../../platform/shared/dev-fault.ts";

/** Folders without source of the app. */
const NO_SOURCE = new Set(["node_modules", "dist"]);

/**
 * @param root folder of the app.
 * @param file relative path; undefined: use the first file that declares the component.
 */
export function placeInComponent(
  root: string,
  file: string | undefined,
  component: string,
  source: string,
): Place | undefined {
  const declaration = new RegExp(`\\b(?:function|const|let|var)\\s+${component}\\b`);
  for (const path of file === undefined ? sourceFiles(root) : [file]) {
    const text = readText(join(root, path));
    const begin = text.search(declaration);
    if (begin < 0) continue;
    const at = text.indexOf(source, begin);
    return { file: path.split(sep).join("/"), ...positionOf(text, at < 0 ? begin : at) };
  }
  return undefined;
}

function sourceFiles(root: string): string[] {
  const isWanted = (name: string): boolean => !NO_SOURCE.has(name) && !name.startsWith(".");
  const files = [...listFiles(root, isWanted)].filter(({ isLink }) => !isLink);
  return files.map(({ name }) => name).filter((name) => /\.[jt]sx$/.test(name));
}

/** @returns an empty text if the file no longer exists. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
