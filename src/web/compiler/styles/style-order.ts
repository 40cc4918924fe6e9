/** Decides which stylesheets each component module needs, and their order, which is the same on all pages. */
import path from "node:path";
import type { ImportedStyles } from "../../../platform/shared/manifest.ts";
import type { StyleImports } from "./style-imports.ts";

/** The same as in the manifest, but with the absolute paths of the files. */
export type StyleOrder = ImportedStyles;

/**
 * @param entry absolute path of the app's module. Stylesheets that it imports without a component module between belong to every page.
 * @param components absolute path of each module with components -> its path relative to the root.
 * @returns undefined for an app that imports no stylesheet.
 */
export function styleOrder(
  imports: StyleImports,
  entry: string,
  components: ReadonlyMap<string, string>,
): StyleOrder | undefined {
  const sorted = [...components].sort(([one], [other]) => outermostFirst(one, other));
  const files = imports.stylesOf([entry, ...sorted.map(([file]) => file)]);
  if (files.length === 0) return undefined;
  const places = new Map(files.map((file, at) => [file, at]));
  const indexesOf = (found: readonly string[]): number[] =>
    found.map((file) => places.get(file) ?? 0).sort((one, other) => one - other);
  const modules = sorted.flatMap(([file, name]): [string, number[]][] => {
    const own = indexesOf(imports.stylesOf([file]));
    return own.length === 0 ? [] : [[name, own]];
  });
  const always = indexesOf(imports.stylesOf([entry], new Set(components.keys())));
  return { files, always, modules: Object.fromEntries(modules) };
}

/** Modules of outer folders first and layouts before the other modules of their folder, so that a page overrides its layouts. */
function outermostFirst(one: string, other: string): number {
  const key = (file: string): string =>
    `${path.dirname(file)}\0${path.basename(file).startsWith("_layout.") ? 0 : 1}${path.basename(file)}`;
  return key(one) < key(other) ? -1 : 1;
}
