/**
 * Creates `Symbol.dispose` and `Symbol.asyncDispose` in browsers that lack them (Firefox before 141, all of WebKit). The bundler compiles
 * `using` to calls of these methods and falls back to the same registered symbols, but a class of the app names them by `Symbol.dispose`.
 */
import MagicString from "magic-string";
import type { Plugin } from "vite";

/** Chunks that name neither symbol stay as they are. Runs after `sortedImports`, which needs the imports first. */
export function disposalSymbols(): Plugin {
  return {
    name: "svc:disposal-symbols",
    renderChunk(code) {
      const statement = disposalStatement(code);
      if (statement === undefined) return null;
      const text = new MagicString(code).prepend(statement);
      return { code: text.toString(), map: text.generateMap({ hires: "boundary" }) };
    },
  };
}

/** @returns the statement that a chunk needs before its code; undefined for most chunks */
export function disposalStatement(code: string): string | undefined {
  const names = ["dispose", "asyncDispose"].filter((name) => code.includes(`Symbol.${name}`));
  if (names.length === 0) return undefined;
  return `${names.map((name) => `Symbol.${name}??=Symbol.for("Symbol.${name}");`).join("")}\n`;
}
