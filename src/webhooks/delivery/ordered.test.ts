/** Deliveries that wait for earlier ones, while other processes release them at any time. Nothing is sent. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import type { DeliveryQueueKey, DeliveryRow, OutboxRow } from "../../storage/contract/webhook-rows.ts";
import type { AttemptResult } from "./attempt.ts";
import { FakeWebhookStore, fakeStore } from "./fake-store.test.ts";
import { createWebhooks } from "../webhooks.ts";

const GONE_WELL: AttemptResult = {
  startedMs: 0,
  durationMs: 0,
  statusCode: 200,
  response: "",
  responseHeaders: undefined,
  error: undefined,
  retryAfterMs: undefined,
  timings: undefined,
};

/** A store in which a callback runs after a delivery is postponed, but before that is reported. */
class ReleasingStore extends FakeWebhookStore {
  readings = 0;
  afterRequeue: (() => Promise<void>) | undefined;

  override async requeue(id: string, dueMs: number): Promise<boolean> {
    const isThere = await super.requeue(id, dueMs);
    const { afterRequeue } = this;
    this.afterRequeue = undefined;
    await afterRequeue?.();
    return isThere;
  }

  override due(deliveryQueue: DeliveryQueueKey, nowMs: number, limit: number): Promise<DeliveryRow[]> {
    this.readings++;
    return super.due(deliveryQueue, nowMs, limit);
  }
}

/** Waits for a condition by yielding to the event loop. */
async function until(isTrue: () => boolean, what: string): Promise<void> {
  for (let turn = 0; !isTrue(); turn++) {
    assert.ok(turn < 1000, `timed out waiting for ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

it("a delivery that was postponed and released during that write is sent, although it was read as due before its slot was freed", async () => {
  const store = await ReleasingStore.open();
  const clock = new SimulatedClock();
  const sent: string[] = [];
  const send = async ({ id }: DeliveryRow): Promise<AttemptResult> => {
    sent.push(id);
    return GONE_WELL;
  };
  const sending = { send, destroy: async () => undefined };
  const resolve = async (): Promise<string[]> => ["93.184.216.34"];
  const webhooks = createWebhooks({ store: fakeStore(store), clock, resolve, sending });
  webhooks.start();
  const { registration } = await webhooks.create({ url: "https://a.example/", ordered: true });
  const row = (id: string, pauseNo: number, dueMs: number): OutboxRow => {
    const of = { registrationId: registration.id, graphId: "g_1", event: "graph.paused" as const };
    return { id, ...of, epoch: 1, pauseNo, body: "{}", createdMs: clock.now(), dueMs };
  };
  await store.addDelivery(row("msg_1", 1, clock.now() + 60_000));
  store.afterRequeue = async () => {
    // The earlier delivery ends in another process.
    const attempt = { ...GONE_WELL, deliveryId: "msg_1", number: 1 };
    await store.recordAttempts([{ attempt, change: { status: "delivered" } }]);
    store.readings = 0;
    await store.release(registration.id, "g_1", clock.now());
    await until(() => store.readings > 0, "a page with it");
  };
  await store.addDelivery(row("msg_2", 2, clock.now()));
  await until(() => sent.length > 0, "the delivery");
  assert.deepEqual(sent, ["msg_2"]);
  await webhooks.close();
});
