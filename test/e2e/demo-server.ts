/** The demo as a user runs it: built by the CLI, started by the CLI as a child process, stopped by signal. */
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const root = resolve(fileURLToPath(import.meta.url), "../../../..");
const demo = join(root, "demo");
const cli = join(root, "bin/svc.js");

/** The operator key of every demo server under test. */
export const API_KEY = "test-key";

export interface DemoServer {
  readonly url: string;
  /** Everything the process has printed. */
  output(): string;
  /** Resolves with the exit code (`null` after a kill) when the process has gone. */
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<number | null>;
}

export interface DemoOptions {
  /** Folder of the app. Default: the demo. */
  app?: string;
  /** Default: `start`, which needs a build. */
  command?: "start" | "dev";
  /** Kept by the caller over several starts; see `temporaryFolder`. */
  dataDir: string;
  env?: Record<string, string>;
  /** Of a server that takes the place of another. Default: any that is free. */
  port?: number;
}

export async function buildDemo(app = demo): Promise<void> {
  await promisify(execFile)(process.execPath, [cli, "build"], { cwd: app });
}

export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "svc-e2e-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Resolves when the server answers that it is ready. */
export async function startDemo(options: DemoOptions): Promise<DemoServer> {
  const port = options.port ?? (await freePort());
  const child = spawn(process.execPath, [cli, options.command ?? "start"], {
    cwd: options.app ?? demo,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"],
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
      SVC_DATA_DIR: options.dataDir,
      SVC_EXEC_API_KEY: API_KEY,
      ...options.env,
    },
  });
  let output = "";
  const collect = (text: string): void => void (output += text);
  child.stdout.setEncoding("utf8").on("data", collect);
  child.stderr.setEncoding("utf8").on("data", collect);
  const exited = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  const url = `http://127.0.0.1:${port}`;
  await Promise.race([
    untilReady(url),
    exited.then((code) => Promise.reject(new Error(`The demo ended with ${code} before it was ready:\n${output}`))),
  ]);
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
  for (let attempt = 0; attempt < 400; attempt++) {
    const status = await fetch(`${url}/ready`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error(`The demo at ${url} was not ready within 10 s`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
