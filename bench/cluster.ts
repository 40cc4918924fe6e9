/**
 * Graphs in several processes on one server: compares svc on PostgreSQL with DBOS, graphile-worker and BullMQ. Every server waits for the
 * disk at each commit. Processor time, statements and log bytes per graph determine the required server.
 *
 *   npm run bench:cluster -- [--rounds N] [--only dbos,bullmq] [--json] [--update] [--quick]
 *
 * Method and noise: bench/README.md.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { CLUSTER_NAMES, serverOf, titleOf, type ClusterName } from "./lib/graph-contenders.ts";
import { runSql, startServers, type Servers } from "./lib/graph-servers.ts";
import { openTogether, type TeamTurn } from "./lib/graph-team.ts";
import { chainOf, fanOut, warmUp, type Load } from "./lib/graph-turns.ts";
import { contenders, readOptions, roundsOf } from "./lib/options.ts";
import { install } from "./lib/peers.ts";
import { peersDir } from "./lib/places.ts";
import { progress, publish, type Table } from "./lib/report.ts";
import { soFar, type ServerCost } from "./lib/server-meter.ts";
import { median, quantile, shuffled } from "./lib/stats.ts";

/** A turn with the server's cost per graph. */
type Sample = TeamTurn & ServerCost;

interface Side {
  name: ClusterName;
  processes: number;
}

const keyOf = ({ name, processes }: Side): string => `${name} ${processes}`;

/** Starts the processes of one contender, gives them a turn of each load, and ends them. */
async function visit(side: Side, loads: readonly Load[], servers: Servers): Promise<Map<Load, Sample>> {
  const { name, processes } = side;
  const database = await databaseOf(name, servers);
  const server = serverOf(name);
  const team = await openTogether(name, servers, processes, database);
  const samples = new Map<Load, Sample>();
  try {
    for (const load of loads) {
      if (load.kind === "fanOut" && name === "graphile") continue;
      await team.turn(warmUp(load, processes));
      const before = await soFar(server, servers, database);
      const turn = await team.turn(load);
      samples.set(load, { ...turn, ...perGraph(before, await soFar(server, servers, database), turn.graphs) });
    }
  } finally {
    await team.close();
  }
  return samples;
}

function perGraph(before: ServerCost, after: ServerCost, graphs: number): ServerCost {
  const each = (name: keyof ServerCost): number => (after[name] - before[name]) / graphs;
  return { cpuMs: each("cpuMs"), statements: each("statements"), logBytes: each("logBytes") };
}

/** A database for each contender, because two of them use the same table names. */
async function databaseOf(name: ClusterName, servers: Servers): Promise<string> {
  const url = servers.postgres as string;
  const known = await runSql(url, `SELECT FROM pg_database WHERE datname = 'bench_${name}'`);
  const own = url.replace("/bench?", `/bench_${name}?`);
  if (known.length > 0) return own;
  await runSql(url, `CREATE DATABASE bench_${name}`);
  // A server without this extension counts no statements for any contender.
  await runSql(own, "CREATE EXTENSION pg_stat_statements").catch(() => undefined);
  return own;
}

function tableOf(load: Load, sides: readonly Side[], samples: ReadonlyMap<string, Sample[]>): Table {
  const of = (side: Side): Sample[] => samples.get(keyOf(side)) ?? [];
  const value = (side: Side, name: Exclude<keyof Sample, "ms">): number => median(of(side).map((one) => one[name]));
  const ran = sides.filter((side) => of(side).length > 0);
  const rows = ran
    .toSorted((a, b) => a.processes - b.processes || value(b, "perSecond") - value(a, "perSecond"))
    .map((side) => {
      const ms = of(side).flatMap((sample) => sample.ms);
      const ours = { name: "svc", processes: side.processes } as const;
      return [
        titleOf(side.name, "PostgreSQL"),
        String(side.processes),
        value(side, "perSecond").toFixed(0),
        quantile(ms, 0.5).toFixed(1),
        quantile(ms, 0.99).toFixed(0),
        (value(ours, "perSecond") / value(side, "perSecond")).toFixed(1),
        value(side, "nodeMs").toFixed(2),
        value(side, "cpuMs").toFixed(2),
        value(side, "statements").toFixed(1),
        (value(side, "logBytes") / 1000).toFixed(1),
      ].map((cell) => (cell === "NaN" ? "–" : cell));
    });
  const head = ["", "processes", "graphs/s", "p50 ms", "p99 ms", "svc is so many times faster"];
  return {
    title: load.name,
    // Other work on the machine lowers graphs per second, but not the cost of a graph.
    note: `Load of the machine after it: ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores.`,
    head: [...head, "CPU ms a graph: Node", "server", "statements a graph", "kB of log a graph"],
    rows,
  };
}

const options = readOptions(3);
const names = contenders(CLUSTER_NAMES, options);
const loads = options.quick ? [chainOf(4, 8), fanOut(1, 2)] : [chainOf(32, 8000), fanOut(4, 400)];
const sizes = options.quick ? [1] : [1, 2, 4];
const folder = mkdtempSync(join(tmpdir(), "svcb-"));
const servers = await startServers(folder, { isRedisDurable: true });
try {
  if (!servers.postgres) throw new Error("bench:cluster needs PostgreSQL: apt-get install postgresql");
  if (names.length > 1) await install(join(peersDir, "graphs"));
  const sides = names
    .filter((name) => servers[serverOf(name)] !== undefined)
    .flatMap((name) => sizes.map((processes): Side => ({ name, processes })));
  const samples = new Map(loads.map((load) => [load, new Map<string, Sample[]>()]));
  for (const round of roundsOf(options))
    for (const side of shuffled(sides)) {
      progress(`round ${round}: ${keyOf(side)}`);
      for (const [load, sample] of await visit(side, loads, servers)) {
        const all = samples.get(load);
        all?.set(keyOf(side), [...(all.get(keyOf(side)) ?? []), sample]);
      }
    }
  await publish(
    {
      bench: "cluster",
      tables: loads.map((load) => tableOf(load, sides, samples.get(load) ?? new Map())),
      data: Object.fromEntries([...samples].map(([load, all]) => [load.name, Object.fromEntries(all)])),
    },
    options,
  );
} finally {
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
}
