/**
 * Who makes units on top of each other without waiting for the store. Numbers of events alone don't tell a line from
 * another's: what two made of the same state may count alike, and then the second unit of the one would pass on top of the
 * first of the other. So once a unit of a line was not written, none that follows is.
 */
import type { Transition } from "./unit.ts";

export class TransitionChains {
  /** Few: each is a mirror that was thrown away. */
  readonly #broken = new Set<number>();

  isBroken({ fence }: Transition): boolean {
    return fence?.line !== undefined && this.#broken.has(fence.line);
  }

  break({ fence }: Transition): void {
    if (fence?.line !== undefined) this.#broken.add(fence.line);
  }
}
