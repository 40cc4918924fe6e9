/** Hooks for Node's module loader: compile the TypeScript and TSX modules of an app as its server build does. */
import { readFile } from "node:fs/promises";
import type { LoadHook } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { transformWithOxc } from "vite";
import { compile } from "./compile.ts";
import { relativePath } from "./build/import-chain.ts";

const SOURCE = /\.([cm]?ts|tsx)$/;

/** Types and JSX of packages are not the app's; their modules are JavaScript. */
export const load: LoadHook = async (url, context, nextLoad) => {
  const [, kind] = (url.startsWith("file:") && !url.includes("/node_modules/") && SOURCE.exec(url)) || [];
  if (kind === undefined) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const text = await readFile(file, "utf8");
  const module = relativePath(process.cwd(), file);
  const source = kind === "tsx" ? compile(text, module, { isDevelopment: true }).server.code : text;
  const { code, map } = await transformWithOxc(source, `${file}.ts`, {
    lang: "ts",
    sourcemap: true,
    tsconfig: false,
    target: "es2022",
  });
  const sources = [path.basename(file)];
  const inline = Buffer.from(JSON.stringify({ ...map, sources })).toString("base64");
  // Positions of TSX are those of the compiled module.
  const mapped = kind === "tsx" ? code : `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}\n`;
  return { format: "module", source: mapped, shortCircuit: true };
};
