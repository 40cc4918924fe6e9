/** How many runs of a graph may be active at once, and what happens to more. */

/**
 * A run that is started while its key is full:
 * - `queue`: waits until the key is free.
 * - `cancel-newest`: is cancelled.
 * - `cancel-oldest`: takes the place of the oldest active run of the key, which is cancelled. It starts once that one has ended, after its
 *   compensation.
 */
export type OnLimit = "queue" | "cancel-newest" | "cancel-oldest";

interface Keyed<Input> {
  /** Key of a run's input, such as a tenant: each key is counted on its own. At most 255 characters. Default: one for all. */
  key?: (input: Input) => string;
}

/** @typeParam Input the run's input. */
export interface GraphConcurrency<Input = never> extends Keyed<Input> {
  /** Most active runs of a key. A run is active from its start to its end, also while it sleeps, waits or is paused. */
  limit: number;
  /** Default `queue`. */
  onLimit?: OnLimit;
}

/** One active run, of the graph or of each key: a limit of 1. */
export interface Singleton<Input = never> extends Keyed<Input> {
  /** Default `cancel-newest`. */
  onLimit?: OnLimit;
}

/** How runs that wait for the same key of `concurrency` or `singleton` share it. */
export interface Fairness<Input = never> {
  /** Key of a run's input, such as a tenant: waiting runs of all keys take turns. At most 255 characters. */
  key: (input: Input) => string;
  /**
   * Weight of a run, from 0.001 to 1,000: while all keys have waiting runs, a key of weight 3 starts three times as many runs as one of
   * weight 1. Default 1.
   */
  weight?: number | ((input: Input) => number);
}

export const ON_LIMIT: readonly unknown[] = ["queue", "cancel-newest", "cancel-oldest"] satisfies OnLimit[];
export const CONCURRENCY_OPTIONS = ["limit", "key", "onLimit"] as const satisfies readonly (keyof GraphConcurrency)[];
export const SINGLETON_OPTIONS = ["key", "onLimit"] as const satisfies readonly (keyof Singleton)[];
export const FAIRNESS_OPTIONS = ["key", "weight"] as const satisfies readonly (keyof Fairness)[];
