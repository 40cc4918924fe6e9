/** The servers of bench:http, each in a separate process on the first processor, and the load generator on the second. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import { createServer, connect, type AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Usage } from "./cpu-reporter.ts";
import type { Load, LoadOrder } from "./http-load.ts";
import { root } from "./places.ts";

export interface Command {
  /** Script and its arguments. */
  args: readonly string[];
  cwd?: string;
  env?: Readonly<Record<string, string>>;
}

const isPinned = cpus().length > 1 && spawnSync("taskset", ["--version"]).status === 0;
const SERVER_CPU = "0";
const LOAD_CPU = "1";

/** Longest time until a server listens. */
const START_TIMEOUT_MS = 60_000;

function spawnNode(cpu: string, { args, cwd = root, env = {} }: Command): ChildProcess {
  const [command, ...rest] = [...(isPinned ? ["taskset", "-c", cpu] : []), process.execPath, ...args];
  return spawn(command ?? "", rest, {
    cwd,
    env: { ...process.env, NODE_ENV: "production", ...env },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (isOpen: boolean) => (): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.on("connect", end(true));
    socket.on("error", end(false));
  });
}

const REPORTER = pathToFileURL(join(root, "out/bench/lib/cpu-reporter.js")).href;

/** A server under test. */
export class Server {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
  }

  /** @returns when it listens. @throws if it ends first */
  static async start(command: Command): Promise<Server> {
    const port = await freePort();
    const env = { ...command.env, PORT: String(port), HOST: "127.0.0.1", HOSTNAME: "127.0.0.1" };
    const child = spawnNode(SERVER_CPU, { ...command, args: ["--import", REPORTER, ...command.args], env });
    const server = new Server(port, child);
    const until = performance.now() + START_TIMEOUT_MS;
    while (!(await canConnect(port))) {
      if (child.exitCode === null && performance.now() < until) continue;
      server.stop();
      throw new Error(`${command.args.join(" ")} does not listen`);
    }
    return server;
  }

  async usage(): Promise<Usage> {
    this.#child.send("usage");
    const [usage] = (await once(this.#child, "message")) as [Usage];
    return usage;
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }
}

/** Sends requests from a separate process. */
export class Loader {
  readonly #child = spawnNode(LOAD_CPU, { args: [join(root, "out/bench/lib/http-load.js")] });

  /** @throws if a response is incomplete or has another status */
  async run(order: LoadOrder): Promise<Load> {
    this.#child.send(order);
    const [load] = (await once(this.#child, "message")) as [Load];
    if (load.error !== undefined) throw new Error(load.error);
    return load;
  }

  stop(): void {
    this.#child.kill("SIGKILL");
  }
}
