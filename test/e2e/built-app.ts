/** An app of test/fixtures or examples, built for production and started in the process of the test that calls it. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { App, Started } from "svckit";
import { buildApp } from "svckit/compiler";
import { root } from "./demo-server.ts";
import { oncePerRun } from "./once-per-run.ts";

export interface BuiltApp extends Started {
  readonly app: App;
}

/** @param name a folder in test/fixtures. Its `dist` is built once per test run. The app reads the variables of the process. */
export function startBuilt(name: string): Promise<BuiltApp> {
  return startBuiltIn(join("test/fixtures", name));
}

/** @param folder of the app, relative to the root of the repository. @see startBuilt */
export async function startBuiltIn(folder: string): Promise<BuiltApp> {
  Object.assign(process.env, { NODE_ENV: "production", SVC_DATABASE_URL: "memory:", SVC_SECRET: "s".repeat(32) });
  const outDir = join(root, folder, "dist");
  await oncePerRun(folder, () => buildApp({ root: join(root, folder), outDir }));
  const { default: app } = (await import(pathToFileURL(join(outDir, "server/app.js")).href)) as { default: App };
  return { app, ...(await app.start({ dist: outDir, host: "127.0.0.1", port: 0 })) };
}
