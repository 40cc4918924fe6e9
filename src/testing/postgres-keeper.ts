/**
 * Keeps one PostgreSQL server for tests in a process of its own: starts it in a folder, restarts it when it ends, and removes it with its
 * folder when the owner process is gone, however that ended. So a killed run leaves nothing behind. Loopback only, all connections
 * trusted.
 * The argument is a `KeeperOrder` as JSON. The result is a file in the folder: `url` once the server answers, `failed` if it can't start.
 */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { PostgresPrograms } from "./postgres-programs.ts";

export interface KeeperOrder {
  programs: PostgresPrograms;
  /** Folder of the server and the result. The keeper removes it. */
  folder: string;
  /** Id of the process that needs the server. */
  ownerPid: number;
  /** Whether a commit waits for the disk, as in production. */
  isDurable: boolean;
}

/** Interval at which the keeper checks its owner and its server. */
const LOOK_MS = 250;
/** A machine under load needs time to create the files of a database. */
const START_MS = 60_000;
/** Debian's user with this name; `nobody` elsewhere. PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

const order = JSON.parse(process.argv[2] ?? "") as KeeperOrder;
const data = join(order.folder, "data");
const owner = process.getuid?.() === 0 ? { uid: unprivileged(), gid: NOBODY } : {};

function unprivileged(): number {
  const line = /^postgres:[^:]*:(\d+):/m.exec(readFileSync("/etc/passwd", "utf8"));
  return line === null ? NOBODY : Number(line[1]);
}

function report(name: "url" | "failed", text: string): void {
  const path = join(order.folder, name);
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function createCluster(): void {
  mkdirSync(data);
  if (owner.uid !== undefined) {
    // The server's user traverses the outer folder and owns the inner one.
    chownSync(order.folder, owner.uid, owner.gid);
    chownSync(data, owner.uid, owner.gid);
  }
  const made = spawnSync(
    order.programs.initdb,
    ["-D", data, "-U", "svc", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"],
    { ...owner, cwd: order.folder, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`${order.programs.initdb} failed: ${made.stderr || String(made.error)}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

function startServer(port: number): ChildProcess {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: 200,
    shared_buffers: "64MB",
    // Eight servers on one small machine must not fill its disk.
    max_wal_size: "256MB",
    fsync: order.isDurable ? "on" : "off",
    full_page_writes: order.isDurable ? "on" : "off",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  // A process group of its own, because a signal to the tests' group is not meant for the server.
  return spawn(order.programs.postgres, ["-D", data, "-p", String(port), ...flags], {
    ...owner,
    cwd: order.folder,
    detached: true,
    stdio: "ignore",
  });
}

/** The eighth line of the server's PID file says when it is ready. */
function isReady(): boolean {
  const file = join(data, "postmaster.pid");
  return existsSync(file) && readFileSync(file, "utf8").split("\n")[7]?.trim() === "ready";
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((next) => setTimeout(next, 50));
};

async function endServer(server: ChildProcess): Promise<void> {
  // Immediate shutdown: the data is discarded.
  server.kill("SIGQUIT");
  await until(() => server.exitCode !== null || server.signalCode !== null);
}

async function keep(): Promise<void> {
  createCluster();
  const port = await freePort();
  let server = startServer(port);
  const startedMs = performance.now();
  await until(() => isReady() || server.exitCode !== null || performance.now() - startedMs > START_MS);
  if (!isReady()) {
    await endServer(server);
    throw new Error(`${order.programs.postgres} did not start within ${START_MS} ms, or has ended`);
  }
  report("url", `postgres://svc@127.0.0.1:${port}/postgres`);
  while (isAlive(order.ownerPid)) {
    await new Promise((next) => setTimeout(next, LOOK_MS));
    if (server.exitCode !== null || server.signalCode !== null) server = startServer(port);
  }
  await endServer(server);
}

try {
  await keep();
} catch (error) {
  report("failed", String(error));
  // Keep the result until the owner has read it or is gone.
  await until(() => !isAlive(order.ownerPid));
} finally {
  rmSync(order.folder, { recursive: true, force: true });
}
