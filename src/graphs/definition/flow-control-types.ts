/** How many runs of a graph may be active at once, and what happens to more. */

/** @typeParam Input the run's input. */
export interface GraphConcurrency<Input = never> {
  /** Most active runs of a key. A run is active from its start to its end, also while it sleeps, waits or is paused. */
  limit: number;
  /** Key of a run's input, such as a tenant: each key is counted on its own. At most 255 characters. Default: one for all. */
  key?: (input: Input) => string;
}

export const CONCURRENCY_OPTIONS = ["limit", "key"] as const satisfies readonly (keyof GraphConcurrency)[];
