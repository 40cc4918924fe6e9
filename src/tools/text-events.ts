/** Text that comes in crumbs, told in pieces: an event is a row in the database, and a token is too little for one. */
import type { Clock, Timer } from "../platform/shared/clock.ts";
import type { Caller } from "./caller.ts";

/** Ten a second: as often as progress is told, and enough to read along. */
const INTERVAL_MS = 100;

export class TextEvents {
  readonly #clock: Clock;
  readonly #caller: Caller;
  #held = "";
  #timer: Timer | undefined;

  constructor(clock: Clock, caller: Caller) {
    this.#clock = clock;
    this.#caller = caller;
  }

  add(text: string): void {
    if (!this.#caller.emit) return;
    this.#held += text;
    this.#timer ??= this.#clock.schedule(INTERVAL_MS, () => this.#tell());
  }

  /** Tells what is left. */
  end(): void {
    this.#timer?.cancel();
    this.#tell();
  }

  #tell(): void {
    this.#timer = undefined;
    if (this.#held === "") return;
    const text = this.#held;
    this.#held = "";
    this.#caller.emit?.("ai.text", { text });
  }
}
