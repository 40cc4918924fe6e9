/**
 * Whether what waits for a place of one worker is to be spread over other processes: the decision, without the asking (work-sharing.ts).
 * "Large" is meant in work, not in number: a node in another process costs both some milliseconds of processor, so that a thousand
 * short ones are done sooner where they are, and a hundred long ones are not (decision 061).
 */
import type { Spread } from "../../definition/worker-types.ts";

/** What waits for the places of one worker in this process. */
export interface Load {
  spread: Spread;
  /** Attempts that could begin if there were a place. */
  waiting: number;
  /** Attempts at once in this process. */
  places: number;
  /** How long those took that have ended here, lately and on the average; undefined before one has. */
  lengthMs: number | undefined;
  /** How much of that they held up the event loop at their beginning: nothing else runs here meanwhile, whatever places there are. */
  heldMs: number;
  /** How long ago the last has begun: that long none has left a place for it. */
  sinceStartMs: number;
  /** Whether others are asked already. */
  isSpread: boolean;
}

export interface Spreading {
  /** Whether places of other processes are wanted. */
  isWanted: boolean;
  /** How many attempts are to have a place here, so that what waits may go wherever a place is free first. */
  places: number;
}

/** Shorter ones cost more to hand out than is gained: ten times the milliseconds of processor that it takes. */
const WORTH_MS = 50;
/** More work than this is worth the while until others have heard of it. */
const LARGE_MS = 1000;
/** What is being spread goes on until nodes are half as long as they need to be for it to begin: so that it does not begin and end all the time. */
const STILL = 0.5;
/** Where nodes hold up the loop one runs after the other: one that runs, and one whose start is committed meanwhile. */
const PLACES_OF_HELD = 2;
/** Of its time, from which on a node that holds up the loop does nothing else. */
const HELD_SHARE = 0.8;

export function spreadingOf(load: Load): Spreading {
  const isWanted = load.waiting > 0 && isWorth(load);
  return { isWanted, places: holdsLoop(load) ? Math.min(PLACES_OF_HELD, load.places) : load.places };
}

function isWorth(load: Load): boolean {
  const { spread, waiting, places, isSpread, heldMs } = load;
  if (spread !== "auto") return spread === "always";
  const lengthMs = lengthOf(load);
  if (lengthMs < WORTH_MS * (isSpread ? STILL : 1)) return false;
  if (isSpread) return true;
  return Math.max((waiting * lengthMs) / places, waiting * heldMs) > LARGE_MS;
}

/** Those under way may turn out longer than those before them. */
function lengthOf({ lengthMs = 0, sinceStartMs }: Load): number {
  return Math.max(lengthMs, sinceStartMs);
}

function holdsLoop({ lengthMs = 0, heldMs }: Load): boolean {
  return heldMs >= WORTH_MS * STILL && heldMs >= lengthMs * HELD_SHARE;
}

/** How many of the last count. */
const COUNTED = 16;

/** How long the attempts of one worker took in this process, lately. */
export class Lengths {
  #count = 0;
  #lengthMs = 0;
  heldMs = 0;

  get lengthMs(): number | undefined {
    return this.#count === 0 ? undefined : this.#lengthMs;
  }

  /** @param heldMs of these, how long it held up the loop at its beginning. */
  add(lengthMs: number, heldMs: number): void {
    const weight = 1 / (this.#count = Math.min(this.#count + 1, COUNTED));
    this.#lengthMs += (lengthMs - this.#lengthMs) * weight;
    this.heldMs += (heldMs - this.heldMs) * weight;
  }
}
