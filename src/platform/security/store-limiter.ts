/**
 * Counts of clients where counting may fail, such as a file or database: the rules of consuming, and who counts meanwhile,
 * are `rate-limiter-flexible`'s; where it is counted, and the time, are ours.
 */
import RateLimiterRes from "rate-limiter-flexible/lib/RateLimiterRes.js";
import RateLimiterStoreAbstract from "rate-limiter-flexible/lib/RateLimiterStoreAbstract.js";
import type { Clock } from "../shared/clock.ts";
import type { RateCount, RateCounters } from "../shared/rate-counters.ts";

export interface StoreLimiterOptions {
  /** Keeps the counts apart from those of others. */
  name: string;
  /** Calls in a window. */
  points: number;
  windowSeconds: number;
  clock: Clock;
}

/** The library's limiter over counters of ours; its own memory keeps a timer for each client and the system's time. */
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

  /** Counts one call; who is over the limit is its caller's to refuse. */
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
