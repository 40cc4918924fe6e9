/** A histogram of durations. */
import type { Labels, Sample } from "./exposition.ts";

/** Upper bounds in seconds: from a page out of memory to one that its reader has abandoned. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class Histogram {
  readonly #counts = new Float64Array(BOUNDS.length + 1);
  #sumSeconds = 0;

  observe(seconds: number): void {
    let at = 0;
    while (at < BOUNDS.length && seconds > (BOUNDS[at] as number)) at++;
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#sumSeconds += seconds;
  }

  /** Approximate quantile in seconds, interpolated within its bucket; 0 without any value. */
  quantile(part: number): number {
    const wanted = this.#counts.reduce((sum, inRange) => sum + inRange, 0) * part;
    let below = 0;
    for (const [at, inRange] of this.#counts.entries()) {
      if (inRange > 0 && below + inRange >= wanted) {
        const from = BOUNDS[at - 1] ?? 0;
        return from + ((BOUNDS[at] ?? from) - from) * ((wanted - below) / inRange);
      }
      below += inRange;
    }
    return 0;
  }

  /** Cumulative buckets, as the format requires. */
  samples(labels: Labels = {}): Sample[] {
    let count = 0;
    const buckets: Sample[] = Array.from(this.#counts, (inRange, at) => {
      count += inRange;
      const le = at < BOUNDS.length ? String(BOUNDS[at]) : "+Inf";
      return { suffix: "_bucket", labels: { ...labels, le }, value: count };
    });
    return [
      ...buckets,
      { suffix: "_sum", labels, value: this.#sumSeconds },
      { suffix: "_count", labels, value: count },
    ];
  }
}
