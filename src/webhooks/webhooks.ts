/**
 * The webhooks of an app: one object with a method for each endpoint (docs/reference/http.md), the outbox rows for the engine's
 * transactions, and the delivery loop.
 */
import type { OutboxRows } from "../graphs/machine/report-types.ts";
import type { Resolve } from "../platform/security/ssrf/resolve.ts";
import { SsrfPolicy } from "../platform/security/ssrf/ssrf.ts";
import type { Clock, Duration } from "../platform/shared/clock.ts";
import type { Json } from "../platform/shared/json.ts";
import { silentLog, type Log } from "../platform/shared/log.ts";
import { VARIABLES } from "../platform/shared/wire.ts";
import type { Store } from "../storage/contract/contract.ts";
import type { DeliveryRow, RegistrationRow } from "../storage/contract/webhook-rows.ts";
import { DeliveryLoop, type DeliveryReport, type Sending } from "./delivery/delivery-loop.ts";
import {
  FIGURES_OF,
  receiverStatsOf,
  receiverStatsOfEach,
  lastResponsesOf,
  type LastResponse,
  type ReceiverStats,
} from "./receiver-stats.ts";
import { readDeliveryQuery, readPage, readRegistration, readSecretOnly } from "./registration/input.ts";
import { giveUp } from "./delivery/give-up.ts";
import { checkUrl, type UrlCheck } from "./registration/check-url.ts";
import { FOREVER_MS } from "./delivery/delivery-queue.ts";
import type { DeliveryLimits } from "./delivery/delivery-queues.ts";
import { checkCommonSecret, readLimits, readPayloadBytes } from "./limits.ts";
import { outboxRow, sample } from "./outbox/outbox-row.ts";
import { pageOf } from "./list-page.ts";
import { defaultResultUrl, payloadText, type PayloadSource, type ResultUrl } from "./outbox/payload.ts";
import type { RecoverPreview, ReplayPreview } from "./delivery/preview.ts";
import { Registry } from "./registration/registry.ts";
import { requireEnabled, Resend } from "./delivery/resend.ts";
import { DEFAULT_SCHEDULE, readSchedule } from "./delivery/retry-schedule.ts";
import { deliveryDetail, deliveryView, registrationView, tallyView } from "./views.ts";
import type { DeliveryDetail, DeliveryView, RegistrationView, WebhookTally } from "./views.ts";

export interface WebhooksOptions {
  store: Store;
  clock: Clock;
  /** SVC_WEBHOOK_SECRET. Without it, only registrations with their own secret are signed. */
  secret?: string | undefined;
  /** SVC_WEBHOOK_ALLOW_CIDRS. Default: none. */
  allowCidrs?: readonly string[];
  /** The demo inbox on the app's own origin, once its address is known. */
  exemptUrl?: () => string | undefined;
  /** Delays before each attempt, including the first one. Default: see docs/reference/http.md. */
  schedule?: readonly Duration[];
  /** Log for errors that no caller receives. Default: none. */
  log?: Log;
  /** Limits of concurrent attempts, in total and for each registration. Default 64 and 8. */
  connections?: Partial<DeliveryLimits>;
  /** Largest body with its result. Default 256 KiB. */
  payloadBytes?: number;
  /** Called when deliveries have disabled a registration. Must not throw. Default: nothing. */
  onDisabled?: (webhook: RegistrationView) => void;
  /** Called with each attempt that has ended. Must not throw. Default: nothing. */
  onAttempt?: (attempt: DeliveryReport) => void;
  /** Called after registrations or deliveries have changed, except for new deliveries of runs. Must not throw. Default: nothing. */
  onChange?: () => void;
  /** The `traceparent` header of an attempt. Default: none. */
  traceparent?: (delivery: DeliveryRow, attempt: number) => string;
  /** Makes attempts. Default: signed HTTP requests. */
  sending?: Sending;
  /** From 0 to below 1, for jitter. Default Math.random. */
  random?: () => number;
  /** Where to fetch a result that is too large to send. Default: the path of the run. */
  resultUrl?: ResultUrl;
  /** All addresses of a name. Default: DNS, then the hosts file. */
  resolve?: Resolve;
}

export interface Webhooks {
  /** POST webhooks. `created`: 201, else 200. @throws SvcError `SVC_WEBHOOK_URL`, `SVC_WEBHOOK_EVENT`, `SVC_SSRF`, `SVC_INVALID` */
  create(body: Json): Promise<{ registration: RegistrationView; created: boolean }>;
  /** Checks a URL without storing anything: the answer to a registration, and the kind of its addresses. */
  judge(rawUrl: string): Promise<UrlCheck>;
  /** SVC_WEBHOOK_URLS at boot, for all events; known ones stay unchanged. @throws SvcError `SVC_CONFIG` naming each invalid URL */
  registerAtBoot(rawUrls: readonly string[]): Promise<void>;
  /** GET webhooks, oldest first, with `limit` and `cursor`. */
  list(query: URLSearchParams): Promise<{ webhooks: RegistrationView[]; total: number; next_cursor: string | null }>;
  /** @throws SvcError `SVC_NOT_FOUND` */
  get(id: string): Promise<RegistrationView>;
  /** PATCH webhooks/:id. */
  update(id: string, body: Json): Promise<RegistrationView>;
  remove(id: string): Promise<void>;
  /** Recent responses: times and the last response, of its newest hundred deliveries. @throws SvcError `SVC_NOT_FOUND` */
  figures(id: string): Promise<ReceiverStats>;
  /** The same for several, in this order, with one query. A deleted one has the statistics of a receiver that was never called. */
  allFigures(ids: readonly string[]): Promise<ReceiverStats[]>;
  /** The last response to each delivery by id; none for those without an attempt. */
  lastAnswers(ids: readonly string[]): Promise<ReadonlyMap<string, LastResponse>>;
  /**
   * Outcomes of deliveries, in this order, counted up to 10,000: arrived and failed ones since a time, and all waiting ones. One query
   * for all.
   */
  tallies(ids: readonly string[], sinceMs: number): Promise<WebhookTally[]>;
  /** Sends a signed `ping` on the regular path. @throws SvcError `SVC_NOT_FOUND`, `SVC_TRANSITION` if disabled */
  ping(id: string): Promise<{ delivery_id: string }>;
  /** Sends a sample `graph.done` on the regular path, for the demo page. @throws as ping */
  sendSample(id: string): Promise<{ delivery_id: string }>;
  /** @param body `{ secret? }`. The response is the only place that shows a secret; the old one signs for 24 h more. */
  rotateSecret(id: string, body: Json): Promise<{ secret: string }>;
  /** Newest first; of one registration if `id` is given. */
  deliveries(
    query: URLSearchParams,
    id?: string,
  ): Promise<{ deliveries: DeliveryView[]; total: number; next_cursor: string | null }>;
  /** @throws SvcError `SVC_NOT_FOUND` */
  delivery(id: string): Promise<DeliveryDetail>;
  /** Sends a delivery again under its id. @throws SvcError `SVC_NOT_FOUND`, `SVC_TRANSITION` if its registration is disabled */
  replay(id: string): Promise<{ delivery_id: string }>;
  /**
   * Gives up a pending delivery: it has failed, and is not retried. A running attempt, or the next one of another process, may still
   * succeed; then it is delivered. @throws SvcError `SVC_NOT_FOUND`, `SVC_TRANSITION` with its state if it is not pending
   */
  giveUp(id: string): Promise<DeliveryView>;
  /** The request that `replay` would send now; sends nothing. @throws SvcError `SVC_NOT_FOUND`, also for its registration */
  previewReplay(id: string): Promise<ReplayPreview>;
  /**
   * @param body `{ since_ms, digest? }`. Sends failed deliveries again, by creation time; with the `digest` of a preview, exactly those.
   * @throws SvcError `SVC_NOT_FOUND`, `SVC_TRANSITION` if it is disabled, or other deliveries have failed by now
   */
  recover(id: string, body: Json): Promise<{ count: number }>;
  /** The deliveries that `recover` would send again; sends nothing. @param body `{ since_ms }` @throws SvcError `SVC_NOT_FOUND` */
  previewRecover(id: string, body: Json): Promise<RecoverPreview>;
  /** Outbox rows for the transaction of a run's transition: one for each enabled registration that listens. */
  outboxRows: OutboxRows;
  /** Number of running attempts. */
  activeCount(): number;
  /** How late the oldest due delivery of an enabled webhook is; 0 if none is late. */
  oldestWaitingMs(): Promise<number>;
  /** Starts to deliver. */
  start(): void;
  /** Stops: waits up to `drainMs` (default 15,000) for running attempts; aborted ones stay pending. */
  close(drainMs?: number): Promise<void>;
}

/** How long pings are kept: 30 days. */
const PINGS_KEPT_MS = 30 * 86_400_000;
/** Interval for deleting old pings. */
const FORGET_PINGS_MS = 3_600_000;
const REGISTRATION_KEYS = ["url", "events", "workers", "headers", "ordered", "enabled", "description", "secret"];
const UPDATE_KEYS = REGISTRATION_KEYS.filter((key) => key !== "secret");

/** Composes registry, delivery loop and store. @throws SvcError `SVC_CONFIG` for an invalid secret, range or schedule. */
export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { clock, secret, resolve } = options;
  const store = options.store.webhooks;
  checkCommonSecret(secret);
  const policy = new SsrfPolicy({
    allowedBy: VARIABLES.webhookAllowCidrs,
    allowCidrs: options.allowCidrs ?? [],
    exemptUrl: options.exemptUrl ?? (() => undefined),
  });
  const log = options.log ?? silentLog;
  const onDisabled = (row: RegistrationRow): void => {
    const why = row.disabledReason === "gone" ? "its receiver answered 410" : "only failures for 120 h";
    log.warn({ registrationId: row.id, reason: row.disabledReason }, `webhook ${row.id} is disabled: ${why}`);
    options.onDisabled?.(view(row));
  };
  const changed = (): void => options.onChange?.();
  const registry = new Registry({
    store,
    clock,
    policy,
    secret,
    resolve,
    onDisabled,
    onChange: (id) => {
      loop.wake(id);
      changed();
    },
  });
  const loop = new DeliveryLoop({
    store,
    clock,
    policy,
    registry,
    resolve,
    delaysMs: readSchedule(options.schedule ?? DEFAULT_SCHEDULE),
    random: options.random ?? Math.random,
    limits: readLimits(options.connections),
    log,
    onAttempt: options.onAttempt,
    onRecorded: changed,
    traceparent: options.traceparent,
    sending: options.sending,
  });
  const resultUrl = options.resultUrl ?? defaultResultUrl;
  let forgetPingsMs = 0;
  const payloadBytes = readPayloadBytes(options.payloadBytes);
  const view = (row: RegistrationRow): RegistrationView => registrationView(row, secret !== undefined);

  /** A delivery without a run's transition. */
  const send = async (id: string, source: PayloadSource): Promise<{ delivery_id: string }> => {
    requireEnabled(await registry.get(id));
    const row = outboxRow(id, source, payloadText(source, resultUrl, payloadBytes));
    await store.addDelivery(row);
    changed();
    return { delivery_id: row.id };
  };
  const traceparent = options.traceparent;
  const resend = new Resend({ store, clock, registry, view, traceparent, onChange: changed });
  const onGivenUp = (registrationId: string): void => {
    loop.releaseAll(registrationId);
    changed();
  };
  const givingUp = { store, clock, registry, known: (id: string) => resend.known(id), onGivenUp };

  return {
    create: async (body) => {
      const { row, created } = await registry.create(readRegistration(body, REGISTRATION_KEYS));
      changed();
      return { registration: view(row), created };
    },
    judge: (rawUrl) => checkUrl(policy, rawUrl, resolve),
    registerAtBoot: (rawUrls) => registry.registerAtBoot(rawUrls),
    list: async (query) => {
      const { limit, cursor } = readPage(query);
      const { items, total, nextCursor } = pageOf(await registry.all(), limit, cursor);
      return { webhooks: items.map(view), total, next_cursor: nextCursor ?? null };
    },
    get: async (id) => view(await registry.get(id)),
    update: async (id, body) => view(await registry.update(id, readRegistration(body, UPDATE_KEYS))),
    remove: (id) => registry.remove(id),
    figures: async (id) => receiverStatsOf(await store.latestOutcomes([(await registry.get(id)).id], FIGURES_OF)),
    allFigures: async (ids) => receiverStatsOfEach(ids, await store.latestOutcomes(ids, FIGURES_OF)),
    lastAnswers: async (ids) => lastResponsesOf(await store.lastOutcomes(ids)),
    tallies: async (ids, sinceMs) => (await store.tallies(ids, sinceMs)).map(tallyView),
    ping: async (id) => {
      const nowMs = clock.now();
      if (nowMs >= forgetPingsMs) {
        forgetPingsMs = nowMs + FORGET_PINGS_MS;
        await store.forgetPings(nowMs - PINGS_KEPT_MS);
      }
      return send(id, sample("ping", nowMs));
    },
    sendSample: (id) => send(id, sample("graph.done", clock.now())),
    rotateSecret: async (id, body) => ({ secret: await registry.rotate(id, readSecretOnly(body)) }),
    deliveries: async (query, id) => {
      const filter = readDeliveryQuery(query);
      if (id !== undefined) filter.registrationId = (await registry.get(id)).id;
      const { items, total, nextCursor } = await store.listDeliveries(filter);
      return { deliveries: items.map(deliveryView), total, next_cursor: nextCursor ?? null };
    },
    delivery: async (id) => deliveryDetail(await resend.known(id), await store.attempts(id)),
    replay: (id) => resend.replay(id),
    giveUp: async (id) => deliveryView(await giveUp(id, givingUp)),
    previewReplay: (id) => resend.previewReplay(id),
    recover: (id, body) => resend.recover(id, body),
    previewRecover: (id, body) => resend.previewRecover(id, body),
    outboxRows: (event) => {
      const listening = registry.listening(event.event, event.worker);
      if (listening.length === 0) return [];
      const body = payloadText(event, resultUrl, payloadBytes);
      return listening.map((row) => outboxRow(row.id, event, body));
    },
    activeCount: () => loop.active,
    oldestWaitingMs: async () => {
      const pending = await store.pendingRegistrations();
      const queues = pending
        .filter((id) => registry.find(id)?.enabled)
        .flatMap((registrationId) => [false, true].map((isRetry) => ({ registrationId, isRetry })));
      const dueMs = await Promise.all(queues.map((deliveryQueue) => store.nextDueMs(deliveryQueue, 0)));
      return Math.max(0, clock.now() - Math.min(...dueMs.map((ms) => ms ?? FOREVER_MS)));
    },
    start: () => loop.start(),
    close: (drainMs) => loop.close(drainMs),
  };
}
