/**
 * The same source must give the same chunks, or every deploy empties the caches of every visitor. The bundler writes imports of
 * the runtime in the order in which they happened to be resolved; here they get one order, before names are shortened.
 */
import MagicString from "magic-string";
import type { Plugin } from "vite";

const IMPORTS = /^(?:import [^;]+;\n)+/;

export function sortedImports(): Plugin {
  return {
    name: "svc:sorted-imports",
    renderChunk(code) {
      const head = IMPORTS.exec(code)?.[0];
      if (head === undefined) return null;
      const text = new MagicString(code);
      text.overwrite(0, head.length, `${sourceOrder(head.trimEnd().split("\n")).join("\n")}\n`);
      return { code: text.toString(), map: text.generateMap({ hires: "boundary" }) };
    },
  };
}

/** Import statements, one each, by what they import from. */
export function sourceOrder(statements: readonly string[]): string[] {
  const source = (statement: string): string => /"([^"]+)";$/.exec(statement)?.[1] ?? "";
  return [...statements].sort((left, right) => (source(left) < source(right) ? -1 : 1));
}
