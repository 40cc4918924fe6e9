/**
 * Compiles the package's own TSX in src/ops with svc's compiler and replaces the output of tsc. These pages have only server modules,
 * because their live parts are the elements of flow.js and ui.js. Browser code is an error.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { compile } from "svckit/compiler";

const root = resolve(fileURLToPath(import.meta.url), "../../..");

/** `from "./badge.tsx"` -> `from "./badge.js"`: esbuild leaves the paths as they are. */
function importsOfOutput(code: string): string {
  return code.replaceAll(/(\bfrom ?"\.{1,2}\/[^"]*)\.tsx?"/g, '$1.js"');
}

/** @param path below src/. */
async function build(path: string): Promise<void> {
  const source = join(root, "src", path);
  const target = join(root, "out", path.replace(/\.tsx$/, ".js"));
  const { server, client } = compile(readFileSync(source, "utf8"), `svc/${path}`);
  if (client !== undefined)
    throw new Error(
      `src/${path} has code for the browser: handlers, signals and effects are for apps. Use an element.`,
    );
  const inline = Buffer.from(server.map).toString("base64");
  const { code, map } = await transform(`${server.code}\n//# sourceMappingURL=data:application/json;base64,${inline}`, {
    loader: "ts",
    target: "es2022",
    sourcemap: "external",
    sourcefile: basename(path),
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  const name = `${basename(target)}.map`;
  const sources = [relative(dirname(target), source)];
  writeFileSync(target, `${importsOfOutput(code)}//# sourceMappingURL=${name}\n`);
  writeFileSync(join(dirname(target), name), JSON.stringify({ ...(JSON.parse(map) as object), sources }));
}

const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
for (const path of files.filter((file) => file.endsWith(".tsx"))) await build(path.replaceAll("\\", "/"));
