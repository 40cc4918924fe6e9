/** One sample of bench:growth in a process of its own, so that the memory is that of the load. Takes a `GrowthOrder` and sends the sample. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { growthLoads, type GrowthSample } from "./growth-loads.ts";

export interface GrowthOrder {
  load: string;
  size: number;
  /** Size of a run before, whose code is compiled then: otherwise the smallest size would be expensive, and hide the growth of others. */
  warmUp: number;
  /** Exists. */
  folder: string;
  postgres: string | undefined;
  /** Creates what the load needs, and measures nothing. */
  isPreparing: boolean;
}

async function answer({ load: name, size, warmUp, folder, postgres, isPreparing }: GrowthOrder): Promise<GrowthSample> {
  const load = growthLoads(postgres !== undefined).find((each) => each.name === name);
  if (!load) throw new Error(`There is no load "${name}"`);
  const none: GrowthSample = { cpuMs: 0, blockMs: 0, heapMb: 0, peakMb: 0 };
  if (isPreparing) return load.prepare?.(size, { folder, postgres }).then(() => none) ?? none;
  const before = { folder: join(folder, "warm-up"), postgres };
  mkdirSync(before.folder);
  await load.prepare?.(warmUp, before);
  await load.run(warmUp, before);
  return load.run(size, { folder, postgres });
}

// The timers of an engine do not keep a process alive.
const alive = setInterval(() => undefined, 60_000);
process.once("message", (order: GrowthOrder) => {
  answer(order)
    .then(
      (sample) => process.send?.({ sample }),
      (error: unknown) => process.send?.({ error: String(error instanceof Error ? error.stack : error) }),
    )
    .finally(() => {
      clearInterval(alive);
      process.disconnect();
    });
});
