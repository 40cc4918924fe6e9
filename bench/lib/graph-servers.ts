/** Redis and PostgreSQL for those that need them: private to the bench, on sockets in a folder that goes with it. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { chownSync, existsSync, mkdirSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Servers {
  /** Path of Redis's socket; undefined where it is not installed. */
  redis: string | undefined;
  /** URL of the database. */
  postgres: string | undefined;
  stop(): Promise<void>;
}

const execute = promisify(execFile);
const WAIT_MS = 50;
const MAX_WAITS = 400;

async function until(isReady: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await isReady()); tries++) {
    if (tries > MAX_WAITS) throw new Error("a server of the bench does not come up");
    await new Promise((done) => setTimeout(done, WAIT_MS));
  }
}

async function which(command: string): Promise<boolean> {
  return execute("which", [command]).then(
    () => true,
    () => false,
  );
}

/** Every write to disk once a second, which is what most run; `always` would be ours. */
async function startRedis(folder: string, children: ChildProcess[]): Promise<string | undefined> {
  if (!(await which("redis-server"))) return undefined;
  const socket = join(folder, "redis.sock");
  const options = ["--port", "0", "--unixsocket", socket, "--dir", folder];
  const persistence = ["--appendonly", "yes", "--appendfsync", "everysec", "--save", ""];
  children.push(spawn("redis-server", [...options, ...persistence], { stdio: "ignore" }));
  await until(async () => existsSync(socket));
  return socket;
}

/** As the user postgres where the bench runs as root, which PostgreSQL refuses. */
async function startPostgres(folder: string, children: ChildProcess[]): Promise<string | undefined> {
  if (!(await which("postgres")) || !(await which("initdb"))) return undefined;
  const data = join(folder, "postgres");
  mkdirSync(data);
  const as = process.getuid?.() === 0 ? await userOf("postgres") : {};
  if (as.uid !== undefined && as.gid !== undefined) for (const path of [folder, data]) chownSync(path, as.uid, as.gid);
  await execute("initdb", ["-D", data, "-U", "bench", "-A", "trust", "--no-sync"], as);
  const options = ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "max_connections=200"];
  children.push(spawn("postgres", options, { stdio: "ignore", ...as }));
  const ask = ["-h", folder, "-U", "bench", "-d", "postgres", "-c", "CREATE DATABASE bench"];
  await until(() =>
    execute("psql", ask).then(
      () => true,
      () => false,
    ),
  );
  return `postgresql://bench@localhost/bench?host=${encodeURIComponent(folder)}`;
}

async function userOf(name: string): Promise<{ uid?: number; gid?: number }> {
  const id = async (flag: string): Promise<number> => Number((await execute("id", [flag, name])).stdout);
  return { uid: await id("-u"), gid: await id("-g") };
}

/** @param folder empty, short enough for the path of a socket. */
export async function startServers(folder: string): Promise<Servers> {
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null) continue;
      child.kill("SIGINT");
      await once(child, "exit");
    }
  };
  try {
    return { redis: await startRedis(folder, children), postgres: await startPostgres(folder, children), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
