/**
 * Rewrites the imports of a chunk. Imports of the runtime become calls of the loader, which retries a failed request; a browser never
 * requests a failed import again. The imports are sorted, because the bundler writes them in the order of resolution: the same source must
 * result in the same chunk, or every deploy would invalidate the caches of all visitors.
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

/** Import statements by specifier. */
export function sourceOrder(statements: readonly string[]): string[] {
  const source = (statement: string): string => /"([^"]+)";$/.exec(statement)?.[1] ?? "";
  return [...statements].sort((left, right) => (source(left) < source(right) ? -1 : 1));
}

const RUNTIME_IMPORT = new RegExp(`^import \\{([^}]*)\\} from "${BASE_PATH}/([\\w-]+)\\.js";$`);

/** `import { A as $A } from "/_svc/core.js"` -> `const { A: $A } = await $svc.load("core")`. Other imports stay. */
export function throughLoader(statement: string): string {
  return statement.replace(
    RUNTIME_IMPORT,
    (_import, names: string, part: string) =>
      `const {${names.replaceAll(" as ", ": ")}} = await ${DOM.queue}.load("${part}");`,
  );
}
