/**
 * Graphs per second of the engine on SQLite (WAL, group commit, each synced), in a temporary folder. Each figure is the best of three runs
 * of fixed work, because other work on the machine only lowers it.
 *
 *   node out/scripts/measure-graphs.js [--encrypted]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createEngine, openStore, systemClock, type GraphDefinition } from "svckit/graph";
import { chain, fanOut, runAll } from "./graph-load.ts";

/** With `--encrypted`, payloads are encrypted in the database. */
const payloadKeys = process.argv.includes("--encrypted") ? [{ id: "2026-11", secret: "k".repeat(32) }] : [];
/** Graphs that run at once. */
const CONCURRENCY = 32;
const RUNS = 3;

interface Run {
  seconds: number;
  /** Processor time in all threads. */
  cpuMs: number;
  /** Share of the time in which the event loop had work. */
  busy: number;
}

interface Measured extends Run {
  name: string;
  graphs: number;
  goalPerSecond: number;
}

async function runOnce(definition: GraphDefinition, graphs: number): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), "svc-measure-"));
  const store = await openStore(`sqlite:${join(folder, "svc.db")}`, { payloadKeys });
  const engine = createEngine({ store, graphs: [definition], clock: systemClock });
  try {
    const [cpu, loop] = [process.cpuUsage(), performance.eventLoopUtilization()];
    const seconds = await runAll(engine, definition.name, graphs, CONCURRENCY);
    const { user, system } = process.cpuUsage(cpu);
    return { seconds, cpuMs: (user + system) / 1000, busy: performance.eventLoopUtilization(loop).utilization };
  } finally {
    await engine.close();
    await store.close();
    await rm(folder, { recursive: true });
  }
}

async function measure(definition: GraphDefinition, graphs: number, goalPerSecond: number): Promise<Measured> {
  const runs: Run[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await runOnce(definition, graphs));
  const [best] = runs.sort((a, b) => a.seconds - b.seconds) as [Run];
  return { name: definition.name, graphs, ...best, goalPerSecond };
}

/** Milliseconds of one commit that waits for the disk: the lower limit of all other figures. */
async function commitMs(): Promise<number> {
  const commits = 200;
  const folder = await mkdtemp(join(tmpdir(), "svc-measure-"));
  const store = await openStore(`sqlite:${join(folder, "svc.db")}`, { payloadKeys });
  const engine = createEngine({ store, graphs: [chain], clock: systemClock });
  try {
    const beginMs = performance.now();
    for (let n = 0; n < commits; n++) await engine.start(chain.name, n, { delay: 3_600_000 });
    return (performance.now() - beginMs) / commits;
  } finally {
    await engine.close();
    await store.close();
    await rm(folder, { recursive: true });
  }
}

function print(rows: readonly Measured[]): void {
  console.log(`Graphs on SQLite, ${CONCURRENCY} at once, best of ${RUNS} runs (Node ${process.version})`);
  console.table(
    rows.map(({ name, graphs, seconds, cpuMs, busy, goalPerSecond }) => ({
      graph: name,
      graphs,
      seconds: seconds.toFixed(2),
      "graphs/s": Math.round(graphs / seconds),
      "goal (graphs/s)": goalPerSecond,
      "processor, ms each": (cpuMs / graphs).toFixed(3),
      "event loop busy, %": Math.round(busy * 100),
    })),
  );
}

// The timers of an engine do not keep a process alive, and between two commits nothing else would.
const alive = setInterval(() => {}, 60_000);
console.log(`One commit alone: ${(await commitMs()).toFixed(2)} ms`);
print([await measure(chain, 4000, 4000), await measure(fanOut, 150, 166)]);
clearInterval(alive);
