/**
 * How many graphs a second: svc beside a bare loop of promises and engines that keep what they do in Redis or PostgreSQL.
 *
 *   npm run bench:graphs -- [--rounds N] [--only bullmq,dbos] [--json] [--update] [--quick]
 *
 * Method and noise: bench/README.md.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import {
  GRAPH_NAMES,
  openContender,
  PERSISTS,
  titleOf,
  type Contender,
  type GraphName,
} from "./lib/graph-contenders.ts";
import { startServers } from "./lib/graph-servers.ts";
import { chainOf, fanOut, turn, type Load, type Sample } from "./lib/graph-turns.ts";
import { contenders, readOptions, roundsOf } from "./lib/options.ts";
import { progress, publish, type Table } from "./lib/report.ts";
import { median, quantile, shuffled } from "./lib/stats.ts";

const SYNCS = 200;

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

/** Syncs of 4 KiB a second: the floor under all that waits for the disk. */
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

/** What a server in the same process feels while 300 chains a second begin. @returns p99 of the delay. */
async function delayMs(contender: Contender, perSecond: number, seconds: number): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const running: Promise<unknown>[] = [];
  delay.enable();
  const beginMs = performance.now();
  while (performance.now() - beginMs < seconds * 1000) {
    while (running.length < ((performance.now() - beginMs) / 1000) * perSecond)
      running.push(contender.chain(running.length));
    await new Promise((done) => setTimeout(done, 1));
  }
  await Promise.all(running);
  delay.disable();
  // What it measures holds its own resolution.
  return delay.percentile(99) / 1e6 - 1;
}

const options = readOptions(3);
const names = contenders(GRAPH_NAMES, options);
const loads = options.quick
  ? [chainOf(1, 5), fanOut(1, 2)]
  : [chainOf(1, 400), chainOf(32, 8000), fanOut(1, 60), fanOut(4, 300)];
const folder = mkdtempSync(join(tmpdir(), "svcb-"));
const servers = options.quick ? undefined : await startServers(folder);
const open = new Map<GraphName, Contender>();
// The timers of an engine do not keep a process alive.
const alive = setInterval(() => {}, 60_000);
try {
  for (const name of names) {
    const contender = await openContender(name, servers, folder);
    if (contender) open.set(name, contender);
    else console.error(`${name} is left out: its server is not installed`);
  }
  const tables: Table[] = [];
  const data: Record<string, Record<string, Sample[]>> = {};
  for (const load of loads) {
    const taking = [...open].filter(([, contender]) => load.kind === "chain" || contender.fanOut);
    const samples = new Map<GraphName, Sample[]>(taking.map(([name]) => [name, []]));
    for (const [, contender] of taking) await turn(contender, { ...load, graphs: load.atOnce });
    for (const round of roundsOf(options)) {
      progress(`${load.name}, round ${round}`);
      for (const [name, contender] of shuffled(taking)) samples.get(name)?.push(await turn(contender, load));
    }
    data[load.name] = Object.fromEntries(samples);
    tables.push(tableOf(load, samples));
  }
  const svc = open.get("svc");
  if (svc && !options.quick) {
    const syncs = syncsPerSecond(folder);
    const delay = await delayMs(svc, 300, 5);
    tables.push({
      title: "The floor, and who shares the process",
      head: ["", ""],
      rows: [
        ["syncs of 4 KiB a second that the disk does (`fdatasync`)", syncs.toFixed(0)],
        ["delay of the event loop while svc starts 300 chains a second, p99 ms", delay.toFixed(1)],
      ],
    });
  }
  await publish({ bench: "graphs", tables, data }, options);
} finally {
  for (const contender of open.values()) await contender.close();
  await servers?.stop();
  clearInterval(alive);
  rmSync(folder, { recursive: true, force: true });
}
