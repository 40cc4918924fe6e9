/** The demo as a user runs it: built by the CLI, started by the CLI as a child process, stopped by a signal. */
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { oncePerRun } from "./once-per-run.ts";

export const root = resolve(fileURLToPath(import.meta.url), "../../../..");
const demo = join(root, "demo");
const cli = join(root, "bin/svc.js");

/** The operator key of every demo server in tests. */
export const API_KEY = "operator-key-of-the-demo";

export interface DemoServer {
  readonly url: string;
  /** Everything that the process has printed. */
  output(): string;
  /** Resolves with the exit code (`null` after a kill) when the process has exited. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<number | null>;
}

export interface DemoOptions {
  /** Folder of the app. Default: the demo. */
  app?: string;
  /** Default: `start`, which needs a build. */
  command?: "start" | "dev";
  /** A script that starts the app itself, instead of the command. Default: none. */
  script?: string;
  /** More arguments of the command or the script. Default: none. */
  args?: readonly string[];
  /** The command line of svc. Default: the one in the repository. */
  cli?: string;
  /** The caller keeps it over several starts; see `temporaryFolder`. */
  dataDir: string;
  env?: Record<string, string>;
  /** The port, for a server that replaces another. Default: any free port. */
  port?: number;
}

/** Builds once per test run; see {@link rebuildDemo} for changed sources. */
export async function buildDemo(app = demo): Promise<void> {
  await oncePerRun(app, () => rebuildDemo(app));
}

export async function rebuildDemo(app: string): Promise<void> {
  await promisify(execFile)(process.execPath, [cli, "build"], { cwd: app });
}

export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "svc-e2e-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Resolves when the server is ready. */
export async function startDemo(options: DemoOptions): Promise<DemoServer> {
  const command = options.script === undefined ? [options.cli ?? cli, options.command ?? "start"] : [options.script];
  const child = spawn(process.execPath, [...command, ...(options.args ?? [])], {
    cwd: options.app ?? demo,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(options.port ?? 0),
      SVC_DATA_DIR: options.dataDir,
      SVC_EXEC_API_KEY: API_KEY,
      // File-based apps require it in production.
      ...(options.app === undefined && { SVC_SITE_URL: "https://audit.example" }),
      ...options.env,
    },
  });
  let output = "";
  let reported: (url: string) => void;
  const listening = new Promise<string>((done) => (reported = done));
  const collect = (text: string): void => {
    output += text;
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
    if (url) reported(url);
  };
  child.stdout.setEncoding("utf8").on("data", collect);
  child.stderr.setEncoding("utf8").on("data", collect);
  const exited = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  const failed = exited.then((code) => {
    throw new Error(`The demo ended with ${code} before it was ready:\n${output}`);
  });
  const url = await Promise.race([listening, failed]);
  await Promise.race([untilReady(url), failed]);
  failed.catch(() => {}); // From now on it exits only when stopped.
  return {
    url,
    output: () => output,
    stop: (signal = "SIGTERM") => {
      child.kill(signal);
      return exited;
    },
  };
}

/** A server that is still booting refuses the connection or answers 503: both mean "ask again". */
async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; attempt < 1200; attempt++) {
    const status = await fetch(`${url}/ready`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error(`The demo at ${url} was not ready within 30 s`);
}
