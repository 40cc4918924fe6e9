/**
 * Replays on an operator's command: one delivery under its id, or all failed ones of a webhook, with previews. Only ids and events of
 * failed deliveries are in memory, because there may be any number; bodies are read when they are sent.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { isEqualSecret } from "../../platform/security/secrets.ts";
import type { DeliveryRow, FailedRow, RegistrationRow, WebhookStore } from "../../storage/contract/webhook-rows.ts";
import { readRecover } from "../registration/input.ts";
import {
  digestOf,
  MAX_LISTED,
  recoverPreview,
  replayPreview,
  type RecoverPreview,
  type ReplayPreview,
} from "./preview.ts";
import type { Registry } from "../registration/registry.ts";
import type { RegistrationView } from "../views.ts";

/** Rows to read at a time: SQLite takes about a millisecond, which blocks other work. */
const FAILED_PAGE = 1000;
/** Rows to make pending in one commit. */
const REQUEUED_AT_ONCE = 500;

export interface ResendOptions {
  store: WebhookStore;
  clock: Clock;
  registry: Registry;
  view: (row: RegistrationRow) => RegistrationView;
  /** The `traceparent` header of an attempt. */
  traceparent: ((delivery: DeliveryRow, attempt: number) => string) | undefined;
  /** Called after deliveries have become pending. */
  onChange: () => void;
}

export class Resend {
  readonly #options: ResendOptions;

  constructor(options: ResendOptions) {
    this.#options = options;
  }

  /** @throws SvcError `SVC_NOT_FOUND`, `SVC_TRANSITION` if its registration is disabled */
  async replay(id: string): Promise<{ delivery_id: string }> {
    const { store, clock, registry, onChange } = this.#options;
    requireEnabled(await registry.get((await this.known(id)).registrationId));
    await store.requeue(id, clock.now());
    onChange();
    return { delivery_id: id };
  }

  /** @throws SvcError `SVC_NOT_FOUND`, also for its registration */
  async previewReplay(id: string): Promise<ReplayPreview> {
    const { clock, registry, view } = this.#options;
    const delivery = await this.known(id);
    const row = await registry.get(delivery.registrationId);
    const { url: rawUrl, headers } = row;
    const traceparent = this.#options.traceparent?.(delivery, delivery.attempts + 1);
    const target = { rawUrl, headers, secrets: registry.secretsOf(row), traceparent };
    return replayPreview(delivery, row, view(row), target, clock.now());
  }

  /**
   * @param body `{ since_ms, digest? }`
   * @throws SvcError `SVC_NOT_FOUND`, `SVC_TRANSITION` if it is disabled, or `digest` belongs to other deliveries than those that have
   * failed
   */
  async recover(id: string, body: Json): Promise<{ count: number }> {
    const { store, clock, registry, onChange } = this.#options;
    requireEnabled(await registry.get(id));
    const { sinceMs, digest } = readRecover(body);
    const failed = await this.#failed(id, sinceMs);
    if (digest !== undefined && !isEqualSecret(digest, digestOf(failed))) throw changedMeanwhile(failed.length);
    const ids = failed.map((row) => row.id);
    for (let at = 0; at < ids.length; at += REQUEUED_AT_ONCE)
      await store.requeueFailed(id, ids.slice(at, at + REQUEUED_AT_ONCE), clock.now());
    onChange();
    return { count: ids.length };
  }

  /** @param body `{ since_ms }` @throws SvcError `SVC_NOT_FOUND` */
  async previewRecover(id: string, body: Json): Promise<RecoverPreview> {
    const { store, clock, registry, view } = this.#options;
    const row = await registry.get(id);
    const { sinceMs } = readRecover(body);
    const failed = await this.#failed(id, sinceMs);
    const newest = { registrationId: id, status: "failed" as const, sinceMs, limit: MAX_LISTED };
    const { items } = await store.listDeliveries(newest);
    const known = new Set(failed.slice(0, MAX_LISTED).map((each) => each.id));
    const shown = items.filter((item) => known.has(item.id));
    return recoverPreview({ failed, newest: shown, row, webhook: view(row), sinceMs, nowMs: clock.now() });
  }

  /** @throws SvcError `SVC_NOT_FOUND` */
  async known(id: string): Promise<DeliveryRow> {
    const row = await this.#options.store.delivery(id);
    if (row) return row;
    throw new SvcError(
      "SVC_NOT_FOUND",
      `The delivery "${id.slice(0, 80)}" does not exist; list deliveries to see their ids`,
    );
  }

  /** All that failed since then, newest first. */
  async #failed(registrationId: string, sinceMs: number): Promise<FailedRow[]> {
    const found: FailedRow[] = [];
    for (;;) {
      const before = found.at(-1);
      const page = await this.#options.store.failedOf({ registrationId, sinceMs, before, limit: FAILED_PAGE });
      found.push(...page);
      if (page.length < FAILED_PAGE) return found;
    }
  }
}

/** @throws SvcError `SVC_TRANSITION` */
export function requireEnabled(row: RegistrationRow): void {
  if (row.enabled) return;
  throw new SvcError("SVC_TRANSITION", `The webhook ${row.id} is disabled; enable it first`);
}

function changedMeanwhile(count: number): SvcError {
  return new SvcError(
    "SVC_TRANSITION",
    `Nothing was sent: the failed deliveries have changed since the preview (${count} by now); request a new preview`,
  );
}
