/**
 * Asks other processes for places of one worker, while what waits for one here is more than it is worth waiting for. What that is, work-sharing-policy.ts
 * decides; what becomes of the places that others lend is worker-queue.ts's. Looks a few times a second while anything waits, and costs
 * nothing otherwise.
 */
import type { Clock } from "../../../platform/shared/clock.ts";
import type { Elsewhere } from "../remote/remote-attempts.ts";
import { Lengths, spreadingOf } from "./work-sharing-policy.ts";
import type { Spread } from "../../definition/worker-types.ts";

/** Between looks: a tenth of the work that is worth spreading. */
const LOOK_MS = 100;

/** What is to be known of a worker's lane. */
export interface SpreadLane {
  /** As its options say. */
  readonly places: number;
  readonly waiting: number;
  /** Whether one of those that wait could begin in a place of another process. */
  mayLeave(): boolean;
  /** How many are to have a place here. */
  limitTo(places: number): void;
}

export interface SpreaderOptions {
  worker: string;
  spread: Spread;
  clock: Clock;
  elsewhere: Elsewhere;
  lane: SpreadLane;
}

export class Spreader {
  readonly #options: SpreaderOptions;
  readonly #lengths = new Lengths();
  #startedMs: number;
  /** Whether places of others are wanted. */
  isSpread = false;
  #isLooking = false;

  constructor(options: SpreaderOptions) {
    this.#options = options;
    this.#startedMs = options.clock.elapsed();
  }

  /** One has a place here. */
  started(): void {
    this.#startedMs = this.#options.clock.elapsed();
  }

  /** One has ended that ran here, and waited for nothing. */
  ended(lengthMs: number, heldMs: number): void {
    this.#lengths.add(lengthMs, heldMs);
  }

  /** Something waits for a place. */
  waits(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#options.clock.schedule(LOOK_MS, () => {
      this.#isLooking = false;
      this.#look();
    });
  }

  #look(): void {
    const { worker, spread, clock, elsewhere, lane } = this.#options;
    const { waiting, places } = lane;
    const { lengthMs, heldMs } = this.#lengths;
    const sinceStartMs = clock.elapsed() - this.#startedMs;
    const { isSpread } = this;
    const spreading = spreadingOf({ spread, waiting, places, lengthMs, heldMs, sinceStartMs, isSpread });
    const mayHelp = elsewhere.mayHelp(worker);
    const isWanted = spreading.isWanted && mayHelp && lane.mayLeave();
    this.isSpread = isWanted;
    lane.limitTo(mayHelp ? spreading.places : places);
    if (isWanted !== isSpread) elsewhere.want(worker, isWanted);
    if (waiting > 0) this.waits();
  }
}
