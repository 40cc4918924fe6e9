/** The preview of a replay is equal to the replay. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { attemptRow, nextId, outboxRow } from "../../storage/contract/sample-rows.testkit.ts";
import { createReceiver, type Receiver } from "../../testing/receiver.ts";
import { FakeWebhookStore, fakeStore } from "./fake-store.test.ts";
import { createWebhooks, type Webhooks } from "../webhooks.ts";

const PATIENCE_MS = 30_000;

interface Bench {
  webhooks: Webhooks;
  receiver: Receiver;
  clock: SimulatedClock;
  hook: string;
  /** Failed deliveries, oldest first. */
  failed: string[];
  /** Waits for this number of failures. */
  fail(count: number): Promise<void>;
}

/** A bench with a receiver that rejects each first attempt, and a schedule of one attempt. */
async function bench(count: number, run: (bench: Bench) => Promise<void>): Promise<void> {
  const clock = new SimulatedClock();
  const store = await FakeWebhookStore.open();
  const more = {
    schedule: ["0s"],
    traceparent: () => "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  } as const;
  const secret = "a-secret-for-tests-0123456789";
  const webhooks = createWebhooks({ store: fakeStore(store), clock, secret, allowCidrs: ["127.0.0.0/8"], ...more });
  const receiver = await createReceiver({ replies: Array.from({ length: count }, () => ({ status: 500 })) });
  const headers = { authorization: "Bearer of-the-receiver", "x-shop": "7" };
  const { registration } = await webhooks.create({ url: `${receiver.url}?shop=7`, headers });
  webhooks.start();
  const bench_: Bench = {
    webhooks,
    receiver,
    clock,
    hook: registration.id,
    failed: [],
    fail: async (until) => {
      while (bench_.failed.length < until) {
        const { delivery_id: id } = await webhooks.sendSample(registration.id);
        for (const endMs = Date.now() + PATIENCE_MS; (await webhooks.delivery(id)).status !== "failed";) {
          assert.ok(Date.now() < endMs, "it did not fail");
          await new Promise((next) => setImmediate(next));
        }
        bench_.failed.push(id);
        await clock.advance(1000);
      }
    },
  };
  try {
    await run(bench_);
  } finally {
    await webhooks.close();
    await receiver.close();
  }
}

describe("the preview of a replay", () => {
  it("shows the request that a replay sends, except values of custom headers, and sends nothing", () =>
    bench(1, async ({ webhooks, receiver, fail, failed }) => {
      await fail(1);
      const [id = assert.fail()] = failed;
      const preview = await webhooks.previewReplay(id);
      assert.deepEqual([preview.attempt, preview.breaker, preview.is_signed], [2, "closed", true]);
      assert.equal(receiver.deliveries.length, 1);
      assert.equal((await webhooks.delivery(id)).status, "failed");
      await webhooks.replay(id);
      const [, sent = assert.fail()] = await receiver.received(2, PATIENCE_MS);
      assert.equal(preview.request.body, sent.body.toString());
      const shown = preview.request.headers.map(({ name, value }) => [name.toLowerCase(), value]);
      const hidden = new Set(["authorization", "x-shop"]);
      const expected = Object.entries(sent.headers).map(([name, value]) => [name, hidden.has(name) ? null : value]);
      assert.deepEqual(Object.fromEntries(shown), Object.fromEntries(expected));
      assert.ok(!JSON.stringify(preview).includes("of-the-receiver"));
    }));

  it("reports that a disabled webhook sends nothing, and that a failing one sends only when its breaker allows", () =>
    bench(12, async ({ webhooks, fail, failed, hook, clock }) => {
      await fail(10);
      const open = await webhooks.previewReplay(failed[0] ?? "");
      assert.equal(open.breaker, "open");
      assert.ok(open.open_until_ms !== null && open.open_until_ms > clock.now());
      await clock.advance(61_000);
      assert.equal((await webhooks.previewReplay(failed[0] ?? "")).breaker, "probing");
      await webhooks.update(hook, { enabled: false });
      const { breaker, open_until_ms: untilMs } = await webhooks.previewRecover(hook, { since_ms: 0 });
      assert.deepEqual([breaker, untilMs], ["disabled", null]);
    }));

  it("of a recovery covers all failures since a time, with a digest of the set", () =>
    bench(9, async ({ webhooks, fail, failed, hook, receiver }) => {
      await fail(3);
      const sinceMs = (await webhooks.delivery(failed[1] ?? "")).created_ms;
      const preview = await webhooks.previewRecover(hook, { since_ms: sinceMs });
      assert.deepEqual([preview.count, preview.events], [2, { "graph.done": 2 }]);
      assert.deepEqual(preview.deliveries.map(({ id }) => id).sort(), failed.slice(1).sort());
      assert.equal(receiver.deliveries.length, 3);
      await fail(4);
      const { digest } = preview;
      await assert.rejects(webhooks.recover(hook, { since_ms: sinceMs, digest }), { code: "SVC_TRANSITION" });
      assert.equal(receiver.deliveries.length, 4);
      const again = await webhooks.previewRecover(hook, { since_ms: sinceMs });
      assert.deepEqual(await webhooks.recover(hook, { since_ms: sinceMs, digest: again.digest }), { count: 3 });
      await receiver.received(7, PATIENCE_MS);
    }));

  it("of a recovery needs few queries for any number of failures, and keeps no bodies in memory", async () => {
    const COUNT = 2101;
    const store = await FakeWebhookStore.open();
    const webhooks = createWebhooks({ store: fakeStore(store), clock: new SimulatedClock() });
    const { id: registrationId } = (await webhooks.create({ url: "https://93.184.215.14/" })).registration;
    const rows = Array.from({ length: COUNT }, () => outboxRow(nextId(), { registrationId }));
    await Promise.all(rows.map((row) => store.addDelivery(row)));
    await store.recordAttempts(rows.map(({ id }) => ({ attempt: attemptRow(id), change: { status: "failed" } })));
    const asked: string[] = [];
    const requeued: number[] = [];
    const { listDeliveries, requeueFailed } = store;
    store.listDeliveries = (query) => (asked.push(String(query.limit)), listDeliveries.call(store, query));
    store.requeueFailed = (hook, ids, dueMs) => (
      requeued.push(ids.length),
      requeueFailed.call(store, hook, ids, dueMs)
    );
    const { count, deliveries, digest } = await webhooks.previewRecover(registrationId, { since_ms: 0 });
    assert.deepEqual([count, deliveries.length, asked], [COUNT, 100, ["100"]]);
    assert.deepEqual(await webhooks.recover(registrationId, { since_ms: 0, digest }), { count: COUNT });
    assert.deepEqual([requeued, asked.length], [[500, 500, 500, 500, 101], 1]);
    assert.deepEqual(await store.failedOf({ registrationId, sinceMs: 0, limit: 1 }), []);
  });
});
