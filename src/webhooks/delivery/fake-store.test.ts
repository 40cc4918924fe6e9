/** The webhook part of a store, in memory with SQLite. Counts writes, and fails on command. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { Store } from "../../storage/contract/contract.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import type {
  AttemptRecord,
  AttemptRow,
  ChangedRegistration,
  DeliveryRow,
  RegistrationRow,
} from "../../storage/contract/webhook-rows.ts";
import type { SessionRows } from "../../storage/contract/session-store.ts";
import { SqliteAdmission } from "../../storage/sqlite/admission.ts";
import { SqliteActivity } from "../../storage/sqlite/activity.ts";
import { SqliteAnswers } from "../../storage/sqlite/answers.ts";
import { SqliteAudit, SqliteQueues, SqliteSchedules } from "../../storage/sqlite/control.ts";
import { Database } from "../../storage/sqlite/database.ts";
import { SqliteStartGroups } from "../../storage/sqlite/start-groups.ts";
import { SqliteSentEvents } from "../../storage/sqlite/sent-events.ts";
import { Outbox } from "../../storage/sqlite/webhooks/outbox.ts";
import { SqliteWebhooks } from "../../storage/sqlite/webhooks/webhooks.ts";

export class FakeWebhookStore extends SqliteWebhooks {
  readonly database: Database;
  readonly attemptRows: AttemptRow[] = [];
  saves = 0;
  /** Number of records that fail from now on, as on a full disk. */
  failRecords = 0;
  /** Whether another process created the registrations and this process has not read them yet. */
  isUnread = false;

  constructor(database: Database) {
    super(database, new Outbox(database));
    this.database = database;
  }

  /** Opens an empty store. */
  static async open<Fake extends FakeWebhookStore>(this: new (database: Database) => Fake): Promise<Fake> {
    return new this(await Database.open(":memory:"));
  }

  override known(): ReadonlyMap<string, RegistrationRow> {
    return this.isUnread ? new Map() : super.known();
  }

  override async registrations(): Promise<RegistrationRow[]> {
    this.isUnread = false;
    return super.registrations();
  }

  override async saveRegistration(row: RegistrationRow): Promise<void> {
    await super.saveRegistration(row);
    this.saves++;
  }

  override async changeRegistration(
    id: string,
    change: (row: RegistrationRow) => RegistrationRow,
  ): Promise<ChangedRegistration | undefined> {
    const changed = await super.changeRegistration(id, change);
    if (changed && changed.after !== changed.before) this.saves++;
    return changed;
  }

  override async recordAttempts(records: readonly AttemptRecord[]): Promise<void> {
    if (this.failRecords-- > 0) throw new Error("disk full");
    await super.recordAttempts(records);
    this.attemptRows.push(...records.map(({ attempt }) => attempt));
  }

  /** All deliveries. */
  async all(): Promise<DeliveryRow[]> {
    const found: DeliveryRow[] = [];
    for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
      const page = await this.listDeliveries(cursor === undefined ? { limit: 200 } : { limit: 200, cursor });
      found.push(...page.items);
      cursor = page.nextCursor;
    }
    return found;
  }
}

/** A store of webhooks only. */
export function fakeStore(webhooks: FakeWebhookStore): Store {
  const { database } = webhooks;
  return {
    webhooks,
    graphs: {} as GraphStore,
    sessions: {} as SessionRows,
    answers: new SqliteAnswers(database),
    schedules: new SqliteSchedules(database),
    queues: new SqliteQueues(database),
    audit: new SqliteAudit(database),
    activity: new SqliteActivity(database),
    sentEvents: new SqliteSentEvents(database),
    startGroups: new SqliteStartGroups(database),
    admission: new SqliteAdmission(database),
    close: () => database.close(),
  };
}

it("the fake store fails as often as requested, and then keeps records", async () => {
  const store = await FakeWebhookStore.open();
  store.failRecords = 1;
  await assert.rejects(store.recordAttempts([]), /disk full/);
  await store.recordAttempts([]);
  assert.deepEqual([store.attemptRows, await store.all()], [[], []]);
});
