/**
 * Names the classes of CSS modules by their file and not by its content. So every build and `svc dev` give the same names, and an edit of a
 * rule changes no name in an open page.
 */
import type { Plugin } from "vite";
import { relativePath } from "../build/import-chain.ts";
import { shortHash } from "../build/manifest.ts";

/** Applies unless the app's Vite configuration names the classes. */
export function scopedNames(): Plugin {
  let root = process.cwd();
  return {
    name: "svc-scoped-names",
    config({ css }) {
      if (css?.modules === false || css?.modules?.generateScopedName !== undefined) return undefined;
      const generateScopedName = (name: string, file: string): string =>
        `${name}_${shortHash(relativePath(root, file.split("?")[0] ?? file))}`;
      return { css: { modules: { generateScopedName } } };
    },
    configResolved(config) {
      ({ root } = config);
    },
  };
}
