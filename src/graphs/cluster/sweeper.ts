/** What a process looks for now and then: what no notification told, and what came too late to be given up. */
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";

const SWEEP_MS = 5000;
/** Sweeps between looks for all that anybody waits for: those cost a question for each. */
const DOUBT_SWEEPS = 6;

/** @param me this process as the others know it. May reject: it is looked again the next time. */
export type Look = (me: string) => Promise<unknown> | void;

export interface RoundsOptions {
  clock: Clock;
  log: Log;
  /** This process as the others know it: while they don't, nothing is looked for. */
  me: () => string | undefined;
  /** Each time. */
  always: readonly Look[];
  /** Every sixth time. */
  seldom: readonly Look[];
}

export class Rounds {
  readonly #options: RoundsOptions;
  #timer: Timer | undefined;
  #count = 0;
  #isClosed = false;

  constructor(options: RoundsOptions) {
    this.#options = options;
  }

  /** Looks from now on, the first time after a while. */
  start(): void {
    if (this.#isClosed) return;
    this.#timer = this.#options.clock.schedule(SWEEP_MS, () => {
      this.start();
      this.#look();
    });
  }

  /** Looks no more. */
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
      look(id)?.catch((err: unknown) => log.debug({ err }, "What others have left could not be looked for"));
  }
}
