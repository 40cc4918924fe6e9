/**
 * Type-checking cost of typed calls: 300 actions, imported and called in a component, compared with tRPC and Hono's client.
 *
 *   npm run bench:types -- [--rounds N] [--only trpc] [--json] [--update] [--quick]
 *
 * Method and noise: bench/README.md.
 */
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { contenders, readOptions, roundsOf } from "./lib/options.ts";
import { install, versionOf } from "./lib/peers.ts";
import { buildDir, peersDir, root } from "./lib/places.ts";
import { progress, publish } from "./lib/report.ts";
import { median, shuffled } from "./lib/stats.ts";
import { sourcesOf, TYPES_NAMES, type TypesName } from "./lib/types-sources.ts";

const COUNT = 300;
const QUICK_COUNT = 10;

const typesDir = join(peersDir, "types");

const TITLES: Record<TypesName, () => string> = {
  svc: () => "**svc**, types as written",
  "svc-zod": () => `**svc**, schemas of zod ${versionOf("zod", typesDir)}`,
  zod: () => `zod ${versionOf("zod", typesDir)} alone: minimum cost of its schemas`,
  "svc-valibot": () => `**svc**, schemas of valibot ${versionOf("valibot", typesDir)}`,
  valibot: () => `valibot ${versionOf("valibot", typesDir)} alone`,
  trpc: () => `tRPC ${versionOf("@trpc/server", typesDir)}, schemas of zod`,
  hono: () => `Hono ${versionOf("hono", typesDir)}, \`hc\`, schemas of zod`,
};

interface Checked {
  instantiations: number;
  types: number;
  checkSeconds: number;
}

const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  target: "es2023",
  lib: ["es2023", "dom"],
  module: "nodenext",
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: [],
};

/** Inside the package, so that `svckit` resolves; the packages of the others are linked next to the sources. */
function write(name: TypesName, count: number): string {
  const folder = join(buildDir, `types-${process.pid}`, name);
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(typesDir, "node_modules"), join(folder, "node_modules"));
  for (const [file, text] of Object.entries(sourcesOf(name, count))) writeFileSync(join(folder, file), text);
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ["*.ts"] }),
  );
  return folder;
}

/** @throws with the compiler's output if a call has the wrong type */
async function check(folder: string): Promise<Checked> {
  const tsc = join(root, "node_modules/.bin/tsc");
  const { stdout } = await promisify(execFile)(tsc, ["-p", folder, "--extendedDiagnostics"]).catch((error: unknown) => {
    throw new Error(`${folder}: ${String((error as { stdout?: string }).stdout).slice(0, 2000)}`);
  });
  const figure = (label: string): number => Number(new RegExp(`^${label}:\\s+([\\d.]+)`, "m").exec(stdout)?.[1]);
  return { instantiations: figure("Instantiations"), types: figure("Types"), checkSeconds: figure("Check time") };
}

const options = readOptions(5);
if (!options.quick) await install(typesDir);
const names = contenders(TYPES_NAMES, options);
const results = new Map<TypesName, Checked[]>(names.map((name) => [name, []]));
try {
  const folders = new Map(names.map((name) => [name, write(name, options.quick ? QUICK_COUNT : COUNT)]));
  for (const round of roundsOf(options)) {
    progress(`round ${round} of ${options.rounds}`);
    for (const [name, folder] of shuffled([...folders])) results.get(name)?.push(await check(folder));
  }
} finally {
  rmSync(join(buildDir, `types-${process.pid}`), { recursive: true, force: true });
}
const thousands = (value: number): string => value.toLocaleString("en-US");
const rows = [...results].map(([name, all]) => [
  TITLES[name](),
  thousands(median(all.map(({ instantiations }) => instantiations))),
  thousands(median(all.map(({ types }) => types))),
  median(all.map(({ checkSeconds }) => checkSeconds)).toFixed(2),
]);
const table = {
  title: `${COUNT} typed actions, all called in one file`,
  head: ["", "instantiations", "types", "check, seconds"],
  rows,
};
await publish({ bench: "types", tables: [table], data: Object.fromEntries(results) }, options);
