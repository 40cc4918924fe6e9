/** A rate that is counted elsewhere, by all processes together: here it is known only until when nothing may start. */
export class ShutGate {
  #untilMs = 0;

  shut(untilMs: number): void {
    this.#untilMs = untilMs;
  }

  /** When the next may start; not after `nowMs` if at once. */
  opensAtMs(nowMs: number): number {
    return Math.max(nowMs, this.#untilMs);
  }

  take(): void {
    // Who counts has counted it.
  }

  /** Whether it holds nothing back, and may be forgotten. */
  isIdle(nowMs: number): boolean {
    return this.#untilMs <= nowMs;
  }
}
