/** Periodic checks for lost notifications, and for data that dead processes wrote too late. */
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";

const SWEEP_MS = 5000;
/** Interval, in sweeps, of the checks that cost a query. */
const DOUBT_SWEEPS = 6;

/** @param me id of this process. May reject: the next sweep repeats it. */
export type Sweep = (me: string) => Promise<unknown> | void;

export interface RoundsOptions {
  clock: Clock;
  log: Log;
  /** Id of this process in the cluster. Nothing is checked while it is not a member. */
  me: () => string | undefined;
  /** At every sweep. */
  always: readonly Sweep[];
  /** At every sixth sweep. */
  seldom: readonly Sweep[];
}

export class Rounds {
  readonly #options: RoundsOptions;
  #timer: Timer | undefined;
  #count = 0;
  #isClosed = false;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  /** Starts, with the first sweep after one interval. */
  start(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.schedule(SWEEP_MS, () => {
      this.start();
      this.#look();
    });
  }

  /** Stops. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #look(): void {
    const { log, me, always, seldom } = this.#options;
    const id = me();
    if (id === undefined) return;
    const looks = ++this.#count % DOUBT_SWEEPS === 0 ? [...always, ...seldom] : always;
    for (const look of looks)
      look(id)?.catch((err: unknown) => log.debug({ err }, "A sweep for data of dead processes failed"));
  }
}
