/**
 * Sends attempts: signed POSTs, over connections of its own. Loaded with the first of them, for undici would be a sixth of
 * what a process does until its first answer.
 */
import { refusalError } from "../security/ssrf.ts";
import type { Clock } from "../shared/clock.ts";
import { SvcError } from "../shared/errors.ts";
import { DELIVERY_HEADERS, TRACE_HEADERS } from "../shared/wire.ts";
import type { DeliveryRow } from "../store/webhook-rows.ts";
import { Attempt, type AttemptResult } from "./attempt.ts";
import { Connections, type Connection, type ConnectionsOptions } from "./connections.ts";
import { Deadlines } from "./deadlines.ts";
import { signatureHeaders, type SigningSecrets } from "./signing.ts";
import { USER_AGENT } from "./user-agent.ts";

const ATTEMPT_TIMEOUT_MS = 15_000;
/** URLs that are remembered: of more registrations than most have. */
const MOST_PLACES = 1000;

/** Where a URL leads. */
interface Place {
  origin: string;
  path: string;
  isExempt: boolean;
}

/** Where a delivery goes, and what the registration adds to it. */
export interface Target {
  rawUrl: string;
  headers: Readonly<Record<string, string>>;
  secrets: SigningSecrets;
  /** Sent along where there is one. */
  traceparent: string | undefined;
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
        (result, isReusable) => {
          this.#deadlines.remove(attempt);
          if (connection && isReusable) this.#connections.give(connection);
          else if (connection) this.#connections.drop(connection);
          resolve(result);
        },
      );
      this.#deadlines.add(attempt);
      const place = this.#placeOf(target.rawUrl);
      if (place instanceof SvcError) return attempt.fail(place);
      const { origin, path, isExempt } = place;
      connection = this.#connections.take(origin, isExempt);
      const headers = headersOf(delivery, target, clock);
      connection.client.dispatch({ method: "POST", path, headers, body: delivery.body }, attempt);
    });
  }

  /** Judges a URL once: as a text it says the same each time. Which address it leads to is judged at each connect. */
  #placeOf(rawUrl: string): Place | SvcError {
    const known = this.#places.get(rawUrl);
    if (known) return known;
    const verdict = this.#options.policy.checkUrl(rawUrl);
    if (!verdict.ok) return refusalError(verdict);
    const { url, isExempt } = verdict;
    const place: Place = { origin: url.origin, path: url.pathname + url.search, isExempt };
    // What is exempt may be another one later.
    if (isExempt) return place;
    if (this.#places.size >= MOST_PLACES) this.#places.clear();
    this.#places.set(rawUrl, place);
    return place;
  }

  /** Ends what is open. */
  async destroy(): Promise<void> {
    await this.#connections.destroy();
  }
}

/** Names and values in turn. */
function headersOf(delivery: DeliveryRow, { headers, secrets, traceparent }: Target, clock: Clock): string[] {
  const all: string[] = [];
  for (const name of Object.keys(headers)) all.push(name, headers[name] ?? "");
  all.push("Content-Type", "application/json", "User-Agent", USER_AGENT);
  all.push(DELIVERY_HEADERS.event, delivery.event, DELIVERY_HEADERS.delivery, delivery.id);
  all.push(DELIVERY_HEADERS.attempt, String(delivery.attempts + 1));
  if (traceparent !== undefined) all.push(TRACE_HEADERS.parent, traceparent);
  const signed = signatureHeaders(delivery.id, clock.now(), delivery.body, secrets);
  for (const name of Object.keys(signed)) all.push(name, signed[name] ?? "");
  return all;
}
