/**
 * Sends attempts: signed POSTs, over connections of its own. Loaded with the first of them, for undici would be a sixth of
 * what a process does until its first answer.
 */
import { refusalError } from "../../platform/security/ssrf.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { DeliveryRow } from "../../storage/contract/webhook-rows.ts";
import { Attempt, type AttemptResult } from "./attempt.ts";
import type { Connection } from "./connection.ts";
import { Connections, type ConnectionsOptions } from "./connections.ts";
import { Deadlines } from "./deadlines.ts";
import { requestText, type Target } from "./request-headers.ts";

const ATTEMPT_TIMEOUT_MS = 15_000;
/** URLs that are remembered: of more registrations than most have. */
const MOST_PLACES = 1000;

/** Where a URL leads. */
interface Place {
  origin: string;
  host: string;
  path: string;
  isExempt: boolean;
}

export class Sender {
  readonly #options: ConnectionsOptions;
  readonly #connections: Connections;
  readonly #deadlines: Deadlines;
  readonly #places = new Map<string, Place>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#connections = new Connections(options);
    this.#deadlines = new Deadlines(options.clock, ATTEMPT_TIMEOUT_MS);
  }

  /** Never rejects: whatever happens is in the result. */
  send(delivery: DeliveryRow, target: Target): Promise<AttemptResult> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      let connection: Connection | undefined;
      const attempt = new Attempt(
        clock,
        () => connection?.timings ?? {},
        (result, idleMs) => {
          this.#deadlines.remove(attempt);
          if (connection && idleMs > 0) this.#connections.give(connection, idleMs);
          else if (connection) this.#connections.drop(connection);
          resolve(result);
        },
      );
      this.#deadlines.add(attempt);
      try {
        const place = this.#placeOf(target.rawUrl);
        if (place instanceof SvcError) return attempt.onError(place);
        const request = requestText(place.host, place.path, delivery, target, clock.now());
        connection = this.#connections.take(place.origin, place.isExempt);
        connection.send(request, attempt);
      } catch (error) {
        attempt.onError(error);
      }
    });
  }

  /** Judges a URL once: as a text it says the same each time. Which address it leads to is judged at each connect. */
  #placeOf(rawUrl: string): Place | SvcError {
    const known = this.#places.get(rawUrl);
    if (known) return known;
    const verdict = this.#options.policy.checkUrl(rawUrl);
    if (!verdict.ok) return refusalError(verdict);
    const { url, isExempt } = verdict;
    const place: Place = { origin: url.origin, host: url.host, path: url.pathname + url.search, isExempt };
    // What is exempt may be another one later.
    if (isExempt) return place;
    if (this.#places.size >= MOST_PLACES) this.#places.clear();
    this.#places.set(rawUrl, place);
    return place;
  }

  /** Ends what is open. */
  async destroy(): Promise<void> {
    this.#connections.destroy();
  }
}
