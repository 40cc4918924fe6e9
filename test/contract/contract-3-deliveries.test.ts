/** Contract section 3: payloads, headers and times of deliveries. See contract-3-webhooks.test.ts for the endpoints. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { worker } from "svckit/graph";
import { SimulatedClock } from "svckit/testing";
import { WORKERS, withFixture } from "./app.ts";
import { describeBothAdapters } from "./both-adapters.ts";
import { operate, payloadOf, received, SECRET, SIGNED, textOf, until, withReceiver, type Called } from "./calls.ts";

describeBothAdapters(
  "deliveries",
  (site) => {
    const call = (method: string, path: string, body?: unknown): Promise<Called> => operate(site, method, path, body);

    it("Payload keys in this order: event, graph_id, worker, status, timestamp_ms, duration_ms, result, error", () =>
      withReceiver(site, async (receiver) => {
        await site.app.engine.start("broken", {});
        assert.deepEqual(Object.keys(payloadOf((await received(receiver, 1))[0])), [
          "event",
          "graph_id",
          "worker",
          "status",
          "timestamp_ms",
          "duration_ms",
          "result",
          "error",
        ]);
      }));

    it("status: done, failed, paused; a cancel is failed", () =>
      withReceiver(site, async (receiver) => {
        await site.app.engine.start("double", { value: 1 });
        assert.equal(payloadOf((await received(receiver, 1))[0])["status"], "done");
        const { snapshot: held } = await site.app.engine.start("held", {});
        await site.app.engine.cancel(held.graph_id);
        assert.equal(payloadOf((await received(receiver, 2))[1])["status"], "failed");
        const { snapshot: later } = await site.app.engine.start("double", { value: 1 }, { delay: 60_000 });
        await site.app.engine.pause(later.graph_id);
        assert.equal(payloadOf((await received(receiver, 3))[2])["status"], "paused");
      }));

    it('result is a JSON object: a worker\'s other value is wrapped as {"value": …}; {} where there is none', () =>
      withReceiver(site, async (receiver) => {
        for (const [index, [name, expected]] of (
          [
            ["gives-object", { a: 1 }],
            ["gives-list", { value: [1] }],
            ["gives-null", { value: null }],
            ["broken", {}],
          ] as const
        ).entries()) {
          await site.app.engine.start(name, {});
          assert.deepEqual(payloadOf((await received(receiver, index + 1))[index])["result"], expected, name);
        }
      }));

    it('error: {message, reason:"error"|"timeout"|"cancelled"|"poison", node?} on graph.failed, otherwise absent', () =>
      withReceiver(site, async (receiver) => {
        await site.app.engine.start("broken", {});
        const failed = payloadOf((await received(receiver, 1))[0])["error"] as Record<string, unknown>;
        assert.deepEqual([failed["message"], failed["reason"]], ["out of paper", "error"]);
        const { snapshot } = await site.app.engine.start("held", {});
        await site.app.engine.cancel(snapshot.graph_id);
        const cancelled = payloadOf((await received(receiver, 2))[1])["error"] as Record<string, unknown>;
        assert.equal(cancelled["reason"], "cancelled");
        await site.app.engine.start("too-slow", {});
        const late = payloadOf((await received(receiver, 3))[2])["error"] as Record<string, unknown>;
        assert.equal(late["reason"], "timeout");
        await site.app.engine.start("double", { value: 1 });
        assert.equal("error" in payloadOf((await received(receiver, 4))[3]), false);
      }));

    it("A payload over 256 KiB is sent with result: {} and result_url", () =>
      withReceiver(site, async (receiver) => {
        const { snapshot } = await site.app.engine.start("gives-much", {});
        const payload = payloadOf((await received(receiver, 1))[0]);
        assert.deepEqual(payload["result"], {});
        const url = textOf(payload, "result_url");
        assert.ok(url.endsWith(`/_svc/graphs/${snapshot.graph_id}`), url);
        const shown = await call("GET", `/_svc/graphs/${snapshot.graph_id}`);
        assert.equal(String((shown.reply["result"] as { text: string }).text).length, 300_000);
      }));

    it("Headers of a delivery: Content-Type, User-Agent: svc-webhooks/<version>, X-Svc-Event, X-Svc-Delivery (stable over retries), X-Svc-Attempt, webhook-id (= delivery), webhook-timestamp (Unix seconds of this attempt)", () =>
      withReceiver(site, async (receiver) => {
        receiver.reply(500, 204);
        await site.app.engine.start("double", { value: 1 });
        const [first, second] = await received(receiver, 2);
        for (const [index, delivery] of [first, second].entries()) {
          const { headers } = delivery ?? {};
          assert.equal(headers?.["content-type"], "application/json");
          assert.match(headers?.["user-agent"] ?? "", /^svc-webhooks\/\d+\.\d+\.\d+$/);
          assert.equal(headers?.["x-svc-event"], "graph.done");
          assert.equal(headers?.["x-svc-attempt"], String(index + 1));
          assert.equal(headers?.["webhook-id"], headers?.["x-svc-delivery"]);
          assert.ok(Math.abs(Number(headers?.["webhook-timestamp"]) - Date.now() / 1000) < 3600);
        }
        assert.equal(first?.headers["x-svc-delivery"], second?.headers["x-svc-delivery"]);
      }));

    it("with a secret also X-Svc-Signature: sha256=<hex> = HMAC-SHA256 over the raw body bytes, and the Standard Webhooks webhook-signature: v1,<base64>", () =>
      withReceiver(site, async (receiver) => {
        await site.app.engine.start("double", { value: 1 });
        const [delivery] = await received(receiver, 1);
        assert.ok(delivery);
        const { headers, body } = delivery;
        const hex = createHmac("sha256", SECRET).update(body).digest("hex");
        assert.equal(headers["x-svc-signature"], `sha256=${hex}`);
        const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
        const base64 = createHmac("sha256", SECRET).update(signed).digest("base64");
        assert.equal(headers["webhook-signature"], `v1,${base64}`);
      }));

    it("410 = registration disabled", () =>
      withReceiver(site, async (receiver) => {
        receiver.reply(410);
        await site.app.engine.start("double", { value: 1 });
        await received(receiver, 1);
        const shown = async (): Promise<unknown> => (await call("GET", `/_svc/webhooks/${receiver.id}`)).reply["state"];
        await until(async () => (await shown()) === "disabled", "disabled");
      }));

    it("2xx = delivered. Anything else, a redirect included, is a failed attempt; then the delivery is failed and stays replayable. POST /_svc/webhooks/:id/recover: {since_ms}: 202 {count}: re-sends what failed since", () =>
      withReceiver(site, async (receiver) => {
        receiver.reply(302, 503, 299);
        const { reply } = await call("POST", `/_svc/webhooks/${receiver.id}/ping`);
        const path = `/_svc/deliveries/${textOf(reply, "delivery_id")}`;
        await received(receiver, 2);
        await until(async () => (await call("GET", path)).reply["status"] === "failed", "failed for good");
        const attempts = (await call("GET", path)).reply["attempts"] as { status_code: number }[];
        assert.deepEqual(
          attempts.map((attempt) => attempt.status_code),
          [302, 503],
        );
        const recovered = await call("POST", `/_svc/webhooks/${receiver.id}/recover`, { since_ms: 0 });
        assert.deepEqual([recovered.status, recovered.reply], [202, { count: 1 }]);
        await received(receiver, 3);
        await until(async () => (await call("GET", path)).reply["status"] === "delivered", "delivered at last");
        const later = await call("POST", `/_svc/webhooks/${receiver.id}/recover`, { since_ms: Date.now() + 60_000 });
        assert.deepEqual(later.reply, { count: 0 });
      }));
  },
  SIGNED,
  {
    // Two attempts without a wait: the schedule is configurable, so that tests need not wait.
    webhookSchedule: ["0s", "0s"],
    workers: [
      ...WORKERS,
      worker("gives-object", () => ({ a: 1 })),
      worker("gives-list", () => [1]),
      worker("gives-null", () => null),
      worker("gives-much", () => ({ text: "x".repeat(300_000) })),
      worker("too-slow", { retry: { max: 1 }, timeout: "1ms" }, () => new Promise(() => undefined)),
    ],
  },
);

describe("time", () => {
  it("duration_ms counts from the first start, pauses included", async () => {
    const clock = new SimulatedClock();
    await withFixture(
      async (fixture) =>
        withReceiver(fixture, async (receiver) => {
          const { engine } = fixture.app;
          const { snapshot } = await engine.start("held", {});
          await until(async () => (await engine.snapshot(snapshot.graph_id))?.status === "running", "running");
          await clock.advance(7000);
          await engine.cancel(snapshot.graph_id);
          assert.equal(payloadOf((await received(receiver, 1))[0])["duration_ms"], 7000);
        }),
      SIGNED,
      { clock },
    );
  });

  it("Attempts at 0 s, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h (Standard Webhooks), jitter 0–20 %", async () => {
    const clock = new SimulatedClock();
    const minute = 60_000;
    const delays = [0, 5000, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 60 * minute)];
    await withFixture(
      async (fixture) =>
        withReceiver(fixture, async (receiver) => {
          // A breaker opens at the tenth consecutive failure, which is the last.
          receiver.reply(500);
          const { reply } = await operate(fixture, "POST", `/_svc/webhooks/${receiver.id}/ping`);
          const path = `/_svc/deliveries/${textOf(reply, "delivery_id")}`;
          const attempts = async (): Promise<{ started_ms: number }[]> =>
            (await operate(fixture, "GET", path)).reply["attempts"] as { started_ms: number }[];
          for (const [index, delay] of delays.entries()) {
            await clock.advance(delay * 1.2 + 1);
            await until(async () => (await attempts()).length === index + 1, `attempt ${index + 1}`);
          }
          await until(async () => (await operate(fixture, "GET", path)).reply["status"] === "failed", "failed");
          const times = (await attempts()).map((attempt) => attempt.started_ms);
          for (const [index, delay] of delays.entries()) {
            const waited = (times[index] ?? 0) - (times[index - 1] ?? times[0] ?? 0);
            assert.ok(waited >= delay && waited <= delay * 1.2 + 1, `${index + 1}: ${waited} of ${delay}`);
          }
        }),
      SIGNED,
      { clock },
    );
  });

  it("Retry-After honoured up to 24 h", async () => {
    const clock = new SimulatedClock();
    await withFixture(
      async (fixture) =>
        withReceiver(fixture, async (receiver) => {
          receiver.reply({ status: 503, headers: { "retry-after": "600" } }, 204);
          const { reply } = await operate(fixture, "POST", `/_svc/webhooks/${receiver.id}/ping`);
          const path = `/_svc/deliveries/${textOf(reply, "delivery_id")}`;
          const nextMs = async (): Promise<unknown> => (await operate(fixture, "GET", path)).reply["next_attempt_ms"];
          const tried = async (): Promise<boolean> =>
            (await operate(fixture, "GET", path)).reply["attempt_count"] === 1;
          await until(tried, "the first attempt");
          assert.equal(await nextMs(), clock.now() + 600_000);
        }),
      SIGNED,
      { clock },
    );
  });

  it("Whole attempt ≤15 s (connect ≤5 s)", async () => {
    const clock = new SimulatedClock();
    await withFixture(
      async (fixture) =>
        withReceiver(fixture, async (receiver) => {
          receiver.reply({ delay: "never" });
          const { reply } = await operate(fixture, "POST", `/_svc/webhooks/${receiver.id}/ping`);
          const path = `/_svc/deliveries/${textOf(reply, "delivery_id")}`;
          await received(receiver, 1);
          await clock.advance(15_000);
          const tried = async (): Promise<boolean> =>
            (await operate(fixture, "GET", path)).reply["attempt_count"] === 1;
          await until(tried, "given up");
          const [attempt] = (await operate(fixture, "GET", path)).reply["attempts"] as Record<string, unknown>[];
          assert.deepEqual([attempt?.["status_code"], attempt?.["duration_ms"]], [null, 15_000]);
        }),
      SIGNED,
      { clock },
    );
  });

  it("Ten consecutive failures open a breaker for that endpoint; One slow endpoint never delays another", async () => {
    const clock = new SimulatedClock();
    await withFixture(
      async (fixture) =>
        withReceiver(fixture, async (failing) => {
          failing.reply(500);
          for (let sent = 0; sent < 10; sent++) {
            await operate(fixture, "POST", `/_svc/webhooks/${failing.id}/ping`);
            await received(failing, sent + 1);
          }
          const state = async (): Promise<unknown> =>
            (await operate(fixture, "GET", `/_svc/webhooks/${failing.id}`)).reply["state"];
          await until(async () => (await state()) === "failing", "the breaker");
          await operate(fixture, "POST", `/_svc/webhooks/${failing.id}/ping`);
          await withReceiver(fixture, async (well) => {
            await operate(fixture, "POST", `/_svc/webhooks/${well.id}/ping`);
            await received(well, 1);
          });
          assert.equal(failing.deliveries.length, 10, "waiting uses up no attempts");
          await clock.advance(60_000);
          await received(failing, 11);
        }),
      SIGNED,
      { clock, webhookSchedule: ["0s"] },
    );
  });

  it("120 h of nothing but failures disables it", async () => {
    const clock = new SimulatedClock();
    await withFixture(
      async (fixture) =>
        withReceiver(fixture, async (failing) => {
          failing.reply(500);
          const state = async (): Promise<unknown> =>
            (await operate(fixture, "GET", `/_svc/webhooks/${failing.id}`)).reply["state"];
          const fail = async (count: number): Promise<void> => {
            const { reply } = await operate(fixture, "POST", `/_svc/webhooks/${failing.id}/ping`);
            await received(failing, count);
            const path = `/_svc/deliveries/${textOf(reply, "delivery_id")}`;
            await until(async () => (await operate(fixture, "GET", path)).reply["status"] === "failed", "on record");
          };
          await fail(1);
          await clock.advance(119 * 3_600_000);
          await fail(2);
          assert.notEqual(await state(), "disabled");
          await clock.advance(3_600_000);
          await fail(3);
          await until(async () => (await state()) === "disabled", "disabled");
        }),
      SIGNED,
      { clock, webhookSchedule: ["0s"] },
    );
  });
});
