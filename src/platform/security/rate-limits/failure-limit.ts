/**
 * Limits failed attempts per minute and client, such as invalid keys. Successful attempts cost nothing. A client over the limit is
 * refused before its attempt is checked: otherwise it could continue guessing. Counts are in this process's memory, so that checking and
 * counting are one step, and an operator's request waits for no file or database.
 */
import type { Clock } from "../../shared/clock.ts";
import type { RateCount } from "../../shared/rate-counters.ts";
import { MemoryCounters } from "./memory-counters.ts";
import { CLIENTS_PER_NETWORK, clientKey, headersOf, networkKey, WINDOW_SECONDS, type OnRefused } from "./rate-limit.ts";

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
    const over = this.#add(clientIp, 0).find(({ consumed, most }) => consumed >= most);
    if (!over) return undefined;
    onRefused?.(name, clientIp, target);
    return headersOf({ name, perMinute }, { endMs: over.endMs, consumed: perMinute + 1 }, clock.now());
  }

  /** Counts a failed attempt. */
  failed(clientIp: string): void {
    this.#add(clientIp, 1);
  }

  /** @returns the counts of the client, and of its /48 if it has an IPv6 address, with the allowed numbers */
  #add(clientIp: string, points: number): (RateCount & { most: number })[] {
    const { perMinute, clock } = this.#options;
    const count = (key: string, most: number): RateCount & { most: number } => ({
      ...this.#counters.add(key, points, WINDOW_SECONDS * 1000, clock.now()),
      most,
    });
    const network = networkKey(clientIp);
    const own = count(clientKey(clientIp), perMinute);
    return network === undefined ? [own] : [own, count(network, perMinute * CLIENTS_PER_NETWORK)];
  }
}
