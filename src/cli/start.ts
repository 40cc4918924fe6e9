/** `svc start`: serves what `svc build` wrote, without any of the compiler. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { SvcError } from "../shared/errors.ts";
import type { CommandOptions } from "./arguments.ts";
import { banner } from "./banner.ts";
import { appOf } from "./load-app.ts";
import type { Output } from "./output.ts";
import { endRequested } from "./signals.ts";

export async function start({ root, host, port }: CommandOptions, output: Output): Promise<void> {
  const dist = join(root, "dist");
  const entry = join(dist, "server", "app.js");
  if (!existsSync(entry)) throw new SvcError("SVC_CONFIG", `${entry} does not exist; run "svc build" first`);
  // Stacks name the lines that were written, not those of the bundle.
  process.setSourceMapsEnabled(true);
  const app = appOf((await import(pathToFileURL(entry).href)) as { default?: unknown }, entry);
  const ended = endRequested();
  const started = await app.start({
    dist,
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
  });
  // Since the process began, which is what whoever waits for it has waited.
  banner(app, started.url, Math.round(performance.now()), output);
  await ended;
  if (output.isInteractive) output.line("Draining …");
  await started.close();
}
