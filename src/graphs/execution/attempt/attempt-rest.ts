/** Knows whether an attempt only waits: its run records that (engine/runs/suspender.ts), and a process that starts leaves it as rows. */
import type { SuspendPolicy } from "../../machine/suspension.ts";
import type { StartedAttempt } from "../started-attempt.ts";
import type { WaitingAttempt } from "./abort.ts";

export class AttemptRest implements WaitingAttempt {
  /** Whether the attempt has returned its slot, because it waits. */
  isParked = false;
  readonly #attempt: StartedAttempt;
  readonly #policy: SuspendPolicy;
  /** Number of calls in progress that do more than wait. */
  #work = 0;
  /** Whether the worker did something else since its last wait began. */
  #isBeside = false;

  constructor(attempt: StartedAttempt, policy: SuspendPolicy) {
    this.#attempt = attempt;
    this.#policy = policy;
  }

  get onlyWaits(): boolean {
    return this.isParked && this.#work === 0 && !this.#isBeside;
  }

  get mayEnd(): boolean {
    return this.#policy === "always";
  }

  /** A call does more than wait, until `endWork`. */
  beginWork(): void {
    this.#work++;
  }

  endWork(): void {
    this.#work--;
    this.#look();
  }

  /** A wait has begun. */
  began(): void {
    this.#isBeside = false;
    this.#look();
  }

  /** The worker has done something that is no call of its own, so code goes on beside its waits. */
  beside(): void {
    this.#isBeside = this.isParked;
  }

  #look(): void {
    const { controller, run } = this.#attempt;
    if (!this.isParked || this.#policy === "never" || !controller) return;
    controller.waiting = this;
    run.parked();
  }
}
