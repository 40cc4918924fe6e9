/**
 * The delivery loop: takes what is due from the store, sends it, records what came of it. At least once: a row stays
 * pending in the store until the commit that records its attempt, so a crash in between sends it again under its id.
 *
 * It sleeps until the store reports new rows, a registration changes, a slot comes free, or the next row or breaker is
 * due. `store.due` is asked past the present: its first row of the future is the time to wake, so nothing is scanned.
 */
import type { Resolve } from "../security/resolve.ts";
import type { SsrfPolicy } from "../security/ssrf.ts";
import type { Clock, Timer } from "../shared/clock.ts";
import type { Log, LogFields } from "../shared/log.ts";
import type { DeliveryRow, DeliveryStatus, RegistrationRow, WebhookStore } from "../store/contract.ts";
import type { AttemptResult } from "./attempt.ts";
import { phaseOf } from "./breaker.ts";
import { DEFAULT_LIMITS, Lanes } from "./lanes.ts";
import { outcomeOf } from "./outcome.ts";
import type { Registry } from "./registry.ts";
import type { Sender } from "./sender.ts";

/** Rows asked for beyond those held already. */
const CLAIM_BATCH = 64;
/** Rows held at most; a burst stays in the store, not in memory. */
const MAX_CLAIMED = 512;
/** Once at the most, rows are only fetched again below this: each fetch reads past those held. */
const REFILL_BELOW = 384;
/** Pause for a registration whose attempt could not be recorded: the store is in trouble, and sending on would repeat deliveries. */
const STORE_TROUBLE_MS = 5000;
const FOREVER_MS = Number.MAX_SAFE_INTEGER;
const DRAIN_MS = 15_000;

export interface DeliveryOptions {
  store: WebhookStore;
  clock: Clock;
  policy: SsrfPolicy;
  registry: Registry;
  delaysMs: readonly number[];
  /** From 0 to below 1; spreads retries. */
  random: () => number;
  log: Log;
  resolve: Resolve | undefined;
  onAttempt: ((attempt: DeliveryReport) => void) | undefined;
  /** The `traceparent` of an attempt. */
  traceparent: ((delivery: DeliveryRow, attempt: number) => string) | undefined;
}

/** An attempt of a delivery that has ended, for those who count or trace. */
export interface DeliveryReport {
  deliveryId: string;
  graphId: string;
  registrationId: string;
  event: string;
  epoch: number;
  attempt: number;
  startedMs: number;
  endedMs: number;
  statusCode: number | undefined;
  error: string | undefined;
  /** `pending`: it is tried again. */
  status: DeliveryStatus;
}

export class DeliveryLoop {
  readonly #options: DeliveryOptions;
  readonly #lanes = new Lanes(DEFAULT_LIMITS);
  /** Registrations that get nothing for now, and until when. */
  readonly #waiting = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  readonly #aborted = new AbortController();
  #loading: Promise<Sender> | undefined;
  #isOpen = false;
  #stopListening: (() => void) | undefined;
  #timer: Timer | undefined;
  #isWoken = false;
  #mayHaveMore = true;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Begins with what is pending. A second call does nothing. */
  start(): void {
    if (this.#stopListening || this.#aborted.signal.aborted) return;
    this.#isOpen = true;
    this.#stopListening = this.#options.store.onOutbox(() => this.wake());
    this.wake();
  }

  /** Looks for work soon; many calls at once cost one look. */
  wake(registrationId?: string): void {
    if (registrationId !== undefined) this.#waiting.delete(registrationId);
    this.#mayHaveMore = true;
    this.#lookSoon();
  }

  /** Starts nothing more and waits for what is under way; aborts it after `drainMs`, leaving it pending. */
  async close(drainMs = DRAIN_MS): Promise<void> {
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#timer?.cancel();
    this.#isOpen = false;
    const deadline = this.#options.clock.schedule(drainMs, () => this.#aborted.abort());
    await Promise.all(this.#running);
    deadline.cancel();
    this.#aborted.abort();
    await (await this.#loading)?.destroy();
  }

  #sender(): Promise<Sender> {
    const { policy, resolve } = this.#options;
    return (this.#loading ??= import("./sender.ts").then(
      (module) => new module.Sender({ policy, ...(resolve ? { resolve } : {}) }),
    ));
  }

  #lookSoon(): void {
    if (this.#isWoken || !this.#isOpen) return;
    this.#isWoken = true;
    queueMicrotask(() => {
      this.#isWoken = false;
      if (this.#isOpen) this.#look();
    });
  }

  #look(): void {
    try {
      if (this.#mayHaveMore && this.#lanes.claimed < REFILL_BELOW) this.#refill();
      for (let row = this.#next(); row; row = this.#next()) this.#track(this.#deliver(row));
    } catch (error) {
      this.#trouble("webhook deliveries could not be read", error);
      this.#wakeAt(this.#options.clock.now() + STORE_TROUBLE_MS);
    }
  }

  /** Claims due rows until the store has no more for lanes with room; arms the timer for what comes later. */
  #refill(): void {
    const nowMs = this.#options.clock.now();
    let wakeMs = FOREVER_MS;
    this.#mayHaveMore = false;
    while (this.#lanes.claimed < MAX_CLAIMED) {
      const limit = this.#lanes.claimed + CLAIM_BATCH;
      const skip = [...this.#skipped(nowMs), ...this.#lanes.full()];
      const rows = this.#options.store.due(FOREVER_MS, limit, skip);
      const future = rows.find((row) => row.dueMs > nowMs && !this.#lanes.isClaimed(row.id));
      for (const row of rows) if (row.dueMs <= nowMs) this.#claim(row, nowMs);
      if (future) wakeMs = future.dueMs;
      if (future || rows.length < limit) break;
    }
    if (this.#lanes.claimed >= MAX_CLAIMED) this.#mayHaveMore = true;
    for (const untilMs of this.#waiting.values()) wakeMs = Math.min(wakeMs, untilMs);
    this.#wakeAt(wakeMs);
  }

  #wakeAt(wakeMs: number): void {
    this.#timer?.cancel();
    if (wakeMs === FOREVER_MS) return;
    this.#timer = this.#options.clock.schedule(wakeMs - this.#options.clock.now(), () => this.wake());
  }

  #skipped(nowMs: number): string[] {
    for (const [id, untilMs] of this.#waiting) if (untilMs <= nowMs) this.#waiting.delete(id);
    return [...this.#waiting.keys()];
  }

  #claim(row: DeliveryRow, nowMs: number): void {
    if (this.#waiting.has(row.registrationId)) return;
    const registration = this.#options.registry.find(row.registrationId);
    // A registration that is gone is claimed too: delivering it is how its row comes to an end.
    const phase = registration ? phaseOf(registration, nowMs) : "closed";
    if (phase === "disabled") this.#hold(row.registrationId, FOREVER_MS);
    else if (phase === "open") this.#hold(row.registrationId, registration?.openUntilMs ?? nowMs);
    else this.#lanes.claim(row);
  }

  #hold(registrationId: string, untilMs: number): void {
    this.#waiting.set(registrationId, untilMs);
    this.#lanes.release(registrationId);
    this.#mayHaveMore = true;
  }

  #next(): DeliveryRow | undefined {
    const nowMs = this.#options.clock.now();
    return this.#lanes.next((id, usual) => {
      const registration = this.#options.registry.find(id);
      const phase = registration ? phaseOf(registration, nowMs) : "closed";
      if (this.#waiting.has(id) || phase === "open" || phase === "disabled") return 0;
      return phase === "probing" ? 1 : usual;
    });
  }

  #track(run: Promise<void>): void {
    const tracked: Promise<void> = run.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }

  async #deliver(row: DeliveryRow): Promise<void> {
    try {
      const registration = this.#options.registry.find(row.registrationId);
      if (registration) await this.#send(row, registration);
      else await this.#giveUp(row);
    } catch (error) {
      const fields = { deliveryId: row.id, registrationId: row.registrationId };
      this.#trouble(`webhook delivery ${row.id} could not be recorded`, error, fields);
      this.#hold(row.registrationId, this.#options.clock.now() + STORE_TROUBLE_MS);
    }
    if (this.#lanes.finish(row)) this.#mayHaveMore = true;
    this.#lookSoon();
  }

  async #send(row: DeliveryRow, registration: RegistrationRow): Promise<void> {
    const { clock, registry, store, delaysMs, random, onAttempt, traceparent } = this.#options;
    const sender = await this.#sender();
    if (!this.#isOpen) return;
    const trace = traceparent?.(row, row.attempts + 1);
    const context = { clock, signal: this.#aborted.signal, traceparent: trace };
    const { url: rawUrl, headers } = registration;
    const result = await sender.send(row, { rawUrl, headers, secrets: registry.secretsOf(registration) }, context);
    // Cut off by our own shutdown: says nothing about the receiver, so it is no attempt.
    if (this.#aborted.signal.aborted && result.statusCode === undefined) return;
    const number = row.attempts + 1;
    const outcome = outcomeOf({ result, number, delaysMs, nowMs: clock.now(), random: random() });
    onAttempt?.(reportOf(row, number, result, outcome.delivery.status));
    await Promise.all([
      store.recordAttempt(attemptRow(row.id, number, result), outcome.delivery),
      registry.noteHealth(registration.id, outcome.health),
    ]);
    this.#holdIfBroken(registration.id);
  }

  /** Takes a registration that failed its way to a wait out of the running. */
  #holdIfBroken(registrationId: string): void {
    const registration = this.#options.registry.find(registrationId);
    const nowMs = this.#options.clock.now();
    const phase = registration ? phaseOf(registration, nowMs) : "closed";
    if (phase === "disabled") this.#hold(registrationId, FOREVER_MS);
    if (phase === "open") this.#hold(registrationId, registration?.openUntilMs ?? nowMs);
  }

  async #giveUp(row: DeliveryRow): Promise<void> {
    const startedMs = this.#options.clock.now();
    const result: AttemptResult = {
      startedMs,
      durationMs: 0,
      statusCode: undefined,
      response: undefined,
      error: "the webhook was deleted",
      retryAfterMs: undefined,
    };
    await this.#options.store.recordAttempt(attemptRow(row.id, row.attempts + 1, result), { status: "failed" });
  }

  #trouble(what: string, error: unknown, fields: LogFields = {}): void {
    this.#options.log.error({ ...fields, err: error }, what);
  }
}

function attemptRow(deliveryId: string, number: number, result: AttemptResult) {
  const { startedMs, durationMs, statusCode, response, error } = result;
  return { deliveryId, number, startedMs, durationMs, statusCode, response, error };
}

function reportOf(row: DeliveryRow, attempt: number, result: AttemptResult, status: DeliveryStatus): DeliveryReport {
  const { id: deliveryId, graphId, registrationId, event, epoch } = row;
  const { startedMs, durationMs, statusCode, error } = result;
  const endedMs = startedMs + durationMs;
  return { deliveryId, graphId, registrationId, event, epoch, attempt, startedMs, endedMs, statusCode, error, status };
}
