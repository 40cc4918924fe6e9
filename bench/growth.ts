/**
 * Cost of graphs as their number grows: each load at several sizes, and the ratio between sizes. A cost that is linear has a ratio of 1 per
 * unit, whatever the machine.
 *
 *   npm run bench:growth -- [--quick] [--check] [--rounds N] [--only LOADS] [--json] [--update]
 *
 * `--check` uses smaller sizes and fails if a cost grows far more than linearly; `.ci/run` does this. `--only` names words of loads, such as
 * `recover,starts`. Method: bench/README.md.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres, withoutPostgres } from "svckit/testing";
import { goalRows } from "./lib/growth-goals.ts";
import { growthLoads, type GrowthLoad, type GrowthSample } from "./lib/growth-loads.ts";
import type { GrowthOrder } from "./lib/growth-process.ts";
import { growthOf, tooMuch, type Growth } from "./lib/growth-ratios.ts";
import { readOptions, type BenchOptions } from "./lib/options.ts";
import { root } from "./lib/places.ts";
import { progress, publish, type Table } from "./lib/report.ts";

/** Ratios of processor time vary little, and CI has a minute. */
const CHECK_ROUNDS = 1;

function sizesOf(load: GrowthLoad, { quick, check }: BenchOptions): readonly number[] {
  if (quick) return load.sizes.quick;
  return check ? load.sizes.check : load.sizes.full;
}

async function answerTo(order: GrowthOrder): Promise<GrowthSample> {
  const child = fork(join(root, "out/bench/lib/growth-process.js"), { execArgv: ["--expose-gc"] });
  child.send(order);
  const ended = once(child, "exit");
  const answered = once(child, "message") as Promise<[{ sample?: GrowthSample; error?: string }]>;
  const [answer] = await Promise.race([answered, ended.then(() => [undefined] as const)]);
  await ended;
  if (answer?.sample) return answer.sample;
  throw new Error(`The load "${order.load}" at ${order.size} has failed: ${answer?.error ?? "its process has ended"}`);
}

async function sampleOf(load: GrowthLoad, size: number, postgres: string | undefined): Promise<GrowthSample> {
  const folder = mkdtempSync(join(tmpdir(), "svc-growth-"));
  const warmUp = Math.min(size, load.sizes.check[0] ?? size);
  const order: GrowthOrder = { load: load.name, size, warmUp, folder, postgres, isPreparing: false };
  try {
    if (load.prepare) await answerTo({ ...order, isPreparing: true });
    return await answerTo(order);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(load: GrowthLoad, options: BenchOptions, postgres: string | undefined): Promise<Growth> {
  const sizes = sizesOf(load, options);
  const samples = new Map<number, GrowthSample[]>(sizes.map((size) => [size, []]));
  for (let round = 1; round <= options.rounds; round++)
    for (const size of sizes) {
      progress(`${load.name}, ${size}, round ${round}`);
      samples.get(size)?.push(await sampleOf(load, size, postgres));
    }
  return growthOf(load, samples);
}

function tableOf(growths: readonly Growth[]): Table {
  return {
    title: "Cost at several sizes",
    note: "Processor time per unit and its ratio to that of the smallest size (1 is linear), longest block of the event loop, growth of the heap, and most memory of the process.",
    head: ["", "size", "processor, µs per unit", "ratio", "longest block, ms", "heap, MB", "peak, MB", "per second"],
    rows: growths.flatMap(({ name, steps }) =>
      steps.map(({ size, cpuUs, blockMs, heapMb, peakMb, perSecond, ratio }) => [
        name,
        String(size),
        cpuUs.toFixed(1),
        ratio.toFixed(2),
        blockMs.toFixed(1),
        heapMb.toFixed(1),
        peakMb.toFixed(0),
        perSecond?.toFixed(0) ?? "",
      ]),
    ),
  };
}

function goalTable(growths: readonly Growth[]): Table[] {
  const rows = goalRows(growths);
  if (rows.length === 0) return [];
  const head = ["", "size", "figure", "measured", "goal", "share of the goal"];
  return [{ title: "Goals", note: "A share above 1 misses the goal.", head, rows }];
}

/** A fast test leaves PostgreSQL out. */
async function postgresUrl({ quick }: BenchOptions): Promise<string | undefined> {
  if (quick) return undefined;
  const missing = await withoutPostgres();
  if (missing === false) return (await startPostgres({ isDurable: true })).url;
  console.error(`Starts over HTTP on PostgreSQL are left out: ${missing}`);
  return undefined;
}

const options = readOptions(process.argv.includes("--check") ? CHECK_ROUNDS : 3);
const postgres = await postgresUrl(options);
const { only } = options;
const loads = growthLoads(postgres !== undefined).filter(
  ({ name }) => only.length === 0 || only.some((word) => name.includes(word)),
);
const growths: Growth[] = [];
for (const load of loads) growths.push(await measure(load, options, postgres));
const data = Object.fromEntries(growths.map(({ name, steps }) => [name, steps]));
await publish({ bench: "growth", tables: [tableOf(growths), ...goalTable(growths)], data }, options);
const wrong = growths.flatMap(tooMuch);
for (const line of wrong) console.error(line);
if (options.check && wrong.length > 0) process.exitCode = 1;
