/**
 * What a turn costs the server on which graphs are kept: processor time of its processes, statements, bytes of its log. Counted by
 * the server itself, and by /proc where there is one.
 */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { runSql, type Servers } from "./graph-servers.ts";

export interface ServerCost {
  /** NaN where it can't be told. */
  cpuMs: number;
  /** Commands, of Redis. */
  statements: number;
  logBytes: number;
}

/** Of Linux, everywhere. */
const TICK_MS = 10;

const ASK = `
  SELECT sum(calls)::float8 AS statements, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS "logBytes"
  FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const ASK_LOG = `SELECT 'NaN'::float8 AS statements, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS "logBytes"`;

/** What a PostgreSQL has done so far. @param database in which it counts. */
async function postgresSoFar(database: string, pid: number | undefined): Promise<ServerCost> {
  const [counted] = await runSql<Omit<ServerCost, "cpuMs">>(database, ASK).catch(() =>
    runSql<Omit<ServerCost, "cpuMs">>(database, ASK_LOG),
  );
  return { cpuMs: pid === undefined ? Number.NaN : cpuOf(pid), ...(counted as Omit<ServerCost, "cpuMs">) };
}

/** A process, those it has started, and those of them that have ended. */
function cpuOf(pid: number): number {
  try {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const all = pids.flatMap((name) => statOf(name) ?? []);
    const ticks = all.map(({ own, parent, ended, id }) => (id === pid ? own + ended : parent === pid ? own : 0));
    return ticks.reduce((total, one) => total + one, 0) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}

/** See proc(5): the name, which may hold anything, ends with the last bracket. */
function statOf(name: string): { id: number; parent: number; own: number; ended: number } | undefined {
  try {
    const text = readFileSync(`/proc/${name}/stat`, "utf8");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((at) => fields[at] ?? 0);
    return { id: Number(name), parent: parent ?? 0, own: user! + system!, ended: endedUser! + endedSystem! };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

/** What a Redis has done so far. */
async function redisSoFar(socket: string): Promise<ServerCost> {
  const { stdout } = await promisify(execFile)("redis-cli", ["-s", socket, "INFO", "all"]);
  const of = (name: string): number => Number(new RegExp(`^${name}:([0-9.]+)`, "m").exec(stdout)?.[1] ?? Number.NaN);
  return {
    cpuMs: (of("used_cpu_user") + of("used_cpu_sys")) * 1000,
    statements: of("total_commands_processed"),
    logBytes: of("aof_current_size"),
  };
}

export async function soFar(kind: "redis" | "postgres", servers: Servers, database: string): Promise<ServerCost> {
  return kind === "redis" ? redisSoFar(servers.redis ?? "") : postgresSoFar(database, servers.postgresPid);
}
