/** The webhook half of a store, in memory, that counts what is written and fails when told to. */
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
import { MemoryActivity } from "../../storage/memory/activity.ts";
import { MemoryAnswers } from "../../storage/memory/answers.ts";
import { MemoryAudit, MemoryQueues, MemorySchedules } from "../../storage/memory/control.ts";
import { MemoryWebhooks } from "../../storage/memory/webhooks.ts";

export class FakeWebhookStore extends MemoryWebhooks {
  readonly attemptRows: AttemptRow[] = [];
  saves = 0;
  /** Set to make the next recordings fail, as a full disk would. */
  failRecords = 0;
  /** Set where another process has made the registrations, and this one has not read them since. */
  isUnread = false;

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

  /** Every delivery there is. */
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
  const audit = new MemoryAudit();
  return {
    webhooks,
    graphs: {} as GraphStore,
    sessions: {} as SessionRows,
    answers: new MemoryAnswers(),
    schedules: new MemorySchedules(audit),
    queues: new MemoryQueues(audit),
    audit,
    activity: new MemoryActivity(),
    close: async () => undefined,
  };
}

it("the fake store fails as often as told, and then keeps what is recorded", async () => {
  const store = new FakeWebhookStore();
  store.failRecords = 1;
  await assert.rejects(store.recordAttempts([]), /disk full/);
  await store.recordAttempts([]);
  assert.deepEqual([store.attemptRows, await store.all()], [[], []]);
});
