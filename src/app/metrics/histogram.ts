/** How often a length of time fell into which range. */
import type { Labels, Sample } from "./exposition.ts";

/** Upper bounds in seconds: from a page out of memory to one that its reader has given up on. */
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

  /** Buckets count what is below them too, as the format wants it. */
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
