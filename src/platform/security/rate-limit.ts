/**
 * How often one client may do a thing: the client's key, the verdict and the headers. Counts of this process are taken here;
 * those in a file or database that may fail go by store-limiter.ts. Draft: ietf-httpapi-ratelimit-headers.
 */
import type { Clock } from "../shared/clock.ts";
import type { RateCount, RateCounters } from "../shared/rate-counters.ts";
import { remembered } from "../shared/memoize.ts";
import { isIPv4Address, parseAddress } from "./address.ts";
import { MemoryCounters } from "./memory-counters.ts";
import type { StoreLimiter } from "./store-limiter.ts";

export interface RateLimitResult {
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
  /** Told of each refusal: by which limit, whom, and of what. Must not throw. Default: nothing. */
  onRefused?: OnRefused | undefined;
}

/** @param target as whoever counted the call named it */
export type OnRefused = (limit: string, clientIp: string, target: string) => void;

export const WINDOW_SECONDS = 60;

/** One limit per minute and client. */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #counters: RateCounters;
  /** Where counts may fail, once anything was counted. */
  #limiter: Promise<StoreLimiter> | undefined;

  constructor(options: RateLimitOptions) {
    this.#options = options;
    this.#counters = options.counters ?? new MemoryCounters();
  }

  /**
   * Counts one call; at once where counts are in memory.
   * @param target what is called, for those who are told of refusals: of few values, none of them a secret. Default: the limit
   */
  take(clientIp: string, target = this.#options.name): RateLimitResult | Promise<RateLimitResult> {
    if (!(this.#counters instanceof MemoryCounters)) return this.#takeLater(clientIp, target);
    const { name, clock } = this.#options;
    const key = `${name}:${clientKey(clientIp)}`;
    return this.#verdict(this.#counters.add(key, 1, WINDOW_SECONDS * 1000, clock.now()), clientIp, target);
  }

  async #takeLater(clientIp: string, target: string): Promise<RateLimitResult> {
    const limiter = await (this.#limiter ??= this.#openLimiter());
    return this.#verdict(await limiter.take(clientKey(clientIp)), clientIp, target);
  }

  /** Loaded here: few apps have counts that may fail, and the library is 6 ms of a start. */
  async #openLimiter(): Promise<StoreLimiter> {
    const { StoreLimiter } = await import("./store-limiter.ts");
    const { name, perMinute, clock } = this.#options;
    const options = { name, points: perMinute, windowSeconds: WINDOW_SECONDS, clock };
    // A file or database that can't be written must neither stop the site nor take its limits away.
    const insurance = new StoreLimiter(options, new MemoryCounters());
    return new StoreLimiter(options, this.#counters, insurance);
  }

  #verdict(count: RateCount, clientIp: string, target: string): RateLimitResult {
    const { name, perMinute, clock, onRefused } = this.#options;
    const isAllowed = count.consumed <= perMinute;
    if (!isAllowed) onRefused?.(name, clientIp, target);
    return { isAllowed, headers: headersOf({ name, perMinute }, count, clock.now()) };
  }
}

/** `RateLimit`, `RateLimit-Policy`, and `Retry-After` where the count is above the limit; flat. */
export function headersOf(
  { name, perMinute }: Pick<RateLimitOptions, "name" | "perMinute">,
  { consumed, endMs }: RateCount,
  nowMs: number,
): string[] {
  const resetSeconds = Math.max(1, Math.ceil((endMs - nowMs) / 1000));
  const left = `"${name}";r=${Math.max(0, perMinute - consumed)};t=${resetSeconds}`;
  const headers = ["ratelimit-policy", `"${name}";q=${perMinute};w=${WINDOW_SECONDS}`, "ratelimit", left];
  if (consumed > perMinute) headers.push("retry-after", String(resetSeconds));
  return headers;
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

/** Who is counted as one, as people write it: `203.0.113.9`, `2001:db8::/64`; undefined for what is no address. */
export function clientName(clientIp: string): string | undefined {
  const words = parseAddress(clientIp);
  if (!words) return undefined;
  if (isIPv4Address(words))
    return words
      .slice(6)
      .flatMap((word) => [word >> 8, word & 255])
      .join(".");
  const prefix = words.slice(0, 4).map((word) => word.toString(16));
  return `${new URL(`http://[${prefix.join(":")}::]`).hostname.slice(1, -1)}/64`;
}
