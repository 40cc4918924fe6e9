/**
 * Limits failed attempts per minute and client, such as invalid keys. Successful attempts cost nothing. A client over the limit is
 * refused before its attempt is checked: otherwise it could continue guessing. Counts are in this process's memory, so that checking and
 * counting are one step, and an operator's request waits for no file or database.
 */
import type { Clock } from "../../shared/clock.ts";
import { MemoryCounters } from "./memory-counters.ts";
import { clientKey, headersOf, WINDOW_SECONDS, type OnRefused } from "./rate-limit.ts";

export interface FailureLimitOptions {
  /** Name of the limit in headers and metrics. */
  name: string;
  perMinute: number;
  clock: Clock;
  onRefused?: OnRefused | undefined;
}

export class FailureLimit {
  readonly #options: FailureLimitOptions;
  readonly #counters = new MemoryCounters();

  constructor(options: FailureLimitOptions) {
    this.#options = options;
  }

  /** Flat headers of the refusal, including `Retry-After`; undefined while the client may try. @param target as for `RateLimit.take` */
  refusal(clientIp: string, target = this.#options.name): string[] | undefined {
    const { name, perMinute, clock, onRefused } = this.#options;
    const count = this.#add(clientIp, 0);
    if (count.consumed < perMinute) return undefined;
    onRefused?.(name, clientIp, target);
    return headersOf({ name, perMinute }, { ...count, consumed: perMinute + 1 }, clock.now());
  }

  /** Counts a failed attempt. */
  failed(clientIp: string): void {
    this.#add(clientIp, 1);
  }

  #add(clientIp: string, points: number) {
    return this.#counters.add(clientKey(clientIp), points, WINDOW_SECONDS * 1000, this.#options.clock.now());
  }
}
