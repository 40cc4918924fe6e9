/**
 * Speed of HTML rendering on the server, compared with a handwritten template and other frameworks.
 *
 *   npm run bench:ssr -- [--rounds N] [--only solid,svelte] [--json] [--update] [--quick]
 *
 * Method and noise: bench/README.md.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { contenders, readOptions, roundsOf } from "./lib/options.ts";
import { buildPeer, inFolder, install, load, plugins, versionOf } from "./lib/peers.ts";
import { buildDir, peersDir, root } from "./lib/places.ts";
import { progress, publish, type Table } from "./lib/report.ts";
import type { Slice, Workload } from "./lib/ssr-child.ts";
import { quantile, shuffled, spread } from "./lib/stats.ts";
import { buildBenchApp } from "./lib/svc-app.ts";
import type { InlineConfig, PluginOption } from "vite";

const NAMES = [
  "svc",
  "svc-page",
  "svc-scopes",
  "svc-list",
  "by-hand",
  "solid",
  "solid-hydratable",
  "marko",
  "svelte",
  "preact",
  "react",
] as const;
type Name = (typeof NAMES)[number];

const WORKLOADS: readonly Workload[] = ["spiral", "table"];
/** Duration of a contender's turn. */
const SLICE_MS = 90;
const WARM_UP_MS = 400;

const TITLES: Record<Name, () => string> = {
  svc: () => "**svc**, static page",
  "svc-page": () => "**svc**, a page that resumes, one handler for all",
  "svc-scopes": () => "**svc**, each tile and row resumes",
  "svc-list": () => "**svc**, one list that resumes, its data in the page",
  "by-hand": () => "by hand: the limit",
  solid: () => `Solid ${versionOf("solid-js")}`,
  "solid-hydratable": () => `Solid ${versionOf("solid-js")}, hydratable`,
  marko: () => `Marko ${versionOf("marko")}`,
  svelte: () => `Svelte ${versionOf("svelte")}`,
  preact: () => `Preact ${versionOf("preact")}`,
  react: () => `React ${versionOf("react")}`,
};

const ENTRIES: Partial<Record<Name, string>> = {
  solid: "ssr/solid.jsx",
  "solid-hydratable": "ssr/solid.jsx",
  marko: "ssr/marko.js",
  svelte: "ssr/svelte.js",
  preact: "ssr/preact.jsx",
  react: "ssr/react.jsx",
};

async function pluginsOf(name: Name): Promise<PluginOption[]> {
  if (name !== "marko") return plugins(true, { hydratable: name === "solid-hydratable" });
  const marko = await load<{ default(options: object): PluginOption[] }>("@marko/vite");
  return [marko.default({ linked: false })];
}

/** @returns path of the module that renders. */
async function build(name: Name): Promise<string> {
  if (name === "by-hand") return join(root, "out/bench/lib/ssr-by-hand.js");
  progress(`building ${name}`);
  const entry = ENTRIES[name] ?? "";
  return inFolder(peersDir, async () => {
    const config: InlineConfig = { plugins: await pluginsOf(name), ssr: { noExternal: true }, build: { ssr: true } };
    return buildPeer(entry, join(buildDir, "ssr", name), config);
  });
}

async function start(name: Name, path: string): Promise<ChildProcess> {
  const child = fork(join(root, "out/bench/lib/ssr-child.js"), [name, path], {
    env: { ...process.env, NODE_ENV: "production" },
    // The child imports svc's internal renderer, so the app's views must load the same modules.
    execArgv: ["--conditions=svc-modules"],
  });
  await once(child, "message");
  return child;
}

async function slice(child: ChildProcess, workload: Workload, ms: number): Promise<Slice> {
  child.send({ workload, ms });
  const [answer] = (await once(child, "message")) as [Slice];
  return answer;
}

/** @throws if a contender omits content or leaves text unescaped */
function check(name: Name, workload: Workload, { tiles, rows, isUnescaped }: Slice): void {
  const isRight = workload === "spiral" ? tiles === 2398 : rows === 1001 && !isUnescaped;
  if (!isRight) throw new Error(`${name} ${workload}: ${tiles} tiles, ${rows} rows, unescaped: ${isUnescaped}`);
}

type Slices = Map<Name, Record<Workload, Slice[]>>;

/** The best fifth of the slices; slower ones include other work on the machine and earlier garbage. */
const AT = 0.2;

function tableOf(slices: Slices, workload: Workload): Table {
  const cpu = (name: Name): number[] => slices.get(name)?.[workload].map((each) => each.cpu) ?? [];
  const limit = quantile(cpu("by-hand"), AT);
  const names = [...slices.keys()].sort((a, b) => quantile(cpu(a), AT) - quantile(cpu(b), AT));
  const rows = names.map((name) => {
    const mine = quantile(cpu(name), AT);
    const ratio = Number.isNaN(limit) ? "" : (limit / mine).toFixed(2);
    const bytes = slices.get(name)?.[workload][0]?.bytes.toLocaleString("en-US") ?? "";
    return [TITLES[name](), (mine / 1000).toFixed(3), ratio, `${Math.round(spread(cpu(name)) * 100)} %`, bytes];
  });
  const title = workload === "spiral" ? "Spiral: 2,398 tiles" : "Table: 1,000 rows of escaped text";
  return { title, head: ["", "CPU ms", "ratio to by hand", "±", "bytes"], rows };
}

const options = readOptions(20);
const names = contenders(NAMES, options);
if (!names.includes("by-hand") && !options.quick) names.push("by-hand");
if (names.some((name) => name in ENTRIES)) await install();
const app = await buildBenchApp();
const children = new Map<Name, ChildProcess>();
try {
  for (const name of names) {
    const path = name.startsWith("svc") ? join(app, "server/app.js") : await build(name);
    children.set(name, await start(name, path));
  }
  const slices: Slices = new Map();
  for (const [name, child] of children) {
    const warm = { spiral: [], table: [] };
    for (const workload of WORKLOADS)
      check(name, workload, await slice(child, workload, options.quick ? 1 : WARM_UP_MS));
    slices.set(name, warm);
  }
  for (const round of roundsOf(options)) {
    progress(`round ${round} of ${options.rounds}`);
    for (const workload of WORKLOADS) {
      for (const [name, child] of shuffled([...children])) {
        slices.get(name)?.[workload].push(await slice(child, workload, SLICE_MS));
      }
    }
  }
  const tables = WORKLOADS.map((workload) => tableOf(slices, workload));
  await publish({ bench: "ssr", tables, data: Object.fromEntries(slices) }, options);
} finally {
  for (const child of children.values()) child.kill();
  await rm(app, { recursive: true, force: true });
}
