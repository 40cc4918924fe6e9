/**
 * The imports at the head of a chunk. Those of the runtime become calls of the loader, which asks again for what could not be
 * fetched: a browser never fetches an imported URL twice. And they get one order: the same source must give the same
 * chunks, or every deploy empties the caches of every visitor, while the bundler writes them as they happened to be resolved.
 */
import MagicString from "magic-string";
import type { Plugin } from "vite";
import { BASE_PATH, DOM } from "../../../platform/shared/wire.ts";

const IMPORTS = /^(?:import [^;]+;\n)+/;

export function sortedImports(): Plugin {
  return {
    name: "svc:sorted-imports",
    renderChunk(code) {
      const head = IMPORTS.exec(code)?.[0];
      if (head === undefined) return null;
      const text = new MagicString(code);
      const statements = sourceOrder(head.trimEnd().split("\n")).map(throughLoader);
      text.overwrite(0, head.length, `${statements.join("\n")}\n`);
      return { code: text.toString(), map: text.generateMap({ hires: "boundary" }) };
    },
  };
}

/** Import statements, one each, by what they import from. */
export function sourceOrder(statements: readonly string[]): string[] {
  const source = (statement: string): string => /"([^"]+)";$/.exec(statement)?.[1] ?? "";
  return [...statements].sort((left, right) => (source(left) < source(right) ? -1 : 1));
}

const RUNTIME_IMPORT = new RegExp(`^import \\{([^}]*)\\} from "${BASE_PATH}/([\\w-]+)\\.js";$`);

/** `import { A as $A } from "/_svc/core.js"` -> `const { A: $A } = await $svc.load("core")`; others as they are. */
export function throughLoader(statement: string): string {
  return statement.replace(
    RUNTIME_IMPORT,
    (_import, names: string, part: string) =>
      `const {${names.replaceAll(" as ", ": ")}} = await ${DOM.queue}.load("${part}");`,
  );
}
