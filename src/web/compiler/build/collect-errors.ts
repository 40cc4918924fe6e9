/**
 * Reports the errors of all modules of a build at once. A module with errors is replaced by a module with the same imports and exports, so
 * that the bundler reaches the modules behind it. Nothing is written then.
 */
import { parseSync, type Plugin, type Rollup } from "vite";
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Problems } from "../problems.ts";

/** The hooks in which the compiler finds errors. All are functions, as `svc()` returns them. */
type Hooks = {
  [Name in "load" | "transform" | "renderChunk"]: Extract<Plugin[Name], (...args: never[]) => unknown>;
};

/** Message of the error that ends a build of which errors are known. */
const KNOWN = "svc found errors in the modules.";

/** @returns the plugin, which adds its errors to `problems`, and one that ends the build after all errors are found */
export function collectErrors(plugin: Plugin, problems: Problems): Plugin[] {
  const end = (): void => {
    if (problems.count > 0) throw new Error(KNOWN);
  };
  return [
    collecting(plugin, problems),
    {
      name: "svc-errors",
      buildEnd(error) {
        // An error of the bundler ends the build anyway.
        if (!error) end();
      },
      generateBundle: end,
    },
  ];
}

/** Whether an error only ended the build, because others are known. */
export function isEndOfBuild(error: unknown): boolean {
  return error instanceof Error && error.message.includes(KNOWN);
}

function collecting(plugin: Plugin, problems: Problems): Plugin {
  const { load, transform, renderChunk } = plugin as Plugin & Hooks;
  const keep = (error: unknown): void => {
    if (!(error instanceof SvcError)) throw error;
    problems.add(error);
  };
  return {
    ...plugin,
    async load(id, options) {
      try {
        return await load.call(this, id, options);
      } catch (error) {
        keep(error);
        return { code: "export {};", moduleType: "js" };
      }
    },
    async transform(code, id, options) {
      try {
        return await transform.call(this, code, id, options);
      } catch (error) {
        keep(error);
        return { code: await outlineOf(this, code, id), map: { mappings: "" } };
      }
    },
    async renderChunk(...args) {
      try {
        return await renderChunk.apply(this, args);
      } catch (error) {
        keep(error);
        return null;
      }
    },
  };
}

/** A module with the imports and exports of another one. */
async function outlineOf(context: Rollup.PluginContext, code: string, id: string): Promise<string> {
  const { staticImports, staticExports } = parseSync(id, code, { lang: "tsx", sourceType: "module" }).module;
  const lines: string[] = [];
  const importFrom = async (head: string, source: string): Promise<void> => {
    const found = await context.resolve(source, id);
    if (found && !found.external) lines.push(`${head} ${JSON.stringify(source)};`);
  };
  for (const { entries, moduleRequest } of staticImports)
    if (entries.length === 0 || entries.some(({ isType }) => !isType)) await importFrom("import", moduleRequest.value);
  for (const { exportName, isType, moduleRequest } of staticExports.flatMap(({ entries }) => entries)) {
    if (isType) continue;
    const isAll = exportName.kind === "None";
    if (moduleRequest) await importFrom(isAll ? "export * from" : "import", moduleRequest.value);
    if (exportName.kind === "Default") lines.push("export default undefined;");
    else if (!isAll) lines.push(`export const ${exportName.name ?? ""} = undefined;`);
  }
  return lines.join("\n");
}
