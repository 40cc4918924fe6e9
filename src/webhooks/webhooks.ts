/**
 * Webhooks as the rest of the server sees them: one object with a method per endpoint of contract section 3, the rows
 * for the engine's transactions, and start and close of the delivery loop.
 */
import type { OutboxRows } from "../graphs/machine/report-types.ts";
import type { Resolve } from "../platform/security/resolve.ts";
import { SsrfPolicy } from "../platform/security/ssrf.ts";
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
  /** SVC_WEBHOOK_SECRET. Without it only registrations with a secret of their own are signed. */
  secret?: string | undefined;
  /** SVC_WEBHOOK_ALLOW_CIDRS. Default none. */
  allowCidrs?: readonly string[];
  /** The demo inbox on our own origin, once its address is known. */
  exemptUrl?: () => string | undefined;
  /** Delays before each attempt, the first one's included. Default: contract section 3. */
  schedule?: readonly Duration[];
  /** Told of trouble that no caller sees. Default: nothing. */
  log?: Log;
  /** Attempts under way at once, in all and to one registration. Default 64 and 8. */
  connections?: Partial<DeliveryLimits>;
  /** Largest body that carries its result. Default 256 KiB. */
  payloadBytes?: number;
  /** Told when deliveries have disabled a registration. Must not throw. Default: nothing. */
  onDisabled?: (webhook: RegistrationView) => void;
  /** Told of each attempt that has ended. Must not throw. Default: nothing. */
  onAttempt?: (attempt: DeliveryReport) => void;
  /** Told after registrations or deliveries have changed, but for deliveries that graphs have made. Must not throw. Default: nothing. */
  onChange?: () => void;
  /** The `traceparent` that an attempt sends along. Default: none. */
  traceparent?: (delivery: DeliveryRow, attempt: number) => string;
  /** Makes attempts. Default: requests, signed. */
  sending?: Sending;
  /** From 0 to below 1, for jitter. Default Math.random. */
  random?: () => number;
  /** Where a result too large to send can be fetched. Default: the path of the graph. */
  resultUrl?: ResultUrl;
  /** All addresses of a name. Default: DNS, then the hosts file. */
  resolve?: Resolve;
}

export interface Webhooks {
  /** POST webhooks. `created` tells 201 from 200. @throws SvcError `SVC_WEBHOOK_URL`, `SVC_WEBHOOK_EVENT`, `SVC_SSRF`, `SVC_INVALID` */
  create(body: Json): Promise<{ registration: RegistrationView; created: boolean }>;
  /** What would be said to a URL if it were registered, and what kind of address it leads to. It keeps nothing. */
  judge(rawUrl: string): Promise<UrlCheck>;
  /** SVC_WEBHOOK_URLS at boot, for all events; known ones stay as they are. @throws SvcError `SVC_CONFIG` naming each bad URL */
  registerAtBoot(rawUrls: readonly string[]): Promise<void>;
  /** GET webhooks, oldest first, with `limit` and `cursor`. */
  list(query: URLSearchParams): Promise<{ webhooks: RegistrationView[]; total: number; next_cursor: string | null }>;
  /** @throws SvcError `SVC_NOT_FOUND` */
  get(id: string): Promise<RegistrationView>;
  /** PATCH webhooks/:id. */
  update(id: string, body: Json): Promise<RegistrationView>;
  remove(id: string): Promise<void>;
  /** How it has answered lately: times and the last answer, of its newest hundred deliveries. @throws SvcError `SVC_NOT_FOUND` */
  figures(id: string): Promise<ReceiverStats>;
  /** The same of each, in this order; of one that is gone, those of a receiver that was never called. One look for all of them. */
  allFigures(ids: readonly string[]): Promise<ReceiverStats[]>;
  /** How each of these deliveries was answered last, by its id; none of such as were never tried. */
  lastAnswers(ids: readonly string[]): Promise<ReadonlyMap<string, LastResponse>>;
  /**
   * What became of the deliveries of each, in this order, counted to 10,000: of those made since a time how many arrived and failed, and how
   * many wait, however long. One look for all of them.
   */
  tallies(ids: readonly string[], sinceMs: number): Promise<WebhookTally[]>;
  /** A signed `ping` through the real path. @throws SvcError `SVC_NOT_FOUND`, `SVC_TRANSITION` when disabled */
  ping(id: string): Promise<{ delivery_id: string }>;
  /** A sample `graph.done` through the real path: for the demo page. @throws as ping */
  sendSample(id: string): Promise<{ delivery_id: string }>;
  /** @param body `{ secret? }`. The answer is the only time a secret is shown; the old one signs for 24 h more. */
  rotateSecret(id: string, body: Json): Promise<{ secret: string }>;
  /** Newest first; of one registration when `id` is given. */
  deliveries(
    query: URLSearchParams,
    id?: string,
  ): Promise<{ deliveries: DeliveryView[]; total: number; next_cursor: string | null }>;
  /** @throws SvcError `SVC_NOT_FOUND` */
  delivery(id: string): Promise<DeliveryDetail>;
  /** Sends a delivery again under its id. @throws SvcError `SVC_NOT_FOUND`, `SVC_TRANSITION` when its registration is disabled */
  replay(id: string): Promise<{ delivery_id: string }>;
  /**
   * Gives a pending delivery up: it has failed, and is not tried again by itself. An attempt that is under way, or next in another process, may
   * still arrive; then it is delivered. @throws SvcError `SVC_NOT_FOUND`, `SVC_TRANSITION` naming its state when it is not pending
   */
  giveUp(id: string): Promise<DeliveryView>;
  /** What `replay` would send if it were called now; it sends nothing. @throws SvcError `SVC_NOT_FOUND`, of its registration too */
  previewReplay(id: string): Promise<ReplayPreview>;
  /**
   * @param body `{ since_ms, digest? }`. Sends again what failed since, counted by when it was made; with the `digest` of a preview
   * exactly what that told. @throws SvcError `SVC_NOT_FOUND`, `SVC_TRANSITION` when it is disabled, or other deliveries have failed by now
   */
  recover(id: string, body: Json): Promise<{ count: number }>;
  /** What `recover` would send again; it sends nothing. @param body `{ since_ms }` @throws SvcError `SVC_NOT_FOUND` */
  previewRecover(id: string, body: Json): Promise<RecoverPreview>;
  /** Rows to write in the transaction of a graph's transition: one for each enabled registration that listens. */
  outboxRows: OutboxRows;
  /** Attempts under way. */
  underWay(): number;
  /** How far past its time the delivery is that waits longest for an enabled webhook; 0 when none is late. */
  oldestWaitingMs(): Promise<number>;
  /** Begins to deliver. */
  start(): void;
  /** Stops: waits up to `drainMs` (default 15,000) for attempts under way; what is cut off stays pending. */
  close(drainMs?: number): Promise<void>;
}

/** How long a ping can be looked at: 30 days. */
const PINGS_KEPT_MS = 30 * 86_400_000;
/** How often it is looked for those that are older. */
const FORGET_PINGS_MS = 3_600_000;
const REGISTRATION_KEYS = ["url", "events", "workers", "headers", "ordered", "enabled", "description", "secret"];
const UPDATE_KEYS = REGISTRATION_KEYS.filter((key) => key !== "secret");

/** Wires registry, delivery loop and store. @throws SvcError `SVC_CONFIG` for a bad secret, range or schedule. */
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
    const why = row.disabledReason === "gone" ? "its receiver answered 410" : "nothing but failures for 120 h";
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

  /** A delivery outside any graph's transition. */
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
    loop.letGo(registrationId);
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
    underWay: () => loop.active,
    oldestWaitingMs: async () => {
      const pending = await store.pendingRegistrations();
      const lanes = pending
        .filter((id) => registry.find(id)?.enabled)
        .flatMap((registrationId) => [false, true].map((isRetry) => ({ registrationId, isRetry })));
      const dueMs = await Promise.all(lanes.map((lane) => store.nextDueMs(lane, 0)));
      return Math.max(0, clock.now() - Math.min(...dueMs.map((ms) => ms ?? FOREVER_MS)));
    },
    start: () => loop.start(),
    close: (drainMs) => loop.close(drainMs),
  };
}
