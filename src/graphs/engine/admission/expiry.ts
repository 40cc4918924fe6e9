/** Cancels runs that have waited for their key for too long. The store no longer admits them, so none of them can start meanwhile. */
import type { Clock, Timer } from "../../../platform/shared/clock.ts";
import type { Log } from "../../../platform/shared/log.ts";
import type { AdmissionRows } from "../../../storage/contract/admission.ts";
import type { AdmittedRuns } from "./admitted-runs.ts";
import type { EngineState } from "../engine-state.ts";
import type { Busy } from "../runs/idle-tracker.ts";

export interface ExpiryOptions {
  rows: Pick<AdmissionRows, "expired" | "nextExpiryMs">;
  runs: Pick<AdmittedRuns, "cancel">;
  clock: Clock;
  log: Log;
  busy: Busy;
  state: EngineState;
}

const MESSAGE = "Expired: its key was not free within the time to live of the run";
/** Runs to read at a time. */
const SLICE = 100;
/** Time before a fault of the store is followed by another try. */
const AGAIN_MS = 1000;
/** Interval for checking the clock, which may be set. */
const LOOK_MS = 60_000;

export class Expiry {
  readonly #options: ExpiryOptions;
  #timer: Timer | undefined;
  #timerMs = Infinity;

  constructor(options: ExpiryOptions) {
    this.#options = options;
  }

  /** A run waits for its key until this time. */
  wakeAt(dueMs: number): void {
    const { clock, state } = this.#options;
    if (state.isClosing || dueMs >= this.#timerMs) return;
    this.#timer?.cancel();
    this.#timerMs = dueMs;
    this.#timer = clock.schedule(Math.min(Math.max(0, dueMs - clock.now()), LOOK_MS), () => {
      this.#timerMs = Infinity;
      void this.lookAgain();
    });
  }

  /** Cancels expired runs, also those of earlier processes. Never rejects. */
  async lookAgain(): Promise<void> {
    const { rows, clock, busy, log } = this.#options;
    busy.begin();
    try {
      await this.#cancelExpired();
      this.wakeAt((await rows.nextExpiryMs()) ?? Infinity);
    } catch (err) {
      log.error({ err }, "Expired runs could not be cancelled. It is tried again.");
      this.wakeAt(clock.now() + AGAIN_MS);
    }
    busy.end();
  }

  close(): void {
    this.#timer?.cancel();
  }

  async #cancelExpired(): Promise<void> {
    const { rows, runs, clock, state } = this.#options;
    for (let isMore = true; isMore && !state.isClosing;) {
      const ids = await rows.expired(clock.now(), SLICE);
      for (const id of ids) await runs.cancel(id, MESSAGE);
      isMore = ids.length === SLICE;
    }
  }
}
