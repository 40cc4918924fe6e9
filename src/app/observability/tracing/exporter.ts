/**
 * Sends spans to a collector: OTLP over HTTP, as JSON. Batches come from a bounded queue: if the collector is down, spans are dropped,
 * and neither memory nor request times grow.
 *
 * The operator configures the URL, which usually points into the internal network, so the SSRF rules for webhooks do not apply.
 */
import { sleep, type Clock, type Timer } from "../../../platform/shared/clock.ts";
import type { Log } from "../../../platform/shared/log.ts";
import { otlpBody, type Span } from "./span.ts";

export interface ExporterOptions {
  /** Full URL: `http://127.0.0.1:4318/v1/traces`. */
  url: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  clock: Clock;
  log: Log;
  /** Called with the number of exported or dropped spans. */
  count: (outcome: "exported" | "dropped", spans: number) => void;
  /** From 0 to below 1; spreads retries. */
  random: () => number;
}

/** The defaults of OpenTelemetry's batch processor. */
const MAX_QUEUE = 2048;
const MAX_BATCH = 512;
const INTERVAL_MS = 5000;
const REQUEST_TIMEOUT_MS = 10_000;
/** Tries per batch; the last wait is near 16 s. */
const MAX_TRIES = 5;
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;
/** Response statuses after which the same batch may be sent again (OTLP, "Failures"). */
const RETRYABLE = new Set([429, 502, 503, 504]);

type Outcome =
  | { kind: "done" }
  | { kind: "refused"; why: string }
  | { kind: "again"; why: string; afterMs: number | undefined };

export class Exporter {
  readonly #options: ExporterOptions;
  readonly #queue: Span[] = [];
  /** Aborts when the app begins to close: each batch then has one more attempt. */
  readonly #closing = new AbortController();
  /** Aborts at the deadline of the close. */
  readonly #stopped = new AbortController();
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  #isFailing = false;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  add(span: Span): void {
    if (this.#queue.length >= MAX_QUEUE) return this.#options.count("dropped", 1);
    this.#queue.push(span);
    if (this.#queue.length >= MAX_BATCH) this.#send();
    else this.#timer ??= this.#options.clock.schedule(INTERVAL_MS, () => this.#send());
  }

  /** Sends the queued spans once, and drops those that are unsent after `deadlineMs`. */
  async close(deadlineMs: number): Promise<void> {
    this.#closing.abort();
    const deadline = this.#options.clock.schedule(deadlineMs, () => this.#stopped.abort(new Error("The app closes")));
    this.#send();
    await this.#sending;
    deadline.cancel();
    this.#timer?.cancel();
  }

  #send(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#sending ??= this.#drain().finally(() => (this.#sending = undefined));
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, MAX_BATCH);
      const isSent = await this.#deliver(batch);
      this.#options.count(isSent ? "exported" : "dropped", batch.length);
    }
  }

  async #deliver(batch: readonly Span[]): Promise<boolean> {
    const { serviceName, clock, random } = this.#options;
    const body = JSON.stringify(otlpBody(batch, serviceName));
    for (let tried = 1; ; tried++) {
      const outcome = await this.#post(body);
      if (outcome.kind === "done") return this.#report(undefined);
      if (outcome.kind === "refused" || tried === MAX_TRIES || this.#closing.signal.aborted)
        return this.#report(outcome.why);
      const waitMs = outcome.afterMs ?? FIRST_WAIT_MS * 2 ** (tried - 1) * (0.5 + random() / 2);
      await sleep(clock, Math.min(waitMs, MAX_WAIT_MS), this.#closing.signal).catch(() => undefined); // An aborted wait retries at once.
    }
  }

  async #post(body: string): Promise<Outcome> {
    const { url, headers, clock } = this.#options;
    const late = new AbortController();
    const timer = clock.schedule(REQUEST_TIMEOUT_MS, () =>
      late.abort(new Error("the collector did not respond in time")),
    );
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body,
        // Spans go only to the URL that the operator configured.
        redirect: "error",
        signal: AbortSignal.any([late.signal, this.#stopped.signal]),
      });
      // An unread body would keep the connection occupied.
      await response.arrayBuffer();
      if (response.ok) return { kind: "done" };
      const why = `the collector answered ${response.status}`;
      if (!RETRYABLE.has(response.status)) return { kind: "refused", why };
      const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
      return { kind: "again", why, afterMs: seconds >= 0 ? seconds * 1000 : undefined };
    } catch (error) {
      return { kind: "again", why: reasonOf(error), afterMs: undefined };
    } finally {
      timer.cancel();
    }
  }

  /** Logs the start and the end of a failure once each. @param why undefined: success */
  #report(why: string | undefined): boolean {
    const isSent = why === undefined;
    if (this.#isFailing !== !isSent) {
      if (isSent) this.#options.log.info({}, "Traces are exported again");
      else this.#options.log.warn({ why }, "Traces can't be exported; spans are dropped until export works again");
      this.#isFailing = !isSent;
    }
    return isSent;
  }
}

/** `fetch` always reports "fetch failed"; the cause has the reason. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return inner instanceof Error ? inner.message : String(inner);
}
