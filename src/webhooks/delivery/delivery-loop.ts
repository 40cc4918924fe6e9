/**
 * The delivery loop: reads due deliveries from the store, sends them and records the outcome. At least once: a row stays pending until
 * the commit that records its attempt, so a crash in between sends it again under its id.
 * The loop sleeps until the store reports new rows, a registration changes, a slot is free, or the next row or breaker is due.
 * delivery-queues.ts decides which row starts next, outcome.ts what an attempt means.
 */
import type { Resolve } from "../../platform/security/ssrf/resolve.ts";
import type { SsrfPolicy } from "../../platform/security/ssrf/ssrf.ts";
import type { Clock, Timer } from "../../platform/shared/clock.ts";
import type { Log, LogFields } from "../../platform/shared/log.ts";
import type {
  AttemptRow,
  DeliveryRow,
  DeliveryStatus,
  RegistrationRow,
  WebhookStore,
} from "../../storage/contract/webhook-rows.ts";
import type { AttemptResult } from "./attempt.ts";
import { phaseOf } from "../registration/breaker.ts";
import { FOREVER_MS } from "./delivery-queue.ts";
import { DeliveryQueues, type DeliveryLimits, type Room } from "./delivery-queues.ts";
import { outcomeOf, type Outcome } from "./outcome.ts";
import { Recorder } from "./recorder.ts";
import type { Registry } from "../registration/registry.ts";
import type { Sender } from "./sender.ts";

/** Pause for a registration whose attempt could not be recorded: the store has a fault, and more attempts would repeat deliveries. */
const STORE_TROUBLE_MS = 5000;
/** Most ended attempts that are not recorded yet: a crash would send them again. */
const MOST_UNRECORDED = 256;
const DRAIN_MS = 15_000;
/** The earlier attempt is over by then, and its follower is checked again. */
const ORDER_WAIT_MS = 20_000;

export interface DeliveryOptions {
  store: WebhookStore;
  clock: Clock;
  policy: SsrfPolicy;
  registry: Registry;
  limits: DeliveryLimits;
  delaysMs: readonly number[];
  /** From 0 to below 1; spreads retries. */
  random: () => number;
  log: Log;
  resolve: Resolve | undefined;
  onAttempt: ((attempt: DeliveryReport) => void) | undefined;
  /** Called after an attempt and its effects are recorded. */
  onRecorded: () => void;
  /** The `traceparent` header of an attempt. */
  traceparent: ((delivery: DeliveryRow, attempt: number) => string) | undefined;
  /** Makes attempts. Default: signed HTTP requests. */
  sending: Sending | undefined;
}

export type Sending = Pick<Sender, "send" | "destroy">;

/** An ended attempt, for metrics and traces. */
export interface DeliveryReport {
  deliveryId: string;
  graphId: string;
  registrationId: string;
  event: string;
  epoch: number;
  attempt: number;
  /** Creation time of the delivery. */
  createdMs: number;
  startedMs: number;
  endedMs: number;
  statusCode: number | undefined;
  error: string | undefined;
  /** `pending`: it is retried. */
  status: DeliveryStatus;
}

export class DeliveryLoop {
  readonly #options: DeliveryOptions;
  readonly #queues: DeliveryQueues;
  readonly #recorder: Recorder;
  /** Running deliveries, and callers that wait for the last of them. */
  #running = 0;
  #onIdle: (() => void) | undefined;
  readonly #aborted = new AbortController();
  #loading: Promise<Sending> | undefined;
  #sender: Sending | undefined;
  #isOpen = false;
  #stopListening: (() => void) | undefined;
  #timer: Timer | undefined;
  #timerMs = FOREVER_MS;
  #isWoken = false;
  #isLooking = false;
  /** The current or last check. */
  #looking: Promise<void> = Promise.resolve();
  /** Registrations with pending deliveries have not been read yet. */
  #isNew = true;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    const { store, clock, limits } = options;
    this.#sender = options.sending;
    this.#queues = new DeliveryQueues({ limits, store, now: () => clock.now(), roomOf: (id) => this.#roomOf(id) });
    this.#recorder = new Recorder(store);
  }

  /** Number of running attempts. */
  get active(): number {
    return this.#queues.active;
  }

  /** Starts with pending deliveries. A second call does nothing. */
  start(): void {
    if (this.#stopListening || this.#aborted.signal.aborted) return;
    this.#isOpen = true;
    this.#stopListening = this.#options.store.onOutbox((ids, added) => {
      if (added.length > 0) for (const row of added) this.#queues.offer(row);
      else for (const id of ids) this.#queues.wake(id);
      this.#lookSoon();
    });
    this.#lookSoon();
  }

  /** A registration has changed: its deliveries may start. */
  wake(registrationId: string): void {
    this.#queues.resume(registrationId);
    this.#lookSoon();
  }

  /** Drops queued deliveries of a registration and reads them again, because some may no longer be sent. */
  releaseAll(registrationId: string): void {
    this.#queues.hold(registrationId, this.#options.clock.now());
    this.wake(registrationId);
  }

  /** Starts nothing more and waits for running attempts; aborts them after `drainMs`, which leaves them pending. */
  async close(drainMs = DRAIN_MS): Promise<void> {
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#timer?.cancel();
    this.#isOpen = false;
    const deadline = this.#options.clock.schedule(drainMs, () => {
      this.#aborted.abort();
      void this.#sender?.destroy();
    });
    await this.#looking;
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    deadline.cancel();
    this.#aborted.abort();
    await this.#loading;
    await this.#sender?.destroy();
  }

  #load(): Promise<Sending> {
    const { policy, resolve, clock, limits } = this.#options;
    return (this.#loading ??= import("./sender.ts").then(
      ({ Sender: SenderClass }) =>
        (this.#sender = new SenderClass({ policy, clock, total: limits.total, ...(resolve ? { resolve } : {}) })),
    ));
  }

  /** Schedules a check for work. Concurrent calls share one check. */
  #lookSoon(): void {
    if (this.#isWoken || !this.#isOpen) return;
    this.#isWoken = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    // Slots that become free in one turn of the event loop share one check.
    this.#looking = new Promise(setImmediate).then(() => this.#lookWhileWoken());
  }

  async #lookWhileWoken(): Promise<void> {
    while (this.#isWoken && this.#isOpen) {
      this.#isWoken = false;
      await this.#look();
    }
    this.#isLooking = false;
  }

  async #look(): Promise<void> {
    try {
      if (this.#isNew) await this.#wakePending();
      while (this.#isOpen && this.#recorder.pending < MOST_UNRECORDED) {
        const row = this.#queues.next();
        if (row) void this.#deliver(row);
        else if (this.#queues.isHungry) await this.#queues.read();
        else break;
      }
      this.#wakeAt(this.#queues.wakeMs);
    } catch (error) {
      this.#trouble("webhook deliveries could not be read", error);
      this.#wakeAt(this.#options.clock.now() + STORE_TROUBLE_MS);
    }
  }

  async #wakePending(): Promise<void> {
    for (const id of await this.#options.store.pendingRegistrations()) this.#queues.wake(id);
    this.#isNew = false;
  }

  /** Schedules a check at a time, unless there is an earlier one. */
  #wakeAt(wakeMs: number): void {
    if (wakeMs >= this.#timerMs || !this.#isOpen) return;
    this.#timer?.cancel();
    this.#timerMs = wakeMs;
    this.#timer = this.#options.clock.schedule(wakeMs - this.#options.clock.now(), () => {
      this.#timerMs = FOREVER_MS;
      this.#queues.tick();
      this.#lookSoon();
    });
  }

  /** Slots of a registration: the usual number, one while its breaker probes, none while it is open or disabled. */
  #roomOf(registrationId: string): Room {
    const { registry, clock, limits } = this.#options;
    const registration = registry.find(registrationId);
    const phase = registration ? phaseOf(registration, clock.now()) : "closed";
    if (phase === "closed") return { slots: limits.perEndpoint, untilMs: 0 };
    if (phase === "probing") return { slots: 1, untilMs: 0 };
    return { slots: 0, untilMs: phase === "open" ? (registration?.openUntilMs ?? FOREVER_MS) : FOREVER_MS };
  }

  /** Frees the slot after the attempt, and keeps the row until the outcome is recorded. Never rejects. */
  async #deliver(row: DeliveryRow): Promise<void> {
    this.#running++;
    let hasSlot = true;
    const free = (): void => {
      if (hasSlot) this.#queues.finish(row);
      hasSlot = false;
      this.#lookSoon();
    };
    let dueMs: number | undefined;
    try {
      const { registry } = this.#options;
      const registration = registry.find(row.registrationId) ?? (await registry.surely(row.registrationId));
      if (registration) dueMs = await this.#send(row, registration, free);
      else await this.#giveUp(row);
    } catch (error) {
      const fields = { deliveryId: row.id, registrationId: row.registrationId };
      this.#trouble(`webhook delivery ${row.id} could not be recorded`, error, fields);
      this.#queues.hold(row.registrationId, this.#options.clock.now() + STORE_TROUBLE_MS);
    }
    this.#queues.release(row, dueMs);
    free();
    if (--this.#running === 0) this.#onIdle?.();
  }

  /** @returns time of the retry, if there is one */
  async #send(row: DeliveryRow, registration: RegistrationRow, free: () => void): Promise<number | undefined> {
    if (registration.ordered && (await this.#waitsForEarlier(row))) return undefined;
    const sender = this.#sender ?? (await this.#load());
    if (!this.#isOpen) return undefined;
    const { clock, registry, delaysMs, random, onAttempt } = this.#options;
    const number = row.attempts + 1;
    const { url: rawUrl, headers } = registration;
    const traceparent = this.#options.traceparent?.(row, number);
    const result = await sender.send(row, { rawUrl, headers, secrets: registry.secretsOf(registration), traceparent });
    // Aborted by the shutdown: says nothing about the receiver, so it does not count.
    if (this.#aborted.signal.aborted && result.statusCode === undefined) return undefined;
    const outcome = outcomeOf({ result, number, delaysMs, nowMs: clock.now(), random: random() });
    onAttempt?.(reportOf(row, number, result, outcome.delivery.status));
    await this.#record(row, number, result, outcome, free);
    if (registration.ordered && outcome.delivery.status !== "pending") await this.#releaseLater(row);
    return outcome.delivery.dueMs;
  }

  /** A failure keeps its slot until the breaker knows of it, so that no more attempts start than it allows. */
  async #record(
    row: DeliveryRow,
    number: number,
    result: AttemptResult,
    outcome: Outcome,
    free: () => void,
  ): Promise<void> {
    const attempt = attemptRow(row.id, number, result);
    const noted = this.#options.registry.noteHealth(row.registrationId, outcome.health);
    if (outcome.delivery.status === "delivered") free();
    const recorded = this.#recorder.record({ attempt, change: outcome.delivery });
    await (noted ? Promise.all([recorded, noted]) : recorded);
    this.#options.onRecorded();
  }

  /** Postpones a delivery of an ordered registration until the earlier ones of its run have ended. */
  async #waitsForEarlier(row: DeliveryRow): Promise<boolean> {
    const { store, clock } = this.#options;
    const earlierMs = await store.earlierDueMs(row);
    if (earlierMs === undefined) return false;
    this.#queues.putOff(row);
    await store.requeue(row.id, Math.max(earlierMs, clock.now()) + ORDER_WAIT_MS);
    // The earlier one may have ended meanwhile, without a notification.
    if ((await store.earlierDueMs(row)) === undefined) await this.#releaseLater(row);
    return true;
  }

  async #releaseLater({ registrationId, graphId }: DeliveryRow): Promise<void> {
    await this.#options.store.release(registrationId, graphId, this.#options.clock.now());
  }

  async #giveUp(row: DeliveryRow): Promise<void> {
    const result: AttemptResult = {
      startedMs: this.#options.clock.now(),
      durationMs: 0,
      statusCode: undefined,
      response: undefined,
      responseHeaders: undefined,
      error: "the webhook was deleted",
      retryAfterMs: undefined,
      timings: undefined,
    };
    const attempt = attemptRow(row.id, row.attempts + 1, result);
    await this.#recorder.record({ attempt, change: { status: "failed" } });
    this.#options.onRecorded();
  }

  #trouble(what: string, error: unknown, fields: LogFields = {}): void {
    this.#options.log.error({ ...fields, err: error }, what);
  }
}

function attemptRow(deliveryId: string, number: number, result: AttemptResult): AttemptRow {
  const { startedMs, durationMs, statusCode, response, responseHeaders, error, timings } = result;
  return { deliveryId, number, startedMs, durationMs, statusCode, response, responseHeaders, error, timings };
}

function reportOf(row: DeliveryRow, attempt: number, result: AttemptResult, status: DeliveryStatus): DeliveryReport {
  const { id: deliveryId, graphId, registrationId, event, epoch, createdMs } = row;
  const { startedMs, durationMs, statusCode, error } = result;
  const endedMs = startedMs + durationMs;
  // One literal: an object with so many fields takes 3 KB if it is spread from parts.
  return {
    deliveryId,
    graphId,
    registrationId,
    event,
    epoch,
    attempt,
    createdMs,
    startedMs,
    endedMs,
    statusCode,
    error,
    status,
  };
}
