/**
 * A place in the lane of a worker, given to one attempt of a node. An attempt that waits, for a time, a signal or other
 * nodes, gives it back for as long, and takes one again before it goes on.
 */

/** Who gives places, and wants them back. */
export interface PlaceOwner {
  free(): void;
  /** @param goOn called when it has the place. @param isWanted asked when its turn has come. */
  takeAgain(goOn: () => void, isWanted: () => boolean): void;
}

export class Place {
  readonly #owner: PlaceOwner;
  #isHeld = true;
  #isGone = false;
  /** Whether it was given back for a while. */
  hasWaited = false;
  #again: Promise<void> | undefined;
  #onFreed!: () => void;
  /** Resolves when it is given back for the first time. */
  readonly freed = new Promise<void>((resolve) => (this.#onFreed = resolve));

  /** One that is held. */
  constructor(owner: PlaceOwner) {
    this.#owner = owner;
  }

  /** Whether it is the attempt's now: not while that waits, and not once it has left. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Gives the place back for a while. */
  free(): void {
    this.hasWaited = true;
    this.#giveBack();
  }

  #giveBack(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#owner.free();
    this.#onFreed();
  }

  /** Resolves once there is room again; never when it is not wanted any more by then. */
  takeAgain(): Promise<void> {
    if (this.#isHeld || this.#isGone) return Promise.resolve();
    this.#again ??= new Promise((resolve) => {
      const goOn = (): void => {
        this.#isHeld = true;
        this.#again = undefined;
        resolve();
      };
      this.#owner.takeAgain(goOn, () => !this.#isGone);
    });
    return this.#again;
  }

  /** The attempt has ended. */
  leave(): void {
    this.#isGone = true;
    this.#giveBack();
  }
}
