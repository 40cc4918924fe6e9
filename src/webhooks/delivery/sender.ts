/**
 * Sends attempts: signed POSTs over undici. Loaded with the first attempt, because loading undici takes a sixth of the time until a
 * process serves its first request.
 */
import { refusalError } from "../../platform/security/ssrf/ssrf.ts";
import type { DeliveryRow } from "../../storage/contract/webhook-rows.ts";
import { Attempt, type AttemptResult } from "./attempt.ts";
import { ConnectionPool, type ConnectionPoolOptions } from "./connection-pool.ts";
import type { ReceiverRequest } from "./connection.ts";
import { Deadlines } from "./deadlines.ts";
import { checkHeaders, requestHeaders, type Target } from "./request-headers.ts";

const ATTEMPT_TIMEOUT_MS = 15_000;
/** Checked URLs to remember: more registrations than most apps have. */
const MAX_PLACES = 1000;

/** The target of a URL. */
type Place = Pick<ReceiverRequest, "origin" | "path" | "isExempt">;

export class Sender {
  readonly #options: ConnectionPoolOptions;
  readonly #pool: ConnectionPool;
  readonly #deadlines: Deadlines;
  readonly #places = new Map<string, Place>();

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#pool = new ConnectionPool(options);
    this.#deadlines = new Deadlines(options.clock, ATTEMPT_TIMEOUT_MS);
  }

  /** Never rejects: the result states every failure. */
  send(delivery: DeliveryRow, target: Target): Promise<AttemptResult> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const attempt = new Attempt(clock, this.#pool, (result) => {
        this.#deadlines.remove(attempt);
        resolve(result);
      });
      this.#deadlines.add(attempt);
      try {
        const place = this.#placeOf(target.rawUrl);
        const headers = requestHeaders(delivery, target, clock.now());
        checkHeaders(headers);
        attempt.send({ ...place, headers, body: delivery.body });
      } catch (error) {
        attempt.fail(error);
      }
    });
  }

  /** Checks a URL once: the text gives the same result each time. The address that it leads to is checked at each connect. */
  #placeOf(rawUrl: string): Place {
    const known = this.#places.get(rawUrl);
    if (known) return known;
    const verdict = this.#options.policy.checkUrl(rawUrl);
    if (!verdict.ok) throw refusalError(verdict);
    const { url, isExempt } = verdict;
    const place: Place = { origin: url.origin, path: url.pathname + url.search, isExempt };
    // The exempt URL may change.
    if (isExempt) return place;
    if (this.#places.size >= MAX_PLACES) this.#places.clear();
    this.#places.set(rawUrl, place);
    return place;
  }

  /** Closes all connections. */
  async destroy(): Promise<void> {
    await this.#pool.destroy();
  }
}
