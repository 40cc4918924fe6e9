/**
 * Registrations: create, read, change, delete, rotate. Owns their rules: one for each URL, serialized edits, secrets and their overlap.
 * delivery-loop.ts sends; input.ts validates requests.
 */
import { randomUUID } from "node:crypto";
import { checkHost } from "../../platform/security/ssrf/check-host.ts";
import type { Resolve } from "../../platform/security/ssrf/resolve.ts";
import { refusalError, type SsrfPolicy } from "../../platform/security/ssrf/ssrf.ts";
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { VARIABLES, WEBHOOK_EVENTS, type WebhookEvent } from "../../platform/shared/wire.ts";
import type { RegistrationRow, WebhookStore } from "../../storage/contract/webhook-rows.ts";
import { DISABLED, HEALTHY, type Health } from "./breaker.ts";
import type { RegistrationInput } from "./input.ts";
import { KeyedLock } from "../keyed-lock.ts";
import { newSecret, type SigningSecrets } from "../signing/sign.ts";

/** How long the previous secret still signs after a rotation. */
const OVERLAP_MS = 24 * 3_600_000;
/** Key of the lock that every change of the set of URLs takes. */
const URLS = "urls";

export interface RegistryOptions {
  store: WebhookStore;
  clock: Clock;
  policy: SsrfPolicy;
  /** SVC_WEBHOOK_SECRET: signs for all registrations without their own secret. */
  secret: string | undefined;
  resolve: Resolve | undefined;
  /** Called after each change that may let deliveries start. */
  onChange: (id: string) => void;
  /** Called when deliveries have disabled a registration. */
  onDisabled: (row: RegistrationRow) => void;
}

export class Registry {
  readonly #options: RegistryOptions;
  readonly #lock = new KeyedLock();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** @throws SvcError `SVC_NOT_FOUND` */
  async get(id: string): Promise<RegistrationRow> {
    const row = await this.#options.store.registration(id);
    if (!row)
      throw new SvcError(
        "SVC_NOT_FOUND",
        `The webhook "${id.slice(0, 80)}" does not exist; list webhooks to see their ids`,
      );
    return row;
  }

  /** As this process knows it. */
  find(id: string): RegistrationRow | undefined {
    return this.#options.store.known().get(id);
  }

  /** As stored, if this process does not know it: another one may have created it just now. */
  async surely(id: string): Promise<RegistrationRow | undefined> {
    if (this.find(id)) return this.find(id);
    await this.all();
    return this.find(id);
  }

  /** Oldest first. */
  all(): Promise<RegistrationRow[]> {
    return this.#options.store.registrations();
  }

  /** Registrations that receive an event of a graph or worker. */
  listening(event: WebhookEvent, worker: string): RegistrationRow[] {
    const found: RegistrationRow[] = [];
    for (const row of this.#options.store.known().values())
      if (row.enabled && row.events.includes(event) && hears(row, worker)) found.push(row);
    return found;
  }

  /**
   * Registers a URL, or updates the registration of that URL: events, workers and enabled as given or by default; description, headers,
   * order and secret only if given.
   * @returns the row, and whether this call created it
   * @throws SvcError `SVC_WEBHOOK_URL`, `SVC_SSRF`
   */
  async create(input: RegistrationInput): Promise<{ row: RegistrationRow; created: boolean }> {
    if (input.rawUrl === undefined)
      throw new SvcError("SVC_WEBHOOK_URL", `"url" is missing; give an absolute http or https URL`);
    const url = await this.#checkedUrl(input.rawUrl);
    const { events = [...WEBHOOK_EVENTS], workers = [], enabled = true } = input;
    const wanted = { ...input, events, workers, enabled };
    return this.#lock.run(URLS, async () => {
      const made = this.#changed(this.#newRow(url), wanted);
      const known = await this.#addIfNew(made);
      if (!known) return { row: made, created: true };
      return { row: await this.#edit(known.id, (row) => this.#changed(row, wanted)), created: false };
    });
  }

  /**
   * Registers the URLs of the configuration for all events. Known ones stay unchanged, so that a restart neither enables a disabled one
   * nor widens its events.
   * @throws SvcError `SVC_CONFIG` naming every refused URL
   */
  async registerAtBoot(rawUrls: readonly string[]): Promise<void> {
    const problems: string[] = [];
    // Concurrently: each may wait for a name server.
    const checked = await Promise.allSettled(rawUrls.map((rawUrl) => this.#checkedUrl(rawUrl)));
    for (const [at, result] of checked.entries()) {
      if (result.status === "fulfilled") await this.#lock.run(URLS, () => this.#addIfNew(this.#newRow(result.value)));
      else if (result.reason instanceof SvcError)
        problems.push(`"${rawUrls[at]?.slice(0, 200)}": ${result.reason.message}`);
      else throw result.reason;
    }
    if (problems.length > 0) throw new SvcError("SVC_CONFIG", `${VARIABLES.webhookUrls} has ${problems.join("; ")}`);
  }

  /** @returns the existing registration of that URL. */
  async #addIfNew(row: RegistrationRow): Promise<RegistrationRow | undefined> {
    const { store } = this.#options;
    const known = await store.registrationByUrl(row.url);
    if (known) return known;
    try {
      await store.saveRegistration(row);
      return undefined;
    } catch (error) {
      // Another process on the same database was faster: all that boot at once register the same URLs.
      const other = await store.registrationByUrl(row.url);
      if (!other) throw error;
      return other;
    }
  }

  /** Changes the given fields. @throws SvcError `SVC_NOT_FOUND`, `SVC_WEBHOOK_URL` also if another registration has the URL */
  async update(id: string, input: RegistrationInput): Promise<RegistrationRow> {
    await this.get(id);
    if (input.rawUrl === undefined) return this.#edit(id, (row) => this.#changed(row, input));
    const url = await this.#checkedUrl(input.rawUrl);
    return this.#lock.run(URLS, async () => {
      const holder = await this.#options.store.registrationByUrl(url);
      if (holder && holder.id !== id)
        throw new SvcError("SVC_WEBHOOK_URL", `"url" is registered as ${holder.id}; change or delete that one`);
      return this.#edit(id, (row) => this.#changed(row, input, url));
    });
  }

  /** @throws SvcError `SVC_NOT_FOUND` */
  async remove(id: string): Promise<void> {
    await this.get(id);
    await this.#lock.run(URLS, () =>
      this.#lock.run(id, () => this.#reporting(id, () => this.#options.store.deleteRegistration(id))),
    );
  }

  /** Gives a registration a new secret; the old one also signs for 24 h. @returns the new secret */
  async rotate(id: string, secret = newSecret()): Promise<string> {
    await this.#edit(id, (row) => ({
      ...row,
      secret,
      previousSecret: row.secret,
      previousUntilMs: this.#options.clock.now() + OVERLAP_MS,
      updatedMs: this.#options.clock.now(),
    }));
    return secret;
  }

  /** Stores the effect of attempts on an endpoint; undefined if there is nothing to write. */
  noteHealth(id: string, change: (health: Health) => Health): Promise<void> | undefined {
    const known = this.find(id);
    if (!known || (change(known) === known && !this.#lock.isTaken(id))) return undefined;
    return this.#lock.run(id, async () => {
      const changed = await this.#options.store.changeRegistration(id, (row) => {
        const health = change(row);
        return health === row ? row : { ...row, ...health };
      });
      if (changed?.before.enabled && !changed.after.enabled) this.#options.onDisabled(changed.after);
    });
  }

  /** The secrets that sign now. A first rotation keeps the common secret as the old one. */
  secretsOf(row: RegistrationRow): SigningSecrets {
    const common = this.#options.secret;
    const isOverlap = row.previousUntilMs !== undefined && row.previousUntilMs > this.#options.clock.now();
    const previous = isOverlap ? (row.previousSecret ?? common) : undefined;
    return { current: row.secret ?? common, previous };
  }

  #edit(id: string, change: (row: RegistrationRow) => RegistrationRow): Promise<RegistrationRow> {
    return this.#lock.run(id, async () => {
      const changed = await this.#reporting(id, () => this.#options.store.changeRegistration(id, change));
      // Throws if it does not exist.
      return changed ? changed.after : this.get(id);
    });
  }

  /** Reports a change also if it failed: it may be written although the store could not say so, and deliveries would wait for it. */
  async #reporting<T>(id: string, change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } finally {
      this.#options.onChange(id);
    }
  }

  #changed(row: RegistrationRow, input: RegistrationInput, url = row.url): RegistrationRow {
    return {
      ...row,
      ...healthFor(row, input.enabled ?? row.enabled, url),
      url,
      events: input.events ?? row.events,
      workers: input.workers ?? row.workers,
      headers: input.headers ?? row.headers,
      ordered: input.ordered ?? row.ordered,
      description: input.description ?? row.description,
      secret: input.secret ?? row.secret,
      updatedMs: this.#options.clock.now(),
    };
  }

  #newRow(url: string): RegistrationRow {
    const nowMs = this.#options.clock.now();
    return {
      ...HEALTHY,
      id: `wh_${randomUUID().replaceAll("-", "")}`,
      url,
      events: [...WEBHOOK_EVENTS],
      workers: [],
      headers: {},
      ordered: false,
      description: "",
      secret: undefined,
      previousSecret: undefined,
      previousUntilMs: undefined,
      createdMs: nowMs,
      updatedMs: nowMs,
    };
  }

  /** The normalised URL, after checks of the policy and, if it resolves, of its addresses. */
  async #checkedUrl(rawUrl: string): Promise<string> {
    const { policy, resolve } = this.#options;
    const verdict = policy.checkUrl(rawUrl);
    if (!verdict.ok) throw refusalError(verdict);
    const refusal = verdict.isExempt ? undefined : await checkHost(policy, verdict.url.hostname, resolve);
    if (refusal) throw refusalError(refusal);
    return verdict.url.href;
  }
}

function hears({ workers }: RegistrationRow, worker: string): boolean {
  return workers.length === 0 || workers.includes(worker);
}

/** Enabling or a new address resets the health; other changes keep it. */
function healthFor(row: RegistrationRow, enabled: boolean, url: string): Partial<Health> {
  if (!enabled) return DISABLED;
  return row.enabled && row.url === url ? {} : HEALTHY;
}
