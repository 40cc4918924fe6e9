/** Deliveries that an operator gives up, while they wait and during an attempt. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { closeAll, deliveriesOf, LIFECYCLE, rig } from "./delivery.testkit.ts";

/** An ended attempt, except for its time and result. */
const SENT = {
  durationMs: 1,
  response: "",
  responseHeaders: {},
  error: undefined,
  retryAfterMs: undefined,
  timings: {},
};

describe("a delivery", () => {
  afterEach(closeAll);

  it("that is given up while it waits is not sent, even if it was next", async () => {
    const test = await rig({ connections: { perEndpoint: 1 } });
    const receiver = await test.receiver({ replies: [{ delay: "never" }, { delay: "never" }] });
    await test.emit(3);
    await receiver.received(1);
    const rows = await deliveriesOf(test);
    const started = receiver.deliveries[0]?.headers["x-svc-delivery"];
    const [given, other] = rows.filter(({ id }) => id !== started);
    const { id = "" } = given ?? {};
    assert.equal((await test.webhooks.giveUp(id)).status, "failed");
    await assert.rejects(test.webhooks.giveUp(id), {
      code: "SVC_TRANSITION",
      message: /is failed; only a pending delivery/,
    });
    await assert.rejects(test.webhooks.giveUp("msg_none"), { code: "SVC_NOT_FOUND" });
    await test.clock.advance(15_000);
    await receiver.received(2);
    assert.equal(receiver.deliveries[1]?.headers["x-svc-delivery"], other?.id);
  });

  it("that is given up unblocks the next one of its run in an ordered registration", async () => {
    const test = await rig();
    const receiver = await test.receiver({ replies: [500, 204] });
    await test.webhooks.update(receiver.id, { ordered: true });
    for (const [event, status] of [
      ["graph.paused", "paused"],
      ["graph.done", "done"],
    ] as const) {
      const rows = test.webhooks.outboxRows({ ...LIFECYCLE, event, status, pauseNo: 1, timestampMs: test.clock.now() });
      await Promise.all(rows.map((row) => test.store.addDelivery(row)));
    }
    await test.until(() => test.store.attemptRows.length === 1, "the first attempt");
    await test.webhooks.giveUp(test.store.attemptRows[0]?.deliveryId ?? "");
    const [, second] = await receiver.received(2);
    assert.equal(second?.headers["x-svc-event"], "graph.done");
  });

  it("that is given up during an attempt is not retried, but counts as delivered if that attempt succeeds", async () => {
    for (const [status, outcome] of [
      [500, "failed"],
      [204, "delivered"],
    ] as const) {
      let answer = (): void => undefined;
      const answered = new Promise<void>((resolve) => (answer = resolve));
      const test = await rig({
        sending: {
          send: async () => {
            await answered;
            return { ...SENT, startedMs: test.clock.now(), statusCode: status };
          },
          destroy: async () => undefined,
        },
      });
      await test.webhooks.create({ url: "https://93.184.215.14/" });
      await test.emit();
      await test.until(() => test.webhooks.activeCount() === 1, "the attempt");
      const { id = "" } = (await deliveriesOf(test))[0] ?? {};
      assert.equal((await test.webhooks.giveUp(id)).status, "failed");
      answer();
      await test.until(() => test.store.attemptRows.length === 1, "the recorded attempt");
      const { status: last, attempt_count: count } = await test.webhooks.delivery(id);
      assert.deepEqual([last, count], [outcome, 1]);
      await test.clock.advance(86_400_000);
      await test.until(() => test.webhooks.activeCount() === 0, "the end of the attempt");
      assert.equal(test.store.attemptRows.length, 1);
    }
  });
});
