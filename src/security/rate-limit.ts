/**
 * How often one client may do a thing. The rules of consuming are `rate-limiter-flexible`'s; where it is counted, the time,
 * the client's key and the headers are ours. Draft: ietf-httpapi-ratelimit-headers.
 */
import RateLimiterRes from "rate-limiter-flexible/lib/RateLimiterRes.js";
import RateLimiterStoreAbstract from "rate-limiter-flexible/lib/RateLimiterStoreAbstract.js";
import type { Clock } from "../shared/clock.ts";
import type { RateCount, RateCounters } from "../shared/rate-counters.ts";
import { remembered } from "../shared/remember.ts";
import { isIPv4Address, parseAddress } from "./address.ts";
import { MemoryCounters } from "./memory-counters.ts";

export interface RateVerdict {
  isAllowed: boolean;
  /** `RateLimit`, `RateLimit-Policy`, and `Retry-After` on a refusal; flat. */
  headers: string[];
}

export interface RateLimitOptions {
  /** Names the limit in headers, and keeps its counts apart from those of others. */
  name: string;
  perMinute: number;
  clock: Clock;
  /** Default: in memory, its own. */
  counters?: RateCounters;
}

const WINDOW_SECONDS = 60;

/** One limit per minute and client. */
export class RateLimit {
  readonly #name: string;
  readonly #perMinute: number;
  readonly #policy: readonly [name: string, value: string];
  readonly #limiter: CountingLimiter;
  /** It can't fail, so there is nothing to wait for. */
  readonly #memory: MemoryCounters | undefined;

  constructor(options: RateLimitOptions) {
    this.#name = options.name;
    this.#perMinute = options.perMinute;
    this.#policy = ["ratelimit-policy", `"${options.name}";q=${options.perMinute};w=${WINDOW_SECONDS}`];
    const { counters = new MemoryCounters() } = options;
    this.#memory = counters instanceof MemoryCounters ? counters : undefined;
    // A file or database that can't be written must neither stop the site nor take its limits away.
    const insurance = this.#memory ? undefined : new CountingLimiter(options, new MemoryCounters());
    this.#limiter = new CountingLimiter(options, counters, insurance);
  }

  /** Counts one call; at once where counts are in memory. */
  take(clientIp: string): RateVerdict | Promise<RateVerdict> {
    const key = clientKey(clientIp);
    if (!this.#memory) return this.#takeLater(key);
    const state = this.#limiter.consumeNow(key, this.#memory);
    return this.#verdict(state.consumedPoints <= this.#perMinute, state);
  }

  async #takeLater(key: string): Promise<RateVerdict> {
    try {
      return this.#verdict(true, await this.#limiter.consume(key));
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return this.#verdict(false, refusal);
      throw refusal;
    }
  }

  #verdict(isAllowed: boolean, state: RateLimiterRes): RateVerdict {
    const resetSeconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
    const left = `"${this.#name}";r=${Math.max(0, state.remainingPoints)};t=${resetSeconds}`;
    const headers = [...this.#policy, "ratelimit", left];
    if (!isAllowed) headers.push("retry-after", String(resetSeconds));
    return { isAllowed, headers };
  }
}

/** The library's limiter over counters of ours; its own memory keeps a timer for each client and the system's time. */
class CountingLimiter extends RateLimiterStoreAbstract {
  readonly #counters: RateCounters;
  readonly #clock: Clock;

  constructor({ name, perMinute, clock }: RateLimitOptions, counters: RateCounters, insurance?: CountingLimiter) {
    super({
      storeClient: counters,
      keyPrefix: name,
      points: perMinute,
      duration: WINDOW_SECONDS,
      ...(insurance ? { insuranceLimiter: insurance } : {}),
    });
    this.#counters = counters;
    this.#clock = clock;
  }

  /** As `consume`, with counters that can't fail. Who is over the limit is its caller's to refuse. */
  consumeNow(key: string, counters: MemoryCounters): RateLimiterRes {
    const count = counters.add(this.getKey(key), 1, WINDOW_SECONDS * 1000, this.#clock.now());
    return this._getRateLimiterRes(key, 1, count);
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

/** An IPv4 address as it is; of an IPv6 address its /64, since a client owns at least that much. */
export const clientKey: (clientIp: string) => string = remembered((clientIp) => {
  const words = parseAddress(clientIp);
  if (!words) return clientIp;
  if (isIPv4Address(words))
    return words
      .slice(6)
      .map((word) => word.toString(16))
      .join(":");
  return `${words
    .slice(0, 4)
    .map((word) => word.toString(16))
    .join(":")}/64`;
});
