/** `svc start`: serves what `svc build` wrote, without any of the compiler. */
import { join } from "node:path";
import type { Started } from "../../app/app-types.ts";
import { modeOfStart } from "../../platform/security/exposure.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";
import { banner } from "../banner.ts";
import { loadBuilt, requireBuilt } from "../load-app.ts";
import type { Output } from "../output.ts";
import { endRequested } from "../signals.ts";

export interface StartTask {
  /** Absolute. */
  root: string;
  host: string | undefined;
  port: number | undefined;
  /** Overrides `SVC_ROLE`. */
  role: string | undefined;
  /** Overrides `SVC_WORKERS`. */
  workers: string | undefined;
}

/** Beyond its deadline, before a drain is given up: closing the store and the last writes to disk take a moment. */
const PATIENCE_MS = 5000;
/** How long the process may go on after that by itself. */
const LINGER_MS = 500;

/** @returns the exit code: 1 when requests were cut off, or the drain did not end. */
export async function start({ root, host, port, role, workers }: StartTask, output: Output): Promise<number> {
  const dist = join(root, "dist");
  const entry = join(dist, "server", "app.js");
  requireBuilt(entry);
  // Stacks name the lines that were written, not those of the bundle. From the app on only: reading the maps of the framework and
  // of all it imports would take a tenth of the start.
  await import("../../app/app.ts");
  // The app reads its variables as it is loaded.
  const hasMode = Boolean(process.env[VARIABLES.nodeEnv]?.trim());
  process.env[VARIABLES.nodeEnv] = modeOfStart(process.env[VARIABLES.nodeEnv]);
  if (role !== undefined) process.env[VARIABLES.role] = role;
  if (workers !== undefined) process.env[VARIABLES.workers] = workers;
  process.setSourceMapsEnabled(true);
  const app = await loadBuilt(entry);
  const ended = endRequested();
  // Of a promise too that nobody waits for. What state the app is in after it, nobody knows: it ends, and what was durable goes on.
  process.on("uncaughtException", (err) => {
    app.log.error({ err }, "An error that nobody caught ends the process");
    process.exit(1);
  });
  const started = await app.start({
    dist,
    // A fresh app starts with nothing set. Who names the mode deploys, and names the address too.
    canGuessSiteUrl: !hasMode,
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
  });
  // Since the process began, which is what whoever waits for it has waited.
  banner(app, started.url, Math.round(performance.now()), output);
  await ended;
  if (output.isInteractive) output.line("Draining …");
  else app.log.info({ drainMs: started.drainMs }, "Asked to end: the app drains");
  const code = await drained(started, output);
  // What the app's own code left open, such as a pool of connections, must not keep the process.
  setTimeout(() => process.exit(code), LINGER_MS).unref();
  return code;
}

async function drained(started: Started, output: Output): Promise<number> {
  const limitMs = started.drainMs + PATIENCE_MS;
  const stuck = setTimeout(() => {
    output.error(`The app has not closed within ${limitMs / 1000} s; it is ended as it is`);
    process.exit(1);
  }, limitMs);
  const { cutRequests } = await started.close();
  clearTimeout(stuck);
  if (cutRequests === 0) return 0;
  output.error(`${cutRequests} ${cutRequests === 1 ? "request was" : "requests were"} cut off at the deadline`);
  return 1;
}
