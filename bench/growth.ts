/**
 * Cost of graphs as their number grows: each load at several sizes, and the ratio between sizes. A cost that is linear has a ratio of 1 per
 * unit, whatever the machine.
 *
 *   npm run bench:growth -- [--quick] [--check] [--rounds N] [--json] [--update]
 *
 * `--check` uses smaller sizes and fails if a cost grows far more than linearly; `.ci/run` does this. Method: bench/README.md.
 */
import { rmSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { growthLoads, type GrowthLoad, type GrowthSample } from "./lib/growth-loads.ts";
import { growthOf, tooMuch, type Growth } from "./lib/growth-ratios.ts";
import { readOptions, type BenchOptions } from "./lib/options.ts";
import { progress, publish, type Table } from "./lib/report.ts";

/** Ratios of processor time vary little, and CI has a minute. */
const CHECK_ROUNDS = 1;

function sizesOf(load: GrowthLoad, { quick, check }: BenchOptions): readonly number[] {
  if (quick) return load.sizes.quick;
  return check ? load.sizes.check : load.sizes.full;
}

async function measure(load: GrowthLoad, sizes: readonly number[], rounds: number, folder: string): Promise<Growth> {
  const samples = new Map<number, GrowthSample[]>(sizes.map((size) => [size, []]));
  // The first run compiles the code, which would make the smallest size expensive and hide the growth of the others.
  await load.run(sizes[0] ?? 1, folder);
  for (let round = 1; round <= rounds; round++)
    for (const size of sizes) {
      progress(`${load.name}, ${size}, round ${round}`);
      samples.get(size)?.push(await load.run(size, folder));
    }
  return growthOf(load, samples);
}

function tableOf(growths: readonly Growth[]): Table {
  return {
    title: "Cost at several sizes",
    note: "Processor time per unit, longest block of the event loop, growth of the heap, and the ratio of processor time per unit to that of the smallest size: 1 is linear.",
    head: ["", "size", "processor, µs per unit", "longest block, ms", "heap, MB", "ratio"],
    rows: growths.flatMap(({ name, steps }) =>
      steps.map(({ size, cpuUs, blockMs, heapMb, ratio }) => [
        name,
        String(size),
        cpuUs.toFixed(1),
        blockMs.toFixed(1),
        heapMb.toFixed(1),
        ratio.toFixed(2),
      ]),
    ),
  };
}

const options = readOptions(process.argv.includes("--check") ? CHECK_ROUNDS : 3);
// The timers of an engine do not keep a process alive.
const alive = setInterval(() => undefined, 60_000);
const folder = mkdtempSync(join(tmpdir(), "svc-growth-"));
try {
  const growths: Growth[] = [];
  for (const load of await growthLoads(options.quick))
    growths.push(await measure(load, sizesOf(load, options), options.rounds, folder));
  const data = Object.fromEntries(growths.map(({ name, steps }) => [name, steps]));
  await publish({ bench: "growth", tables: [tableOf(growths)], data }, options);
  const wrong = growths.flatMap(tooMuch);
  for (const line of wrong) console.error(line);
  if (options.check && wrong.length > 0) process.exitCode = 1;
} finally {
  clearInterval(alive);
  rmSync(folder, { recursive: true, force: true });
}
