/** Who takes part in bench:http: how each is built and started, and what it is asked for. */
import { cpSync, existsSync } from "node:fs";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildApp } from "svc/compiler";
import type { Command } from "./http-servers.ts";
import type { Workload } from "./http-workloads.ts";
import { install, versionOf } from "./peers.ts";
import { buildDir, httpAppDir, peersDir, root } from "./places.ts";

export const HTTP_NAMES = ["svc", "raw", "fastify", "hono", "express"] as const;
export type HttpName = (typeof HTTP_NAMES)[number];

const httpPeersDir = join(peersDir, "http");

export const TITLES: Record<HttpName, () => string> = {
  svc: () => "**svc**",
  raw: () => "node:http alone: the limit",
  fastify: () => `Fastify ${versionOf("fastify", httpPeersDir)}`,
  hono: () => `Hono ${versionOf("hono", httpPeersDir)}`,
  express: () => `Express ${versionOf("express", httpPeersDir)}`,
};

/** A page that resumes has no like in frameworks that only answer requests. */
const WITHOUT_PAGES: ReadonlySet<HttpName> = new Set(["fastify", "hono", "express"]);

export function hasWorkload(name: HttpName, workload: Workload): boolean {
  if (workload === "return") return name === "svc" || name === "raw";
  return workload !== "counter" || !WITHOUT_PAGES.has(name);
}

/** Folder that `svc start` serves. */
const svcRoot = join(buildDir, `http-svc-${process.pid}`);

/** Builds svc's side. @returns folder to remove when all is over. */
export async function buildHttpSite(): Promise<string> {
  await buildApp({ root: httpAppDir, outDir: join(svcRoot, "dist") });
  const dist = join(svcRoot, "dist", "public");
  if (!existsSync(dist)) cpSync(join(httpAppDir, "public"), dist, { recursive: true });
  return svcRoot;
}

/** Installs what a contender needs. */
export async function prepare(name: HttpName): Promise<void> {
  if (WITHOUT_PAGES.has(name)) await install(httpPeersDir);
}

/** @param capturesFile what svc answers, for those who send the same. */
export function commandOf(name: HttpName, capturesFile: string): Command {
  if (name === "svc") {
    const dataDir = mkdtempSync(join(tmpdir(), "svc-bench-"));
    return {
      args: [join(root, "bin/svc.js"), "start", "--root", svcRoot],
      // The rate limit counts as it does for everybody; only its end is out of reach.
      env: { SVC_DATA_DIR: dataDir, SVC_RATE_ACTIONS: "1000000" },
    };
  }
  if (name === "raw") return { args: [join(root, "out/bench/lib/http-raw.js"), capturesFile] };
  return { args: [join(httpPeersDir, `${name}.js`)], cwd: httpPeersDir, env: { BENCH_CAPTURES: capturesFile } };
}
