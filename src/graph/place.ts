/**
 * A place in the lane of a worker, given to one attempt of a node. An attempt that waits, for a time, a signal or other
 * nodes, gives it back for as long, and takes one again before it goes on.
 */
import type { Queue } from "./queue.ts";

/** A lane, as its places see it. */
export interface PlaceOwner {
  running: number;
  concurrency: number;
  /** Attempts that go on as soon as there is room: before those that are yet to begin. */
  readonly returning: Queue<Place>;
  /** Told as a place is taken and given back. */
  readonly onPlace: (isHeld: boolean) => void;
  /** Gives room that has come to whoever is next. */
  readonly fill: () => void;
}

export class Place {
  readonly #lane: PlaceOwner;
  #isHeld = false;
  #isGone = false;
  #go: (() => void) | undefined;

  /** Takes the place. */
  constructor(lane: PlaceOwner) {
    this.#lane = lane;
    this.#take();
  }

  #take(): void {
    this.#isHeld = true;
    this.#lane.running++;
    this.#lane.onPlace(true);
  }

  /** Gives the place back for a while. */
  free(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#lane.running--;
    this.#lane.fill();
    this.#lane.onPlace(false);
  }

  /** Resolves once there is room again. */
  takeAgain(): Promise<void> {
    if (this.#isHeld || this.#isGone) return Promise.resolve();
    if (this.#lane.running < this.#lane.concurrency && this.#lane.returning.size === 0) {
      this.#take();
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#go = resolve;
      this.#lane.returning.push(this);
    });
  }

  /** Its turn has come. @returns false when nobody wants it any more. */
  admit(): boolean {
    const go = this.#go;
    this.#go = undefined;
    if (!go || this.#isGone) return false;
    this.#take();
    go();
    return true;
  }

  /** The attempt has ended. */
  leave(): void {
    this.#isGone = true;
    this.free();
  }
}
