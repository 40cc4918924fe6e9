/** Keeps the process running while somebody waits for a run: timers of the engine alone do not, so that an app can end. */

/** Any length does, because the timer has nothing to do. */
const TICK_MS = 60_000;

export class KeepAlive {
  #count = 0;
  #isClosed = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Called when a wait begins. `end` is called once for it. */
  begin(): void {
    this.#count++;
    if (!this.#isClosed) this.#timer ??= setInterval(() => undefined, TICK_MS);
  }

  end(): void {
    if (--this.#count === 0) this.#stop();
  }

  /** The engine closes: it settles no run from here on. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
