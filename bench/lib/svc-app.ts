/** svc's app: bench/app, built for production by the real compiler, served as `svc start` serves it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { App } from "svckit";
import { buildApp } from "svckit/compiler";
import { appDir, buildDir } from "./places.ts";

export interface Served {
  url: string;
  close(): Promise<void>;
}

/** @returns path of the built server module. */
export async function buildBenchApp(): Promise<string> {
  const { outDir } = await buildApp({ root: appDir, outDir: join(buildDir, `svc-${process.pid}`) });
  return outDir;
}

export async function serveBenchApp(): Promise<Served> {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-bench-"));
  process.env["SVC_DATA_DIR"] = dataDir;
  process.env["NODE_ENV"] = "production";
  const dist = await buildBenchApp();
  const { default: app } = (await import(pathToFileURL(join(dist, "server/app.js")).href)) as { default: App };
  const started = await app.start({ host: "127.0.0.1", port: 0, dist });
  return {
    url: started.url,
    close: async () => {
      await started.close();
      for (const folder of [dataDir, dist]) rmSync(folder, { recursive: true, force: true });
    },
  };
}
