/**
 * Chains of transitions, each based on the one before, without waiting for the store. Event numbers alone don't identify a chain: two
 * copies of a run may count alike, and the second transition of one would pass on top of the first of the other. So once a transition of
 * a chain was not written, none that follows is.
 */
import type { Transition } from "./transition.ts";

export class TransitionChains {
  /** Few: each belongs to a discarded copy of a run. */
  readonly #broken = new Set<number>();

  isBroken({ fence }: Transition): boolean {
    return fence?.line !== undefined && this.#broken.has(fence.line);
  }

  break({ fence }: Transition): void {
    if (fence?.line !== undefined) this.#broken.add(fence.line);
  }
}
