/**
 * Cost of a turn on the database server: processor time of its processes, statements, bytes of its log. The
 * server counts them, and /proc if available.
 */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { runSql, type Servers } from "./graph-servers.ts";

export interface ServerCost {
  /** NaN if unknown. */
  cpuMs: number;
  /** Commands in Redis. */
  statements: number;
  logBytes: number;
}

/** The value on Linux. */
const TICK_MS = 10;

const ASK = `
  SELECT sum(calls)::float8 AS statements, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS "logBytes"
  FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`;
const ASK_LOG = `SELECT 'NaN'::float8 AS statements, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS "logBytes"`;

/** Totals of a PostgreSQL server so far. @param database with the statistics */
async function postgresSoFar(database: string, pid: number | undefined): Promise<ServerCost> {
  const [counted] = await runSql<Omit<ServerCost, "cpuMs">>(database, ASK).catch(() =>
    runSql<Omit<ServerCost, "cpuMs">>(database, ASK_LOG),
  );
  return { cpuMs: pid === undefined ? Number.NaN : cpuOf(pid), ...(counted as Omit<ServerCost, "cpuMs">) };
}

/** Processor time of a process and its children, including ended ones. */
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

/** See proc(5): the name may contain any character and ends with the last bracket. */
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
    // The process has ended.
    return undefined;
  }
}

/** Totals of a Redis server so far. */
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
