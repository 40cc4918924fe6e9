/** `svc start`: serves the build of `svc build`, without loading the compiler. */
import { join } from "node:path";
import type { Started } from "../../app/app-types.ts";
import { modeOfStart } from "../../platform/security/exposure.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";
import { banner } from "../banner.ts";
import { loadEnvFiles } from "../env-files.ts";
import { loadBuilt, requireBuilt } from "../load-app.ts";
import type { Output } from "../output.ts";
import { endRequested } from "../signals.ts";

export interface StartTask {
  /** Absolute path. */
  root: string;
  host: string | undefined;
  port: number | undefined;
  /** Overrides `SVC_ROLE`. */
  role: string | undefined;
  /** Overrides `SVC_WORKERS`. */
  workers: string | undefined;
}

/** Time after the drain's deadline to close the store and write to disk, before the process gives up. */
const PATIENCE_MS = 5000;
/** Time that the process may take to exit on its own. */
const LINGER_MS = 500;

/** @returns the exit code: 1 if requests were cut off, or the drain did not end. */
export async function start({ root, host, port, role, workers }: StartTask, output: Output): Promise<number> {
  const dist = join(root, "dist");
  const entry = join(dist, "server", "app.js");
  requireBuilt(entry);
  // Source maps show positions in the source. They are enabled after the framework has loaded: reading its maps would take a tenth of the
  // start.
  await import("../../app/app.ts");
  // The app reads its variables while it loads.
  const hasMode = Boolean(process.env[VARIABLES.nodeEnv]?.trim());
  const mode = modeOfStart(process.env[VARIABLES.nodeEnv]);
  process.env[VARIABLES.nodeEnv] = mode;
  loadEnvFiles(root, mode, process.env);
  if (role !== undefined) process.env[VARIABLES.role] = role;
  if (workers !== undefined) process.env[VARIABLES.workers] = workers;
  process.setSourceMapsEnabled(true);
  const app = await loadBuilt(entry);
  const ended = endRequested();
  // Includes rejected promises that nobody handles. The state of the app is unknown after this, so the process ends; durable work
  // continues after a restart.
  process.on("uncaughtException", (err) => {
    app.log.error({ err }, "Uncaught error: the process exits");
    process.exit(1);
  });
  const started = await app.start({
    dist,
    // A new app has no settings. A deployment that sets NODE_ENV sets its address as well.
    canGuessSiteUrl: !hasMode,
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
  });
  // Counts from the start of the process, which is the time that the user has waited.
  banner(app, started.url, Math.round(performance.now()), output);
  await ended;
  if (output.isInteractive) output.line("Draining …");
  else app.log.info({ drainMs: started.drainMs }, "Shutdown requested: the app drains");
  const code = await drained(started, output);
  // Resources that the app's code left open, such as a connection pool, must not keep the process running.
  setTimeout(() => process.exit(code), LINGER_MS).unref();
  return code;
}

async function drained(started: Started, output: Output): Promise<number> {
  const limitMs = started.drainMs + PATIENCE_MS;
  const stuck = setTimeout(() => {
    output.error(`The app did not close within ${limitMs / 1000} s; the process exits now`);
    process.exit(1);
  }, limitMs);
  const { cutRequests } = await started.close();
  clearTimeout(stuck);
  if (cutRequests === 0) return 0;
  output.error(`${cutRequests} ${cutRequests === 1 ? "request was" : "requests were"} cut off at the deadline`);
  return 1;
}
