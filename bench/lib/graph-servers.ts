/** Redis and PostgreSQL for the contenders that need them: private to the bench, on sockets in a temporary folder. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { chownSync, existsSync, mkdirSync, realpathSync } from "node:fs";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";

export interface Servers {
  /** Path of Redis's socket; undefined if Redis is not installed. */
  redis: string | undefined;
  /** URL of the database. */
  postgres: string | undefined;
  /** Id of the server's first process; undefined like `postgres`. */
  postgresPid: number | undefined;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Whether Redis waits for the disk at each write, as PostgreSQL does. */
  isRedisDurable?: boolean;
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

/** Writes go to disk once a second, the usual setting; `always` matches the other servers. */
async function startRedis(
  folder: string,
  children: ChildProcess[],
  { isRedisDurable = false }: ServerOptions,
): Promise<string | undefined> {
  if (!(await which("redis-server"))) return undefined;
  const socket = join(folder, "redis.sock");
  const options = ["--port", "0", "--unixsocket", socket, "--dir", folder];
  const fsync = isRedisDurable ? "always" : "everysec";
  const persistence = [
    "--appendonly",
    "yes",
    "--appendfsync",
    fsync,
    "--auto-aof-rewrite-percentage",
    "0",
    "--save",
    "",
  ];
  children.push(spawn("redis-server", [...options, ...persistence], { stdio: "ignore" }));
  await until(async () => existsSync(socket));
  return socket;
}

/** The helper of the tests, which is not part of the published package. */
async function findPostgres(): Promise<{ initdb: string; postgres: string } | undefined> {
  const file = new URL("../../testing/postgres-programs.js", import.meta.url);
  return ((await import(file.href)) as { findPostgres: typeof findPostgres }).findPostgres();
}

/** Counts statements if the server has the extension; no checkpoint distorts a single turn. */
const SETTINGS = ["listen_addresses=", "max_connections=400", "checkpoint_timeout=1h", "max_wal_size=16GB"];

/** Runs as the user postgres if the bench runs as root, which PostgreSQL rejects. */
async function startPostgres(
  folder: string,
  children: ChildProcess[],
): Promise<{ url: string; pid: number | undefined } | undefined> {
  const programs = await findPostgres();
  if (!programs) return undefined;
  const data = join(folder, "postgres");
  mkdirSync(data);
  const as = process.getuid?.() === 0 ? await userOf("postgres") : {};
  if (as.uid !== undefined && as.gid !== undefined) for (const path of [folder, data]) chownSync(path, as.uid, as.gid);
  await execute(programs.initdb, ["-D", data, "-U", "bench", "-A", "trust", "--no-sync"], as);
  const counter = (await canCount(programs.postgres)) ? ["shared_preload_libraries=pg_stat_statements"] : [];
  const settings = [...SETTINGS, ...counter].flatMap((setting) => ["-c", setting]);
  const server = spawn(programs.postgres, ["-D", data, "-k", folder, ...settings], { stdio: "ignore", ...as });
  children.push(server);
  const url = `postgresql://bench@localhost/postgres?host=${encodeURIComponent(folder)}`;
  await until(() =>
    runSql(url, "CREATE DATABASE bench").then(
      () => true,
      () => false,
    ),
  );
  return { url: url.replace("/postgres?", "/bench?"), pid: server.pid };
}

async function canCount(postgres: string): Promise<boolean> {
  const { stdout } = await execute(join(dirname(realpathSync(postgres)), "pg_config"), ["--pkglibdir"]).catch(() => ({
    stdout: "",
  }));
  return existsSync(join(stdout.trim(), "pg_stat_statements.so"));
}

/** Runs one statement on a new connection. */
export async function runSql<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function userOf(name: string): Promise<{ uid?: number; gid?: number }> {
  const id = async (flag: string): Promise<number> => Number((await execute("id", [flag, name])).stdout);
  return { uid: await id("-u"), gid: await id("-g") };
}

/** @param folder empty, with a path short enough for a socket */
export async function startServers(folder: string, options: ServerOptions = {}): Promise<Servers> {
  const children: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null) continue;
      child.kill("SIGINT");
      await once(child, "exit");
    }
  };
  try {
    const redis = await startRedis(folder, children, options);
    const postgres = await startPostgres(folder, children);
    return { redis, postgres: postgres?.url, postgresPid: postgres?.pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
