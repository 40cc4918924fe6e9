/** Compares the costs of a load at several sizes. No I/O. */
import type { GrowthLoad, GrowthSample } from "./growth-loads.ts";

export interface GrowthStep {
  size: number;
  /** Processor time per unit. */
  cpuUs: number;
  blockMs: number;
  heapMb: number;
  /** Processor time per unit, compared with the smallest size: 1 is linear. */
  ratio: number;
}

export interface Growth {
  name: string;
  steps: GrowthStep[];
}

/** A cost that grows with the square has the ratio of the sizes, which is at least 8. A slow machine does not change a ratio much. */
const MAX_RATIO = 3;
/** Below it, the heap has changed for other reasons. */
const MIN_HEAP_MB = 2;

/** The lowest figures of each size count: other work on the machine only adds to them. */
export function growthOf(
  { name }: Pick<GrowthLoad, "name">,
  samples: ReadonlyMap<number, readonly GrowthSample[]>,
): Growth {
  const least = (all: readonly GrowthSample[], of: (sample: GrowthSample) => number): number =>
    Math.min(...all.map(of));
  const figures = [...samples].map(([size, all]) => ({
    size,
    cpuUs: (least(all, ({ cpuMs }) => cpuMs) * 1000) / size,
    blockMs: least(all, ({ blockMs }) => blockMs),
    heapMb: least(all, ({ heapMb }) => heapMb),
  }));
  const first = figures[0]?.cpuUs ?? 1;
  return { name, steps: figures.map((step) => ({ ...step, ratio: step.cpuUs / first })) };
}

/** @returns a line for each size at which a cost has grown far more than linearly. */
export function tooMuch({ name, steps }: Growth): string[] {
  const [least] = steps;
  if (!least) return [];
  return steps.flatMap((step) => {
    const heap = step.heapMb / step.size / (Math.max(MIN_HEAP_MB, least.heapMb) / least.size);
    const at = `${name}: at ${step.size}, a unit takes`;
    return [
      ...(step.ratio > MAX_RATIO
        ? [`${at} ${step.ratio.toFixed(1)} times the processor time of that at ${least.size}`]
        : []),
      ...(heap > MAX_RATIO ? [`${at} ${heap.toFixed(1)} times the memory of that at ${least.size}`] : []),
    ].map((line) => `${line}; at most ${MAX_RATIO} times is allowed`);
  });
}
