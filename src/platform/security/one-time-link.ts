/** The token of a one-time link: it proves that its bearer reads the terminal that printed it. One token is valid at a time. */
import type { Clock } from "../shared/clock.ts";
import { randomHex } from "./random.ts";
import { isEqualSecret } from "./secrets.ts";

/** Long enough to switch to a browser and short enough that a token in a scrollback is worthless. */
export const LINK_MINUTES = 10;

export class OneTimeLink {
  /** Identifies this process; sessions of its links end with it. */
  readonly issuer = randomHex(16);
  readonly #clock: Clock;
  #token: string | undefined;
  #untilMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A new token, which replaces the previous one. */
  issue(): string {
    this.#token = randomHex(32);
    this.#untilMs = this.#clock.now() + LINK_MINUTES * 60_000;
    return this.#token;
  }

  /** Whether this is the valid token; the call uses it up. */
  redeem(given: string): boolean {
    const token = this.#token;
    if (token === undefined || !isEqualSecret(given, token)) return false;
    this.#token = undefined;
    return this.#clock.now() < this.#untilMs;
  }
}
