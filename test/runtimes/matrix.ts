/**
 * Installs the packed package with several package managers, and runs the same checks on each supported runtime. A runtime that can't be
 * installed here is skipped, and says so. docs/reference/runtimes.md publishes the result.
 *
 *   node out/test/runtimes/matrix.js [filter…]     only cases whose name contains one of the filters
 */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { checkApp, run, type Command } from "./checks.ts";
import { checkViteProject } from "./vite-project.ts";

const root = resolve(fileURLToPath(import.meta.url), "../../../..");
const folder = mkdtempSync(join(tmpdir(), "svc-runtimes-"));
const filters = process.argv.slice(2);
const platform = `${process.platform}-${process.arch}`;

/** A package that contains a program. */
interface Tool {
  readonly spec: string;
  /** Path of the program in the package. */
  readonly program: string;
}

const NODE = `node-${platform}`;
const node = (version: string): Tool => ({ spec: `${NODE}@${version}`, program: "bin/node" });
const BUN: Tool = { spec: `@oven/bun-${platform}@1`, program: "bin/bun" };
const DENO: Tool = { spec: `@deno/${platform}${process.platform === "linux" ? "-glibc" : ""}@2`, program: "deno" };
const PNPM: Tool = { spec: "pnpm@12", program: "bin/pnpm.mjs" };
const YARN: Tool = { spec: "@yarnpkg/cli-dist@4", program: "bin/yarn.js" };
const YARN_1: Tool = { spec: "yarn@1", program: "bin/yarn.js" };
const CREATE_VITE: Tool = { spec: "create-vite@9", program: "index.js" };
/** Runs the package managers. */
const NODE_22 = node("22");

const SUPPORTED = [node("20.19.0"), node("22.13.0"), NODE_22, node("24.6.0"), node("24"), node("26")];
const REFUSED = [node("18"), node("21.7.3")];

class Skip extends Error {}

interface Case {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Installs a tool once. @returns the path of its program. @throws Skip if it can't be installed */
const tools = new Map<string, Promise<string>>();
function programOf(tool: Tool): Promise<string> {
  const known = tools.get(tool.spec);
  if (known) return known;
  const program = installTool(tool);
  tools.set(tool.spec, program);
  return program;
}

async function installTool({ spec, program }: Tool): Promise<string> {
  const cwd = join(folder, `tool-${spec.replaceAll(/[^\w.-]+/g, "-")}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, "package.json"), "{}");
  const argv = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", spec];
  const { code, output } = await run({ argv, cwd });
  const path = join(cwd, "node_modules", spec.slice(0, spec.lastIndexOf("@")), program);
  if (code === 0 && existsSync(path)) return path;
  throw new Skip(`${spec} can't be installed here: ${output.trim().split("\n")[0]}`);
}

/** Creates the app in a folder of its own, which depends on the tarball. */
function createAppIn(name: string, tarball: string, extra: Readonly<Record<string, string>> = {}): string {
  const app = join(folder, name);
  cpSync(join(root, "test/fixtures/runtimes"), app, { recursive: true, filter: (path) => !/[\\/]dist$/.test(path) });
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version: string }>;
  };
  const manifest = {
    name: "runtimes",
    private: true,
    type: "module",
    dependencies: { svckit: `file:${tarball}` },
    // Of the lock file: a new release of Vite does not change what a commit is tested with.
    devDependencies: { vite: packages["node_modules/vite"]?.version },
  };
  writeFileSync(join(app, "package.json"), JSON.stringify(manifest));
  for (const [file, text] of Object.entries(extra)) writeFileSync(join(app, file), text);
  return app;
}

async function succeed(command: Command): Promise<string> {
  const { code, output } = await run(command);
  assert.equal(code, 0, `${command.argv.join(" ")} ended with ${code}:\n${output}`);
  return output;
}

/** An app that is not refused runs until then. */
const REFUSAL_MS = 30_000;
const SVC = "node_modules/svckit/bin/svc.js";
let count = 0;
const check = (command: Command): Promise<void> => checkApp(command, join(folder, `data-${++count}`));

async function versionOf(program: string): Promise<string> {
  return (await succeed({ argv: [program, "--version"], cwd: folder })).trim().split("\n")[0] ?? "";
}

function casesOf(tarball: string, base: string): Case[] {
  const onNode = async (tool: Tool): Promise<void> => check({ argv: [await programOf(tool), SVC, "start"], cwd: base });
  return [
    ...SUPPORTED.map((tool) => ({ name: `Node ${tool.spec.split("@")[1]}`, run: () => onNode(tool) })),
    ...REFUSED.map((tool) => ({
      name: `Node ${tool.spec.split("@")[1]} is refused`,
      run: async () => refuses([await programOf(tool), SVC, "start"], base, /SVC_RUNTIME: .* Node \d+\..*20\.19/),
    })),
    {
      name: "Deno 2",
      run: async () => check({ argv: [await programOf(DENO), "run", "--allow-all", SVC, "start"], cwd: base }),
    },
    { name: "Bun is refused", run: async () => refusesBun(await programOf(BUN), base) },
    { name: "Node with --permission is refused", run: () => refusesPermission(base) },
    {
      name: "npm install --omit=dev, which leaves out Vite, in a folder with an odd name",
      run: () => runsWithoutDevelopment(tarball, base),
    },
    {
      name: "the guide for Vite projects, with React",
      run: async () => checkViteProject(await programOf(CREATE_VITE), folder, tarball),
    },
    ...managers(tarball),
  ];
}

async function refuses(argv: readonly string[], cwd: string, reason: RegExp): Promise<void> {
  const env = { PORT: "0", SVC_DATA_DIR: join(folder, `data-${++count}`) };
  const { code, output } = await run({ argv, cwd, env }, REFUSAL_MS);
  assert.equal(code, 1, output);
  assert.match(output, reason);
  assert.doesNotMatch(output, /^\s+at /m, "the message has no stack");
}

/** Its `undici` would ignore the connector of a guarded fetch. */
async function refusesBun(bun: string, cwd: string): Promise<void> {
  await refuses([bun, SVC, "start"], cwd, /SVC_RUNTIME: .*Bun/);
  const script = 'import { createGuardedFetch } from "svckit"; createGuardedFetch();';
  const { code, output } = await run({ argv: [bun, "--eval", script], cwd });
  assert.notEqual(code, 0);
  assert.match(output, /SVC_RUNTIME|does not run on Bun/);
}

async function refusesPermission(cwd: string): Promise<void> {
  const program = await programOf(node("24"));
  const argv = [program, "--permission", "--allow-fs-read=*", "--allow-fs-write=*", SVC, "start"];
  await refuses(argv, cwd, /SVC_RUNTIME: .*--permission/);
}

/** A server that gets a built app installs no build tools. */
async function runsWithoutDevelopment(tarball: string, base: string): Promise<void> {
  const cwd = createAppIn("npm's production: 50% ü", tarball);
  cpSync(join(base, "dist"), join(cwd, "dist"), { recursive: true });
  const options = ["--omit=dev", "--no-audit", "--no-fund", "--prefer-offline"];
  await succeed({ argv: ["npm", "install", ...options], cwd });
  const installed = ["vite", "rolldown", "lightningcss"].filter((name) => existsSync(join(cwd, "node_modules", name)));
  assert.deepEqual(installed, []);
  await check({ argv: [process.execPath, SVC, "start"], cwd });
  const build = [process.execPath, SVC, "build"];
  await refuses(build, cwd, /SVC_CONFIG: .*needs the package "vite", which is not installed.*npm install --save-dev/);
  const vite = join(cwd, "node_modules/vite");
  mkdirSync(vite);
  writeFileSync(join(vite, "package.json"), '{"name":"vite","version":"8.0.0","type":"module","exports":"./index.js"}');
  writeFileSync(join(vite, "index.js"), "export const cut = ");
  await refuses(build, cwd, /SVC_CONFIG: The installed package "vite" is damaged: .*Delete the folder node_modules/);
}

/** Installs, builds and runs the app with package managers other than npm. */
function managers(tarball: string): Case[] {
  const withManager = async (
    name: string,
    tool: Tool,
    install: readonly string[],
    extra: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    const [program, node22] = [await programOf(tool), await programOf(NODE_22)];
    const env = { PATH: [dirname(node22), process.env["PATH"] ?? ""].join(delimiter) };
    const manager = tool === BUN ? [program] : [node22, program];
    const cwd = createAppIn(name, tarball, extra);
    await succeed({ argv: [...manager, ...install], cwd, env });
    // The app of `bun install` runs on Node.
    const svc = tool === BUN ? [node22, SVC] : [...manager, ...(tool === PNPM ? ["exec", "svc"] : ["svc"])];
    await succeed({ argv: [...svc, "build"], cwd, env });
    await check({ argv: [...svc, "start"], cwd, env, isWrapped: tool !== BUN });
  };
  const yarnrc = (linker: string): Record<string, string> => ({
    "yarn.lock": "",
    ".yarnrc.yml": `nodeLinker: ${linker}\nenableGlobalCache: false\nenableTelemetry: false\nenableImmutableInstalls: false\n`,
  });
  return [
    {
      name: "pnpm 12, which installs no peers",
      run: () => withManager("pnpm", PNPM, ["install", "--no-frozen-lockfile", "--config.auto-install-peers=false"]),
    },
    { name: "Yarn 4 with node_modules", run: () => withManager("yarn", YARN, ["install"], yarnrc("node-modules")) },
    { name: "Yarn 4 with PnP", run: () => withManager("yarn-pnp", YARN, ["install"], yarnrc("pnp")) },
    {
      name: "Yarn 1",
      run: () => withManager("yarn-1", YARN_1, ["install", "--no-lockfile", "--non-interactive"]),
    },
    { name: "bun install, run with Node", run: () => withManager("bun", BUN, ["install"]) },
  ];
}

/** npm installs the app, on which all runtimes run. */
async function installBase(tarball: string): Promise<string> {
  const cwd = createAppIn("npm", tarball);
  await succeed({ argv: ["npm", "install", "--no-audit", "--no-fund", "--prefer-offline"], cwd });
  await succeed({ argv: [process.execPath, SVC, "build"], cwd });
  return cwd;
}

async function pack(): Promise<string> {
  const argv = ["npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  return join(folder, (await succeed({ argv, cwd: root })).trim());
}

const totals = { passed: 0, failed: 0, skipped: 0 };

async function report({ name, run: work }: Case): Promise<void> {
  const startMs = performance.now();
  const seconds = (): string => `${((performance.now() - startMs) / 1000).toFixed(1)} s`;
  try {
    await work();
    totals.passed++;
    console.log(`ok      ${name} (${seconds()})`);
  } catch (error) {
    if (error instanceof Skip) {
      totals.skipped++;
      console.log(`skipped ${name}: ${error.message}`);
    } else {
      totals.failed++;
      console.log(`FAILED  ${name} (${seconds()}): ${(error as Error).message}`);
    }
  }
}

let cases: Case[] = [];
await report({
  name: `npm ${await versionOf("npm")}: install and build`,
  run: async () => {
    const tarball = await pack();
    cases = casesOf(tarball, await installBase(tarball));
  },
});
const waiting = cases.filter(({ name }) => filters.length === 0 || filters.some((filter) => name.includes(filter)));
const take = async (): Promise<void> => {
  for (let next = waiting.shift(); next; next = waiting.shift()) await report(next);
};
// Installing and starting use different resources of the machine.
await Promise.all(Array.from({ length: availableParallelism() }, take));
rmSync(folder, { recursive: true, force: true });
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exitCode = totals.failed === 0 ? 0 : 1;
