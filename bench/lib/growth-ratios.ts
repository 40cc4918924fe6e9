/** Compares the costs of a load at several sizes. No I/O. */
import type { GrowthLoad, GrowthSample } from "./growth-loads.ts";

export interface GrowthStep {
  size: number;
  /** Processor time per unit. */
  cpuUs: number;
  blockMs: number;
  heapMb: number;
  /** Most memory of the process. */
  peakMb: number;
  perSecond?: number;
  bytes?: number;
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
/** A response of pages has the same size whatever it is a page of; small runs have less than a page. */
const MAX_PAGE_BYTES = 300_000;

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
    peakMb: least(all, ({ peakMb }) => peakMb),
    ...(all[0]?.perSecond !== undefined && { perSecond: Math.max(...all.map(({ perSecond = 0 }) => perSecond)) }),
    ...(all[0]?.bytes !== undefined && { bytes: Math.max(...all.map(({ bytes = 0 }) => bytes)) }),
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
    const lines = [
      ...(step.ratio > MAX_RATIO
        ? [`${at} ${step.ratio.toFixed(1)} times the processor time of that at ${least.size}`]
        : []),
      ...(heap > MAX_RATIO ? [`${at} ${heap.toFixed(1)} times the memory of that at ${least.size}`] : []),
    ].map((line) => `${line}; at most ${MAX_RATIO} times is allowed`);
    if ((step.bytes ?? 0) <= MAX_PAGE_BYTES) return lines;
    return [
      ...lines,
      `${name}: at ${step.size}, a response has ${step.bytes} bytes; at most ${MAX_PAGE_BYTES} are allowed`,
    ];
  });
}
