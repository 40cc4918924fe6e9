/** Deliveries in the status, the metrics and the log. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { recordLog, SimulatedClock } from "svckit/testing";
import { OPERATOR, withFixture } from "./app.ts";
import { operate, received, SIGNED, until, withReceiver } from "./calls.ts";

it("status and metrics report attempts by outcome, their duration, overdue deliveries and disabled webhooks", async () => {
  const clock = new SimulatedClock();
  await withFixture(
    async (fixture) =>
      withReceiver(fixture, async (receiver) => {
        const ping = () => operate(fixture, "POST", `/_svc/webhooks/${receiver.id}/ping`);
        const status = async () => (await operate(fixture, "GET", "/_svc/status")).reply;
        const attempts = async () => (await status())["delivery_attempts"] as Record<string, number>;
        await ping();
        await until(async () => (await attempts())["delivered"] === 1, "one delivered");
        receiver.reply({ delay: "never" });
        await ping();
        await received(receiver, 2);
        await clock.advance(4000);
        const { delivery } = (await status()) as { delivery: Record<string, unknown> };
        assert.deepEqual([delivery["under_way"], delivery["oldest_waiting_ms"]], [1, 4000]);
        assert.deepEqual(Object.keys(delivery["attempt_ms"] as object), ["p50", "p99"]);
        receiver.reply(410);
        receiver.release();
        await ping();
        await until(async () => (await attempts())["failed"] === 1, "one gone");
        const text = await (await fixture.client.request("/_svc/metrics", { headers: OPERATOR })).text();
        assert.match(text, /^svc_delivery_attempts_total\{outcome="delivered"\} 2$/m);
        assert.match(text, /^svc_delivery_attempt_seconds_count 3$/m);
        assert.match(text, /^svc_delivery_first_attempt_age_seconds_bucket\{le="\+Inf"\} 3$/m);
        await until(async () => {
          const page = await (await fixture.client.request("/_svc/metrics", { headers: OPERATOR })).text();
          return page.includes('svc_webhooks_disabled_total{reason="gone"} 1');
        }, "counted as disabled");
      }),
    SIGNED,
    { clock },
  );
});

it("the log of deliveries that fail, are refused and disable their webhook contains no secret, payload or URL", async () => {
  const log = recordLog();
  await withFixture(
    async (fixture) =>
      withReceiver(
        fixture,
        async (receiver) => {
          receiver.reply({ status: 500, body: "planted-answer" }, { hangUp: true }, 410);
          await fixture.app.engine.start("double", { value: 7, note: "planted-input" });
          const list = `/_svc/webhooks/${receiver.id}`;
          await until(async () => (await operate(fixture, "GET", list)).reply["state"] === "disabled", "disabled");
          await until(() => log.texts.some((text) => text.includes("is disabled")), "the line");
          const failed = `${list}/deliveries?status=failed`;
          await until(async () => (await operate(fixture, "GET", failed)).reply["total"] === 1, "failed");
          assert.doesNotMatch(log.texts.join("\n"), /planted|127\.0\.0\.1|\/hook/);
        },
        { secret: "planted-own-secret", headers: { Authorization: "Bearer planted-header" } },
      ),
    { ...SIGNED, SVC_WEBHOOK_SECRET: "planted-common-secret" },
    { log, webhookSchedule: ["0s", "0s", "0s"] },
  );
});
