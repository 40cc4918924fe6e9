/**
 * Limits with counters that may fail, such as a file or database. `rate-limiter-flexible` decides when a call is over the limit and which
 * counters replace failed ones; svc provides the counters and the clock.
 */
import RateLimiterRes from "rate-limiter-flexible/lib/RateLimiterRes.js";
import RateLimiterStoreAbstract from "rate-limiter-flexible/lib/RateLimiterStoreAbstract.js";
import type { Clock } from "../../shared/clock.ts";
import type { RateCount, RateCounters } from "../../shared/rate-counters.ts";

export interface StoreLimiterOptions {
  /** Prefix of the counts. */
  name: string;
  /** Calls in a window. */
  points: number;
  windowSeconds: number;
  clock: Clock;
}

/** The library's limiter with svc's counters: its own memory counters use a timer per client and the system clock. */
export class StoreLimiter extends RateLimiterStoreAbstract {
  readonly #counters: RateCounters;
  readonly #clock: Clock;

  /** @param insurance counts while `counters` fails */
  constructor(options: StoreLimiterOptions, counters: RateCounters, insurance?: StoreLimiter) {
    const { name, points, windowSeconds, clock } = options;
    super({
      storeClient: counters,
      keyPrefix: name,
      points,
      duration: windowSeconds,
      ...(insurance ? { insuranceLimiter: insurance } : {}),
    });
    this.#counters = counters;
    this.#clock = clock;
  }

  /** Counts one call. The caller refuses a client over the limit. */
  async take(key: string): Promise<RateCount> {
    const { consumedPoints, msBeforeNext } = await this.consume(key).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });
    return { consumed: consumedPoints, endMs: this.#clock.now() + msBeforeNext };
  }

  /** Called by the library. */
  async _upsert(key: string, points: number, windowMs: number): Promise<RateCount> {
    return this.#counters.add(key, points, windowMs, this.#clock.now());
  }

  /** Called by the library. */
  _getRateLimiterRes(_key: string, points: number, { consumed, endMs }: RateCount): RateLimiterRes {
    const leftMs = Math.max(0, endMs - this.#clock.now());
    return new RateLimiterRes(Math.max(0, this.points - consumed), leftMs, consumed, consumed === points);
  }
}
