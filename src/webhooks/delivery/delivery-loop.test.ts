/** The delivery loop over real HTTP on loopback, with a simulated clock. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { OutboxRows } from "../../graphs/machine/report-types.ts";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { createReceiver } from "../../testing/receiver.ts";
import { closeAll, deliveriesOf, LIFECYCLE, open, rig, SECRET } from "./delivery.testkit.ts";
import { FakeWebhookStore } from "./fake-store.test.ts";
import { verify } from "../signing/verify.ts";

describe("a delivery", () => {
  afterEach(closeAll);

  it("is a signed POST that the receiver can verify, recorded with its response", async () => {
    const test = await rig();
    const receiver = await test.receiver({
      replies: [{ status: 200, body: "thanks", headers: { "X-Request-Id": "r7", "Set-Cookie": "planted" } }],
    });
    await test.emit();
    const [delivery] = await receiver.received(1);
    assert.ok(delivery);
    const payload = verify({ ...delivery, secret: SECRET, now: test.clock.now() });
    assert.deepEqual([payload.event, payload.graph_id, payload.result], ["graph.done", "g_0", { ok: true }]);
    await test.until(async () => (await deliveriesOf(test))[0]?.status === "delivered", "the record");
    const [shown] = await deliveriesOf(test, receiver.id);
    assert.equal(delivery.headers["content-type"], "application/json");
    assert.match(delivery.headers["user-agent"] ?? "", /^svc-webhooks\/\d+\.\d+\.\d+/);
    assert.equal(delivery.headers["x-svc-event"], "graph.done");
    assert.equal(delivery.headers["x-svc-delivery"], shown?.id);
    assert.equal(delivery.headers["webhook-id"], shown?.id);
    assert.equal(delivery.headers["x-svc-attempt"], "1");
    assert.match(shown?.id ?? "", /^msg_[0-9a-f]{32}$/);
    const timings = { connect: 0, first_byte: 0 };
    const { attempts } = await test.webhooks.delivery(shown?.id ?? "");
    const headers = attempts[0]?.response_headers ?? {};
    assert.deepEqual([headers["x-request-id"], headers["set-cookie"]], ["r7", "[hidden]"]);
    assert.deepEqual(attempts, [
      {
        number: 1,
        started_ms: test.clock.now(),
        duration_ms: 0,
        status_code: 200,
        response: "thanks",
        response_headers: headers,
        error: null,
        timings,
      },
    ]);
  });

  it("is sent to each enabled registration that listens for its event", async () => {
    const test = await rig();
    const [listening, deaf, off] = [await test.receiver(), await test.receiver(), await test.receiver()];
    await test.webhooks.update(deaf.id, { events: ["graph.failed"] });
    await test.webhooks.update(off.id, { enabled: false });
    await test.emit();
    await listening.received(1);
    await test.until(
      async () => (await deliveriesOf(test)).every(({ status }) => status === "delivered"),
      "all delivered",
    );
    assert.deepEqual(
      [listening, deaf, off].map((receiver) => receiver.deliveries.length),
      [1, 0, 0],
    );
  });

  it("is sent to registrations that filter by its worker, or do not filter", async () => {
    const test = await rig();
    const [named, other, every] = [await test.receiver(), await test.receiver(), await test.receiver()];
    await test.webhooks.update(named.id, { workers: ["greet", "audit"] });
    await test.webhooks.update(other.id, { workers: ["greet"] });
    await test.emit();
    await Promise.all([named.received(1), every.received(1)]);
    await test.until(
      async () => (await deliveriesOf(test)).every(({ status }) => status === "delivered"),
      "all delivered",
    );
    assert.deepEqual([(await deliveriesOf(test)).length, other.deliveries.length], [2, 0]);
    await test.webhooks.ping(other.id);
    await other.received(1);
  });

  it("has the headers of its registration beside its own", async () => {
    const test = await rig();
    const receiver = await test.receiver();
    await test.webhooks.update(receiver.id, { headers: { Authorization: "Bearer abc", "X-Team": "audits" } });
    await test.emit();
    const [delivery] = await receiver.received(1);
    assert.deepEqual(
      [delivery?.headers.authorization, delivery?.headers["x-team"], delivery?.headers["x-svc-event"]],
      ["Bearer abc", "audits", "graph.done"],
    );
    await test.webhooks.update(receiver.id, { headers: {} });
    await test.webhooks.ping(receiver.id);
    assert.equal((await receiver.received(2))[1]?.headers["x-team"], undefined);
  });

  it("that fails is retried on schedule with the same id, then failed, and can be replayed", async () => {
    const test = await rig();
    const receiver = await test.receiver({ replies: [500, { hangUp: true }, 404, 204] });
    await test.emit();
    await receiver.received(1);
    await test.until(() => test.store.attemptRows.length === 1, "first attempt recorded");
    await test.clock.advance(4999);
    assert.equal(receiver.deliveries.length, 1);
    await test.clock.advance(1);
    await receiver.received(2);
    await test.until(() => test.store.attemptRows.length === 2, "second attempt recorded");
    await test.clock.advance(300_000);
    await receiver.received(3);
    await test.until(async () => (await deliveriesOf(test))[0]?.status === "failed", "failed for good");
    const id = (await deliveriesOf(test))[0]?.id ?? "";
    await test.clock.advance(86_400_000);
    assert.equal(receiver.deliveries.length, 3, "no fourth attempt by itself");
    assert.deepEqual(await test.webhooks.replay(id), { delivery_id: id });
    await receiver.received(4);
    await test.until(async () => (await deliveriesOf(test))[0]?.status === "delivered", "replayed");
    assert.deepEqual(new Set(receiver.deliveries.map(({ headers }) => headers["x-svc-delivery"])), new Set([id]));
    assert.deepEqual(
      receiver.deliveries.map(({ headers }) => headers["x-svc-attempt"]),
      ["1", "2", "3", "4"],
    );
    const { attempts } = await test.webhooks.delivery(id);
    assert.deepEqual(
      attempts.map((attempt) => attempt.status_code),
      [500, null, 404, 204],
    );
    assert.match(attempts[1]?.error ?? "", /^connection failed: /);
  });

  it("waits as long as Retry-After asks", async () => {
    const test = await rig();
    const receiver = await test.receiver({ replies: [{ status: 503, headers: { "retry-after": "3600" } }, 204] });
    await test.emit();
    await test.until(() => test.store.attemptRows.length === 1, "first attempt recorded");
    await test.clock.advance(3_599_999);
    assert.equal(receiver.deliveries.length, 1);
    await test.clock.advance(1);
    await receiver.received(2);
  });

  it("does not follow a redirect", async () => {
    const test = await rig();
    const target = await createReceiver();
    open.push(() => target.close());
    const receiver = await test.receiver({ replies: [{ status: 307, headers: { location: target.url } }] });
    await test.emit();
    await receiver.received(1);
    await test.until(() => test.store.attemptRows.length === 1, "the attempt recorded");
    assert.equal(target.deliveries.length, 0);
    assert.deepEqual([test.store.attemptRows[0]?.statusCode, (await deliveriesOf(test))[0]?.status], [307, "pending"]);
    assert.match(test.store.attemptRows[0]?.error ?? "", /redirects are not followed/);
  });

  it("that gets a 410 fails and disables the registration, whose other deliveries wait until it is enabled", async () => {
    const disabled: string[] = [];
    const test = await rig({ onDisabled: ({ id }) => disabled.push(id) });
    const receiver = await test.receiver({ replies: [410, 204] });
    await test.emit();
    await test.until(async () => (await deliveriesOf(test))[0]?.status === "failed", "failed");
    await test.until(async () => (await test.webhooks.get(receiver.id)).state === "disabled", "disabled");
    const { enabled, disabled_reason: reason } = await test.webhooks.get(receiver.id);
    assert.deepEqual([enabled, reason, disabled], [false, "gone", [receiver.id]]);
    assert.match(test.logged.join("\n"), new RegExp(`webhook ${receiver.id} is disabled: its receiver answered 410`));
    await assert.rejects(test.webhooks.ping(receiver.id), { code: "SVC_TRANSITION" });
    await assert.rejects(test.webhooks.replay((await deliveriesOf(test))[0]?.id ?? ""), { code: "SVC_TRANSITION" });
    await test.webhooks.update(receiver.id, { enabled: true });
    assert.equal((await test.webhooks.get(receiver.id)).state, "active");
    assert.deepEqual(await test.webhooks.recover(receiver.id, { since_ms: 0 }), { count: 1 });
    await receiver.received(2);
  });

  it("times out 15 s after its start if no response arrives", async () => {
    const test = await rig();
    const receiver = await test.receiver({ replies: [{ delay: "never" }] });
    await test.emit();
    await receiver.received(1);
    await test.clock.advance(14_999);
    assert.equal(test.store.attemptRows.length, 0);
    await test.clock.advance(1);
    await test.until(() => test.store.attemptRows.length === 1, "the attempt recorded");
    const [attempt] = test.store.attemptRows;
    assert.deepEqual(
      [attempt?.durationMs, attempt?.statusCode, attempt?.error],
      [15_000, undefined, "no answer within 15 s"],
    );
  });

  it("succeeds with the status line, even if the body never ends, and 2 KB of the body are kept", async () => {
    const test = await rig();
    const dripping = await test.receiver({ replies: [{ status: 200, dripEvery: 5 }] });
    const flooding = await test.receiver({ replies: [{ status: 200, body: "é".repeat(500_000) }] });
    await test.emit();
    await Promise.all([dripping.received(1), flooding.received(1)]);
    await test.until(
      async () => (await deliveriesOf(test, flooding.id))[0]?.status === "delivered",
      "the flood is cut off",
    );
    const flood = (await test.store.attempts((await deliveriesOf(test, flooding.id))[0]?.id ?? ""))[0];
    assert.equal(flood?.response, "é".repeat(1024));
    await test.until(() => dripping.dripped >= 3, "the head has arrived");
    await test.clock.advance(15_000);
    await test.until(
      async () => (await deliveriesOf(test, dripping.id))[0]?.status === "delivered",
      "the drip is cut off",
    );
  });

  it("to a forbidden address is not sent, and names the rule", async () => {
    const store = await FakeWebhookStore.open();
    const before = await rig({}, store);
    const receiver = await before.receiver();
    await before.webhooks.close();
    const strict = await rig({ allowCidrs: [] }, store);
    await strict.emit();
    await strict.until(() => store.attemptRows.length === 1, "the attempt recorded");
    assert.equal(receiver.deliveries.length, 0);
    assert.match(store.attemptRows[0]?.error ?? "", /loopback/);
  });
});

describe("the delivery loop", () => {
  afterEach(closeAll);

  it("loses neither the health of a registration nor a concurrent edit of it", async () => {
    const test = await rig();
    const receiver = await test.receiver({ replies: [500] });
    await test.emit(9);
    await test.until(() => receiver.deliveries.length === 9, "nine requests in flight");
    await Promise.all([
      test.webhooks.update(receiver.id, { description: "edited" }),
      test.webhooks.update(receiver.id, { workers: ["audit"] }),
      test.webhooks.ping(receiver.id),
    ]);
    await test.until(async () => (await test.webhooks.get(receiver.id)).state === "failing", "all ten counted");
    const { description, workers } = await test.webhooks.get(receiver.id);
    assert.deepEqual([description, workers], ["edited", ["audit"]]);
  });

  it("gives a silent endpoint 8 slots, and delays no other endpoint", async () => {
    const test = await rig();
    const [silent, quick] = [await test.receiver({ replies: [{ delay: "never" }] }), await test.receiver()];
    await test.emit(40);
    await quick.received(40);
    await test.until(
      async () => (await deliveriesOf(test, quick.id)).filter(({ status }) => status === "delivered").length === 40,
      "all delivered",
    );
    assert.equal(silent.deliveries.length, 8);
    silent.reply(204);
    silent.release();
    await silent.received(40);
  });

  it("delivers a burst that is larger than its memory limit completely", async () => {
    const test = await rig();
    const receivers = [await test.receiver(), await test.receiver(), await test.receiver()];
    await test.emit(300);
    for (const receiver of receivers) await receiver.received(300);
    await test.until(
      async () => (await test.store.all()).every(({ status }) => status === "delivered"),
      "all delivered",
    );
    for (const receiver of receivers)
      assert.equal(new Set(receiver.deliveries.map(({ headers }) => headers["x-svc-delivery"])).size, 300);
    assert.equal(test.store.attemptRows.length, 900, "each sent once");
  });

  it("waits after ten failures in a row without using attempts, and probes with one", async () => {
    const test = await rig();
    const receiver = await test.receiver({ replies: [500] });
    await test.emit(30);
    await test.until(async () => (await test.webhooks.get(receiver.id)).state === "failing", "the breaker opens");
    await test.until(() => test.store.attemptRows.length === receiver.deliveries.length, "attempts in flight recorded");
    const sent = receiver.deliveries.length;
    assert.ok(sent >= 10 && sent < 30, `${sent} sent before it opened`);
    await test.clock.advance(59_999);
    assert.equal(receiver.deliveries.length, sent, "nothing while it is open");
    receiver.reply({ delay: "never" });
    await test.clock.advance(1);
    await receiver.received(sent + 1);
    await test.clock.advance(1000);
    assert.equal(receiver.deliveries.length, sent + 1, "one probe");
    receiver.reply(204);
    receiver.release();
    await test.until(async () => (await test.webhooks.get(receiver.id)).state === "active", "the breaker closes");
    await test.until(
      async () => (await deliveriesOf(test, receiver.id)).every(({ status }) => status === "delivered"),
      "all delivered",
    );
    const counts = (await deliveriesOf(test, receiver.id)).map((delivery) => delivery.attempt_count);
    assert.ok(
      counts.every((count) => count <= 2),
      `attempts: ${counts.join(" ")}`,
    );
  });

  it("sends again with the same id after a crash between the POST and its record", async () => {
    const clock = new SimulatedClock();
    const test = await rig({ clock });
    const receiver = await test.receiver();
    test.store.failRecords = 1; // The process never receives the result of its write.
    await test.emit();
    await receiver.received(1);
    await test.until(() => test.logged.length === 1, "the failure is logged");
    assert.match(test.logged[0] ?? "", /msg_.* could not be recorded[^]*disk full/);
    await test.webhooks.close();
    const restarted = await rig({ clock }, test.store);
    await receiver.received(2);
    await restarted.until(
      async () => (await deliveriesOf(restarted))[0]?.status === "delivered",
      "delivered after the restart",
    );
    const ids = receiver.deliveries.map(({ headers }) => headers["x-svc-delivery"]);
    assert.equal(ids[0], ids[1]);
  });

  it("pauses for 5 s after a store failure instead of repeating deliveries", async () => {
    const test = await rig();
    const receiver = await test.receiver();
    test.store.failRecords = 1;
    await test.emit();
    await test.until(() => test.logged.length === 1, "the failure is logged");
    await test.clock.advance(4999);
    assert.equal(receiver.deliveries.length, 1);
    await test.clock.advance(1);
    await receiver.received(2);
  });

  it("waits for attempts in flight when it closes, and aborted ones stay pending without an attempt", async () => {
    const test = await rig();
    const receiver = await test.receiver({ replies: [{ delay: "never" }] });
    await test.emit();
    await receiver.received(1);
    const closed = test.webhooks.close(1000);
    await test.clock.advance(1000);
    await closed;
    assert.equal(test.store.attemptRows.length, 0);
    assert.equal((await deliveriesOf(test))[0]?.status, "pending");
    await test.emit();
    await test.clock.advance(60_000);
    assert.equal(receiver.deliveries.length, 1, "nothing is sent any more");
  });

  it("fails the pending deliveries of a deleted registration", async () => {
    const test = await rig();
    const receiver = await test.receiver({ replies: [500] });
    await test.emit();
    await test.until(() => test.store.attemptRows.length === 1, "first attempt recorded");
    await test.webhooks.remove(receiver.id);
    await test.clock.advance(5000);
    await test.until(async () => (await deliveriesOf(test))[0]?.status === "failed", "ended");
    assert.equal(receiver.deliveries.length, 1);
  });

  it("sends deliveries of a registration that only another process knows so far", async () => {
    const test = await rig();
    const receiver = await test.receiver();
    const rows = test.webhooks.outboxRows({ ...LIFECYCLE, timestampMs: test.clock.now() });
    test.store.isUnread = true;
    for (const row of rows) await test.store.addDelivery(row);
    await receiver.received(1);
    await test.until(async () => (await deliveriesOf(test))[0]?.status === "delivered", "delivered");
  });

  it("leaves no timer behind once everything is delivered and its connections have expired", async () => {
    const test = await rig();
    const receiver = await test.receiver();
    await test.emit(3);
    await receiver.received(3);
    await test.until(
      async () => (await deliveriesOf(test)).every(({ status }) => status === "delivered"),
      "all delivered",
    );
    await test.clock.advance(5000);
    assert.equal(test.clock.pending, 0);
  });
});

describe("an ordered registration", () => {
  afterEach(closeAll);

  const paused = (pauseNo: number) => ({ ...LIFECYCLE, event: "graph.paused" as const, pauseNo });

  it("gets the events of a run in order, each after the previous one has ended, and other runs meanwhile", async () => {
    const test = await rig();
    const receiver = await test.receiver({ replies: [500, 204] });
    await test.webhooks.update(receiver.id, { ordered: true });
    const add = async (event: Parameters<OutboxRows>[0]): Promise<void> => {
      for (const row of test.webhooks.outboxRows({ ...event, timestampMs: test.clock.now() }))
        await test.store.addDelivery(row);
    };
    await add(paused(1));
    await test.until(() => test.store.attemptRows.length === 1, "the first has failed");
    await add(paused(2));
    await add({ ...LIFECYCLE, pauseNo: 2 });
    await add({ ...LIFECYCLE, graphId: "g_other" });
    await receiver.received(2);
    await test.until(
      async () => (await test.store.all()).filter(({ status }) => status === "delivered").length === 1,
      "the other graph's",
    );
    assert.deepEqual(JSON.parse(receiver.deliveries[1]?.body ?? ""), JSON.parse(JSON.stringify(payloadOf("g_other"))));
    await test.clock.advance(5000);
    await test.until(
      async () => (await test.store.all()).every(({ status }) => status === "delivered"),
      "all delivered",
    );
    const seen = receiver.deliveries.map(({ headers, body }) => [
      (JSON.parse(body) as { graph_id: string }).graph_id,
      headers["x-svc-event"],
      headers["x-svc-attempt"],
    ]);
    assert.deepEqual(seen, [
      ["g_01", "graph.paused", "1"],
      ["g_other", "graph.done", "1"],
      ["g_01", "graph.paused", "2"],
      ["g_01", "graph.paused", "1"],
      ["g_01", "graph.done", "1"],
    ]);

    function payloadOf(graphId: string) {
      const { worker, status, durationMs, result } = LIFECYCLE;
      return {
        event: "graph.done",
        graph_id: graphId,
        worker,
        status,
        timestamp_ms: test.clock.now(),
        duration_ms: durationMs,
        result,
      };
    }
  });
});

describe("a ping and a sample", () => {
  afterEach(closeAll);

  it("are delivered like events, as often as requested", async () => {
    const test = await rig();
    const receiver = await test.receiver();
    const ids = [
      await test.webhooks.ping(receiver.id),
      await test.webhooks.ping(receiver.id),
      await test.webhooks.sendSample(receiver.id),
    ];
    const received = await receiver.received(3);
    const payloads = received.map((delivery) => verify({ ...delivery, secret: SECRET, now: test.clock.now() }));
    assert.deepEqual(payloads.map(({ event }) => event).sort(), ["graph.done", "ping", "ping"]);
    for (const { graph_id: graphId } of payloads) assert.match(graphId, /^g_[0-9A-Z]{26}$/);
    assert.deepEqual(
      new Set(received.map(({ headers }) => headers["x-svc-delivery"])),
      new Set(ids.map((answer) => answer.delivery_id)),
    );
  });

  it("reach the exempt URL on loopback, and no other", async () => {
    const receiver = await createReceiver();
    open.push(() => receiver.close());
    const test = await rig({ allowCidrs: [], exemptUrl: () => receiver.url });
    await assert.rejects(test.webhooks.create({ url: `${receiver.url}/other` }), { code: "SVC_SSRF" });
    const { registration } = await test.webhooks.create({ url: receiver.url });
    await test.webhooks.sendSample(registration.id);
    const [delivery] = await receiver.received(1);
    assert.ok(delivery);
    assert.equal(verify({ ...delivery, secret: SECRET, now: test.clock.now() }).event, "graph.done");
  });
});

describe("a rotated secret", () => {
  afterEach(closeAll);

  it("signs alone in X-Svc-Signature, and beside the old one for 24 h in webhook-signature", async () => {
    const test = await rig();
    const receiver = await test.receiver();
    const send = async () => {
      const { length } = receiver.deliveries;
      await test.webhooks.ping(receiver.id);
      const delivery = (await receiver.received(length + 1))[length];
      assert.ok(delivery);
      const { "webhook-signature": _, ...bodyOnly } = delivery.headers;
      const verifies = (headers: typeof delivery.headers, secret: string, requireTimestamp: boolean): boolean => {
        const { body } = delivery;
        try {
          return verify({ body, headers, secret, requireTimestamp, now: test.clock.now() }).event === "ping";
        } catch {
          return false;
        }
      };
      return {
        standard: (secret: string) => verifies(delivery.headers, secret, true),
        body: (secret: string) => verifies(bodyOnly, secret, false),
      };
    };
    const { secret } = await test.webhooks.rotateSecret(receiver.id, {});
    const during = await send();
    assert.deepEqual(
      [during.standard(secret), during.standard(SECRET), during.body(secret), during.body(SECRET)],
      [true, true, true, false],
    );
    await test.clock.advance(24 * 3_600_000);
    const after = await send();
    assert.deepEqual([after.standard(secret), after.standard(SECRET)], [true, false]);
    const { secret: third } = await test.webhooks.rotateSecret(receiver.id, {});
    const again = await send();
    assert.deepEqual([again.standard(third), again.standard(secret), again.standard(SECRET)], [true, true, false]);
  });
});
