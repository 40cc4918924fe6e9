/**
 * Limits calls per client: the client's key, the verdict and the headers. Counts in memory are handled here; store-limiter.ts handles
 * counts in a file or database, which may fail. Draft: ietf-httpapi-ratelimit-headers.
 */
import type { Clock } from "../../shared/clock.ts";
import type { RateCount, RateCounters } from "../../shared/rate-counters.ts";
import { remembered } from "../../shared/collections/memoize.ts";
import { isIPv4Address, parseAddress } from "../ssrf/address.ts";
import { MemoryCounters } from "./memory-counters.ts";
import type { StoreLimiter } from "./store-limiter.ts";

export interface RateLimitResult {
  isAllowed: boolean;
  /** `RateLimit`, `RateLimit-Policy`, and `Retry-After` on a refusal; flat. */
  headers: string[];
}

export interface RateLimitOptions {
  /** Name of the limit in headers, and prefix of its counts. */
  name: string;
  perMinute: number;
  clock: Clock;
  /** Default: separate counters in memory. */
  counters?: RateCounters;
  /** Called for each refusal with limit, client and target. Must not throw. Default: none. */
  onRefused?: OnRefused | undefined;
}

/** @param target as passed to `take` */
export type OnRefused = (limit: string, clientIp: string, target: string) => void;

export const WINDOW_SECONDS = 60;

/** A limit per minute and client. */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #counters: RateCounters;
  /** For counters that may fail; created at the first call. */
  #limiter: Promise<StoreLimiter> | undefined;

  constructor(options: RateLimitOptions) {
    this.#options = options;
    this.#counters = options.counters ?? new MemoryCounters();
  }

  /**
   * Counts one call; synchronous if counts are in memory.
   * @param target the called target for `onRefused`: one of few values, never a secret. Default: the limit's name
   */
  take(clientIp: string, target = this.#options.name): RateLimitResult | Promise<RateLimitResult> {
    if (!(this.#counters instanceof MemoryCounters)) return this.#takeLater(clientIp, target);
    const count = this.#count(this.#counters, clientKey(clientIp));
    const network = networkKey(clientIp);
    // A refused client must not use up the calls of its neighbours.
    const isCounted = network !== undefined && count.consumed <= this.#options.perMinute;
    return this.#verdict(count, isCounted ? this.#count(this.#counters, network) : undefined, clientIp, target);
  }

  #count(counters: MemoryCounters, key: string): RateCount {
    const { name, clock } = this.#options;
    return counters.add(`${name}:${key}`, 1, WINDOW_SECONDS * 1000, clock.now());
  }

  async #takeLater(clientIp: string, target: string): Promise<RateLimitResult> {
    const limiter = await (this.#limiter ??= this.#openLimiter());
    const [network, count] = [networkKey(clientIp), await limiter.take(clientKey(clientIp))];
    const isCounted = network !== undefined && count.consumed <= this.#options.perMinute;
    return this.#verdict(count, isCounted ? await limiter.take(network) : undefined, clientIp, target);
  }

  /** Imports on demand: few apps have counters that may fail, and the library takes 6 ms of a start. */
  async #openLimiter(): Promise<StoreLimiter> {
    const { StoreLimiter } = await import("./store-limiter.ts");
    const { name, perMinute, clock } = this.#options;
    const options = { name, points: perMinute, windowSeconds: WINDOW_SECONDS, clock };
    // A file or database that can't be written must neither stop the site nor disable its limits.
    const insurance = new StoreLimiter(options, new MemoryCounters());
    return new StoreLimiter(options, this.#counters, insurance);
  }

  /** @param network count of the client's /48; undefined if it does not decide */
  #verdict(client: RateCount, network: RateCount | undefined, clientIp: string, target: string): RateLimitResult {
    const { name, perMinute, clock, onRefused } = this.#options;
    const isNetworkOver = network !== undefined && network.consumed > perMinute * CLIENTS_PER_NETWORK;
    const count = isNetworkOver ? { consumed: perMinute + 1, endMs: network.endMs } : client;
    const isAllowed = count.consumed <= perMinute;
    if (!isAllowed) onRefused?.(name, clientIp, target);
    return { isAllowed, headers: headersOf({ name, perMinute }, count, clock.now()) };
  }
}

/** `RateLimit`, `RateLimit-Policy`, and `Retry-After` if the count is above the limit; flat. */
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

/** An IPv4 address, or the /64 of an IPv6 address, because a client owns at least that much. */
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

/**
 * Calls that all clients of an IPv6 /48 share, in multiples of one client's limit. A tunnel broker gives one person a whole /48, which is
 * 65,536 clients. A provider puts many households into one, and few of them reach their limit in the same minute.
 */
export const CLIENTS_PER_NETWORK = 16;

/** The /48 of an IPv6 address; undefined for other clients. */
export const networkKey: (clientIp: string) => string | undefined = remembered((clientIp) => {
  const words = parseAddress(clientIp);
  if (!words || isIPv4Address(words)) return undefined;
  return `${words
    .slice(0, 3)
    .map((word) => word.toString(16))
    .join(":")}/48`;
});

/** Display name of a client: `203.0.113.9`, `2001:db8::/64`; undefined for an invalid address. */
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
