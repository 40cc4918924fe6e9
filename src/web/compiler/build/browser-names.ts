/** Names of the framework in browser modules: those that the browser has come from its runtime, and the others from modules of their own. */
import { SVC } from "../analyze/declaration-kinds.ts";
import { BROWSER_NAMES, CREATED_NAMES } from "../emit/client-module.ts";
import type { FrameworkAliases } from "../framework-imports.ts";

/** Prefix of the import of a framework name that exists only on the server. */
export const SERVER_NAME = "svc-server:";

/**
 * In a module that browser code imports, imports names of the framework that exist only on the server from a module of their own. The
 * bundler drops it unless browser code uses the name.
 */
export function withServerNames(code: string, aliases: FrameworkAliases): string {
  return code.replace(
    /^(import\s*\{)([^}]*)(\}\s*from\s*)(["'])([^"'\n]+)\4/gm,
    (statement, open: string, list: string, from: string, _quote, specifier: string) => {
      if ((aliases.get(specifier) ?? specifier) !== SVC) return statement;
      const names = list.split(",").filter((name) => name.trim() !== "");
      const isServerName = (name: string): boolean => {
        const [imported = ""] = name.trim().split(/\s+/);
        return (
          imported !== "type" && !Object.hasOwn(BROWSER_NAMES, imported) && !Object.hasOwn(CREATED_NAMES, imported)
        );
      };
      const server = names.filter(isServerName).map((name) => {
        const [imported = ""] = name.trim().split(/\s+/);
        return `import {${name}} from "${SERVER_NAME}${imported}";`;
      });
      const browser = names.filter((name) => !isServerName(name)).join(",");
      return `${server.join(" ")}${open}${browser}${from}${JSON.stringify(specifier)}`;
    },
  );
}

/** The framework's package, as browser modules see it. */
export function browserSvc(): { code: string } {
  const lines = Object.entries({ ...BROWSER_NAMES, ...CREATED_NAMES }).map(
    ([name, path]) => `export { ${name} } from ${JSON.stringify(path)};\n`,
  );
  return { code: lines.join("") };
}
