/**
 * Graphs per second: svc compared with a bare loop of promises and with engines that store their state in Redis or PostgreSQL.
 *
 *   npm run bench:graphs -- [--rounds N] [--only bullmq,dbos] [--json] [--update] [--quick]
 *
 * Method and noise: bench/README.md.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GRAPH_NAMES, isInstalled, PERSISTS, titleOf, type GraphName } from "./lib/graph-contenders.ts";
import { startServers } from "./lib/graph-servers.ts";
import { openAlone, type Team } from "./lib/graph-team.ts";
import { chainOf, fanOut, warmUp, type Load, type Sample } from "./lib/graph-turns.ts";
import { contenders, readOptions, roundsOf } from "./lib/options.ts";
import { install } from "./lib/peers.ts";
import { peersDir } from "./lib/places.ts";
import { progress, publish, type Table } from "./lib/report.ts";
import { median, quantile, shuffled } from "./lib/stats.ts";

const SYNCS = 200;
/** A chain of three alone: one commit for its start, and one for each node's end with the start of the next. */
const COMMITS_OF_CHAIN = 4;

function tableOf(load: Load, samples: ReadonlyMap<GraphName, Sample[]>): Table {
  const rate = (name: GraphName): number => median((samples.get(name) ?? []).map(({ perSecond }) => perSecond));
  const rows = [...samples.keys()]
    .sort((a, b) => rate(b) - rate(a))
    .map((name) => {
      const ms = (samples.get(name) ?? []).flatMap((sample) => sample.ms);
      const cells = [rate(name).toFixed(0), quantile(ms, 0.5).toFixed(2), quantile(ms, 0.99).toFixed(1)];
      return [titleOf(name), ...cells, (rate("svc") / rate(name)).toFixed(2), PERSISTS[name]];
    });
  return {
    title: load.name,
    head: ["", "graphs/s", "p50 ms", "p99 ms", "svc is so many times faster", "on disk"],
    rows,
  };
}

/** Syncs of 4 KiB a second: the upper limit for everything that waits for the disk. */
function syncsPerSecond(dir: string): number {
  const file = openSync(join(dir, "sync"), "w");
  const block = Buffer.alloc(4096);
  const beginMs = performance.now();
  for (let count = 0; count < SYNCS; count++) {
    writeSync(file, block, 0, block.length, count * block.length);
    fdatasyncSync(file);
  }
  closeSync(file);
  return SYNCS / ((performance.now() - beginMs) / 1000);
}

const options = readOptions(3);
const names = contenders(GRAPH_NAMES, options);
const loads = options.quick
  ? [chainOf(1, 5), fanOut(1, 2)]
  : [chainOf(1, 400), chainOf(32, 8000), fanOut(1, 60), fanOut(4, 300)];
const folder = mkdtempSync(join(tmpdir(), "svcb-"));
const servers = options.quick ? undefined : await startServers(folder);
const open = new Map<GraphName, Team>();
try {
  if (names.some((name) => name !== "svc" && name !== "loop")) await install(join(peersDir, "graphs"));
  for (const name of names)
    if (isInstalled(name, servers)) open.set(name, await openAlone(name, servers, folder));
    else console.error(`${name} is left out: its server is not installed`);
  const tables: Table[] = [];
  const data: Record<string, Record<string, Sample[]>> = {};
  for (const load of loads) {
    // graphile-worker can't join jobs.
    const taking = [...open].filter(([name]) => load.kind === "chain" || name !== "graphile");
    const samples = new Map<GraphName, Sample[]>(taking.map(([name]) => [name, []]));
    for (const [, team] of taking) await team.turn(warmUp(load, 1));
    for (const round of roundsOf(options)) {
      progress(`${load.name}, round ${round}`);
      for (const [name, team] of shuffled(taking)) samples.get(name)?.push(await team.turn(load));
    }
    data[load.name] = Object.fromEntries(samples);
    tables.push(tableOf(load, samples));
  }
  const svc = open.get("svc");
  if (svc && !options.quick) {
    const syncs = syncsPerSecond(folder);
    const delay = await svc.delayMs(300, 5);
    const alone = data[chainOf(1, 0).name]?.["svc"] ?? [];
    const commits = COMMITS_OF_CHAIN * median(alone.map(({ perSecond }) => perSecond));
    tables.push({
      title: "Disk limit and event-loop delay",
      head: ["", ""],
      rows: [
        ["disk syncs of 4 KiB a second (`fdatasync`)", syncs.toFixed(0)],
        ["sequential synced commits of svc a second (chains, 1 at once)", commits.toFixed(0)],
        ["event-loop delay while svc starts 300 chains a second, p99 ms", delay.toFixed(1)],
      ],
    });
  }
  await publish({ bench: "graphs", tables, data }, options);
} finally {
  for (const team of open.values()) await team.close();
  await servers?.stop();
  rmSync(folder, { recursive: true, force: true });
}
