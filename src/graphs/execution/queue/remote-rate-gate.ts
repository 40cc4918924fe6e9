/** A rate that the database counts for all processes. This process only knows until when nothing may start. */
export class ShutGate {
  #shutMs = 0;
  #untilMs = 0;

  shut(nowMs: number, waitMs: number): void {
    this.#shutMs = nowMs;
    this.#untilMs = nowMs + waitMs;
  }

  /** Time of the next allowed start; not after `nowMs` if one is allowed now. */
  opensAtMs(nowMs: number): number {
    // The clock was set back, so the time is unknown: ask again.
    return nowMs < this.#shutMs ? nowMs : Math.max(nowMs, this.#untilMs);
  }

  take(): void {
    // The other side has counted it.
  }

  giveBack(): void {
    // As above.
  }

  started(): void {
    // As above.
  }

  /** Whether it blocks nothing and may be forgotten. */
  isIdle(nowMs: number): boolean {
    return this.opensAtMs(nowMs) <= nowMs;
  }
}
