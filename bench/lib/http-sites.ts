/** Who takes part in bench:http: how each is built and started, and what it is asked for. */
import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildApp } from "svc/compiler";
import type { Command } from "./http-servers.ts";
import type { Workload } from "./http-workloads.ts";
import { install, versionOf } from "./peers.ts";
import { buildDir, httpAppDir, peersDir, root } from "./places.ts";

export const HTTP_NAMES = ["svc", "raw", "fastify", "hono", "express", "trpc"] as const;
export type HttpName = (typeof HTTP_NAMES)[number];

const httpPeersDir = join(peersDir, "http");

export const TITLES: Record<HttpName, () => string> = {
  svc: () => "**svc**",
  raw: () => "node:http alone: the limit",
  fastify: () => `Fastify ${versionOf("fastify", httpPeersDir)}`,
  hono: () => `Hono ${versionOf("hono", httpPeersDir)}`,
  trpc: () => `tRPC ${versionOf("@trpc/server", httpPeersDir)}, standalone`,
  express: () => `Express ${versionOf("express", httpPeersDir)}`,
};

/** A page that resumes has no like in frameworks that only answer requests. */
const WITHOUT_PAGES: ReadonlySet<HttpName> = new Set(["fastify", "hono", "express", "trpc"]);

export function hasWorkload(name: HttpName, workload: Workload): boolean {
  if (name === "trpc") return workload === "action";
  if (workload === "return") return name === "svc" || name === "raw";
  return workload !== "counter" || !WITHOUT_PAGES.has(name);
}

/** What one process of svc's side has signed the next one knows. */
const secret = randomBytes(32).toString("hex");
/** Each process has a database of its own in it. */
const dataDir = mkdtempSync(join(tmpdir(), "svc-bench-"));

/** Folder that `svc start` serves. */
const svcRoot = join(buildDir, `http-svc-${process.pid}`);

/** Builds svc's side. @returns folders to remove when all is over. */
export async function buildHttpSite(): Promise<string[]> {
  await buildApp({ root: httpAppDir, outDir: join(svcRoot, "dist") });
  const dist = join(svcRoot, "dist", "public");
  if (!existsSync(dist)) cpSync(join(httpAppDir, "public"), dist, { recursive: true });
  return [svcRoot, dataDir];
}

/** Installs what a contender needs. */
export async function prepare(name: HttpName): Promise<void> {
  if (WITHOUT_PAGES.has(name)) await install(httpPeersDir);
}

/** @param capturesFile what svc answers, for those who send the same. */
export function commandOf(name: HttpName, capturesFile: string): Command {
  if (name === "svc") {
    return {
      args: [join(root, "bin/svc.js"), "start", "--root", svcRoot],
      // The rate limit counts as it does for everybody; only its end is out of reach.
      env: { SVC_SECRET: secret, SVC_DATA_DIR: mkdtempSync(join(dataDir, "svc-")), SVC_RATE_ACTIONS: "1000000" },
    };
  }
  if (name === "raw") return { args: [join(root, "out/bench/lib/http-raw.js"), capturesFile] };
  return { args: [join(httpPeersDir, `${name}.js`)], cwd: httpPeersDir, env: { BENCH_CAPTURES: capturesFile } };
}
