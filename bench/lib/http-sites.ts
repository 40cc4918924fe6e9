/** The contenders of bench:http: how each is built and started, and its workloads. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildApp } from "svckit/compiler";
import type { Command } from "./http-servers.ts";
import { ARGUMENT, textOf, type Workload } from "./http-workloads.ts";
import { install, versionOf } from "./peers.ts";
import { buildDir, httpAppDir, peersDir, root } from "./places.ts";
import { progress } from "./report.ts";

export const HTTP_NAMES = [
  "svc",
  "open",
  "raw",
  "hand",
  "fastify",
  "hono",
  "h3",
  "srvx",
  "express",
  "trpc",
  "sveltekit",
  "next",
] as const;
export type HttpName = (typeof HTTP_NAMES)[number];

const httpPeersDir = join(peersDir, "http");

export const TITLES: Record<HttpName, () => string> = {
  svc: () => "**svc**",
  open: () => "**svc** with its database and graphs open",
  raw: () => "node:http alone: the limit",
  hand: () => "node:http by hand, with the same checks",
  fastify: () => `Fastify ${versionOf("fastify", httpPeersDir)}`,
  hono: () => `Hono ${versionOf("hono", httpPeersDir)}`,
  trpc: () => `tRPC ${versionOf("@trpc/server", httpPeersDir)}, standalone`,
  h3: () => `h3 ${versionOf("h3", httpPeersDir)}`,
  srvx: () => `srvx ${versionOf("srvx", httpPeersDir)}`,
  express: () => `Express ${versionOf("express", httpPeersDir)}`,
  sveltekit: () => `SvelteKit ${versionOf("@sveltejs/kit", folderOf("sveltekit"))}`,
  next: () => `Next ${versionOf("next", folderOf("next"))}`,
};

/** Frameworks without browser code have no page that resumes. */
const WITHOUT_PAGES: ReadonlySet<HttpName> = new Set(["fastify", "hono", "h3", "srvx", "express", "trpc"]);

/** Full-stack frameworks, each with its own page, call and build. */
const WHOLE = { sveltekit: ["vite", "build"], next: ["next", "build"] } as const;

/** Whether it is a full-stack framework. */
export function isWhole(name: HttpName): name is keyof typeof WHOLE {
  return name in WHOLE;
}

function folderOf(name: HttpName): string {
  return join(peersDir, name);
}

export function hasWorkload(name: HttpName, workload: Workload): boolean {
  if (name === "trpc") return workload === "action";
  if (name === "hand") return workload === "action" || workload === "counter" || workload === "return";
  if (isWhole(name)) return workload === "action" || workload === "counter";
  if (name === "open") return workload === "page" || workload === "counter";
  if (workload === "return") return name === "svc" || name === "raw";
  return workload !== "counter" || !WITHOUT_PAGES.has(name);
}

/** The action's request in frameworks with their own protocol. */
export function ownCall(name: HttpName): string | undefined {
  const method = "POST";
  if (name === "trpc") {
    return textOf({
      method,
      path: "/addUp",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(ARGUMENT),
    });
  }
  // The request of a form with `use:enhance`.
  if (name === "sveltekit") {
    const type = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
    const headers = { ...type, origin: ORIGIN, "x-sveltekit-action": "true" };
    const body = new URLSearchParams(Object.entries(ARGUMENT).map(([key, value]) => [key, String(value)])).toString();
    return textOf({ method, path: "/counter?/addUp", headers, body });
  }
  if (name === "next") {
    const type = { "content-type": "text/plain;charset=UTF-8", accept: "text/x-component" };
    const headers = { ...type, origin: ORIGIN, "next-action": nextActionId() };
    return textOf({ method, path: "/counter?name=Ann", headers, body: JSON.stringify([ARGUMENT]) });
  }
  return undefined;
}

/** Host header of requests, and therefore the origin of forms. */
const ORIGIN = "http://127.0.0.1";

/** The name that the build gave to the single action. */
function nextActionId(): string {
  const manifest = readFileSync(join(folderOf("next"), ".next/server/server-reference-manifest.json"), "utf8");
  const [id] = Object.keys((JSON.parse(manifest) as { node: Record<string, unknown> }).node);
  if (id === undefined) throw new Error("Next's build has no action");
  return id;
}

/** The same secret in all processes of svc, so that each accepts the others' signatures. */
const secret = randomBytes(32).toString("hex");
/** Contains a database for each process. */
const dataDir = mkdtempSync(join(tmpdir(), "svc-bench-"));

/** Folder that `svc start` serves. */
const svcRoot = join(buildDir, `http-svc-${process.pid}`);

/** Builds svc's app. @returns folders to remove at the end */
export async function buildHttpSite(): Promise<string[]> {
  await buildApp({ root: httpAppDir, outDir: join(svcRoot, "dist") });
  const dist = join(svcRoot, "dist", "public");
  if (!existsSync(dist)) cpSync(join(httpAppDir, "public"), dist, { recursive: true });
  return [svcRoot, dataDir];
}

/** Installs a contender's packages and builds it for production. */
export async function prepare(name: HttpName): Promise<void> {
  if (WITHOUT_PAGES.has(name)) await install(httpPeersDir);
  if (!isWhole(name)) return;
  const cwd = folderOf(name);
  await install(cwd);
  progress(`building ${name}`);
  const [command, ...args] = WHOLE[name];
  const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
  await promisify(execFile)(join(cwd, "node_modules/.bin", command), args, { cwd, env });
}

/** @param capturesFile captured responses of svc, for contenders that send the same */
export function commandOf(name: HttpName, capturesFile: string): Command {
  if (name === "svc" || name === "open") {
    return {
      args: [join(root, "bin/svc.js"), "start", "--root", svcRoot],
      env: {
        SVC_SECRET: secret,
        SVC_DATA_DIR: mkdtempSync(join(dataDir, "svc-")),
        // The rate limit counts as usual, but is too high to be reached.
        SVC_RATE_ACTIONS: "1000000",
        // The operator key opens the database and the engine at boot; without it this app has neither (decision 066).
        ...(name === "open" && { SVC_EXEC_API_KEY: secret }),
      },
    };
  }
  if (name === "raw") return { args: [join(root, "out/bench/lib/http-raw.js"), capturesFile] };
  if (name === "hand")
    return { args: [join(root, "out/bench/lib/http-hand.js"), capturesFile], env: { SVC_SECRET: secret } };
  if (name === "sveltekit") return { args: [join(folderOf(name), "build/index.js")], env: { ORIGIN } };
  if (name === "next") {
    const cwd = folderOf(name);
    return {
      args: [join(cwd, "node_modules/next/dist/bin/next"), "start"],
      cwd,
      env: { NEXT_TELEMETRY_DISABLED: "1" },
    };
  }
  return { args: [join(httpPeersDir, `${name}.js`)], cwd: httpPeersDir, env: { BENCH_CAPTURES: capturesFile } };
}
