/** Statistics of samples: medians, spreads, ratios; and the random order of contenders. */

export function quantile(samples: readonly number[], at: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** Half of the interquartile range, relative to the median. */
export function spread(samples: readonly number[]): number {
  return (quantile(samples, 0.75) - quantile(samples, 0.25)) / 2 / median(samples);
}

/** A new order in each round, so that no contender always follows the same one. */
export function shuffled<T>(items: readonly T[]): T[] {
  const out = [...items];
  for (let at = out.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [out[at], out[other]] = [out[other] as T, out[at] as T];
  }
  return out;
}
