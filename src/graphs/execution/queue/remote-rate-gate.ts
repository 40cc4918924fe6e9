/** A rate that is counted elsewhere, by all processes together: here it is known only until when nothing may start. */
export class ShutGate {
  #shutMs = 0;
  #untilMs = 0;

  shut(nowMs: number, waitMs: number): void {
    this.#shutMs = nowMs;
    this.#untilMs = nowMs + waitMs;
  }

  /** When the next may start; not after `nowMs` if at once. */
  opensAtMs(nowMs: number): number {
    // By a clock that was set back it can't be told: who counts is asked again.
    return nowMs < this.#shutMs ? nowMs : Math.max(nowMs, this.#untilMs);
  }

  take(): void {
    // Who counts has counted it.
  }

  /** Whether it holds nothing back, and may be forgotten. */
  isIdle(nowMs: number): boolean {
    return this.opensAtMs(nowMs) <= nowMs;
  }
}
