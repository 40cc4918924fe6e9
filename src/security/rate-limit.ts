/**
 * How often one client may do a thing: counting is `rate-limiter-flexible`'s, the client's key and the headers are ours.
 * Draft: ietf-httpapi-ratelimit-headers.
 */
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { isIPv4Address, parseAddress } from "./address.ts";

export interface RateVerdict {
  isAllowed: boolean;
  /** `RateLimit`, `RateLimit-Policy`, and `Retry-After` on a refusal; flat. */
  headers: string[];
}

/** One limit per minute and client, in memory. */
export class RateLimit {
  readonly #name: string;
  readonly #perMinute: number;
  readonly #limiter: RateLimiterMemory;

  constructor(name: string, perMinute: number) {
    this.#name = name;
    this.#perMinute = perMinute;
    this.#limiter = new RateLimiterMemory({ keyPrefix: name, points: perMinute, duration: 60 });
  }

  /** Counts one call. */
  async take(clientIp: string): Promise<RateVerdict> {
    try {
      return this.#verdict(true, await this.#limiter.consume(clientKey(clientIp)));
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return this.#verdict(false, refusal);
      throw refusal;
    }
  }

  #verdict(isAllowed: boolean, state: RateLimiterRes): RateVerdict {
    const resetSeconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
    const headers = [
      "ratelimit-policy",
      `"${this.#name}";q=${this.#perMinute};w=60`,
      "ratelimit",
      `"${this.#name}";r=${Math.max(0, state.remainingPoints)};t=${resetSeconds}`,
    ];
    if (!isAllowed) headers.push("retry-after", String(resetSeconds));
    return { isAllowed, headers };
  }
}

/** An IPv4 address as it is; of an IPv6 address its /64, since a client owns at least that much. */
export function clientKey(clientIp: string): string {
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
}
