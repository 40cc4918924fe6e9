import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graph, worker } from "../../definition/definition.ts";
import { event } from "../../definition/event.ts";
import { bench, STORES, type Bench } from "../engine.testkit.ts";

interface Mail {
  to: string;
}

const sent = event<Mail>("sent");
const send = worker("send", ({ to }: Mail) => to);
const options = { throttle: { limit: 1, period: "10s", key: ({ to }: Mail) => to } } as const;
const mail = graph<Mail, string>("mail", (g) => g.node("send", send), options);
const byEvent = graph<Mail, string>("mail", (g) => g.node("send", send), { ...options, on: sent });

const ended = async ({ engine }: Bench, to: string): Promise<number> =>
  (await engine.list({ worker: "mail", status: "done" })).items.filter(({ result }) => result === to).length;

for (const url of STORES)
  describe(`Throttled starts without an event with ${url}`, () => {
    it("run in order, not faster than the throttle of their key allows, and none is dropped", async () => {
      const table = await bench({ graphs: [mail] }, url);
      for (let at = 0; at < 4; at++) await table.engine.start(mail, { to: "ada" });
      await table.engine.start(mail, { to: "bob" });
      await table.engine.idle();
      // The limit and the burst of 1.
      assert.deepEqual([await ended(table, "ada"), await ended(table, "bob")], [2, 1]);
      await table.pass(9999);
      assert.equal(await ended(table, "ada"), 2);
      await table.pass(1);
      assert.equal(await ended(table, "ada"), 3);
      await table.crash();
      await table.pass(10_000);
      assert.equal(await ended(table, "ada"), 4);
      await table.store.close();
    });

    it("count together with those of events", async () => {
      const table = await bench({ graphs: [byEvent] }, url);
      await table.engine.start(byEvent, { to: "ada" });
      await table.engine.send(sent, { to: "ada" });
      await table.engine.idle();
      await table.engine.start(byEvent, { to: "ada" });
      await table.engine.send(sent, { to: "ada" });
      await table.engine.idle();
      assert.equal(await ended(table, "ada"), 2);
      await table.pass(20_000);
      assert.equal(await ended(table, "ada"), 4);
      await table.store.close();
    });

    it("take no time for a known idempotency key", async () => {
      const table = await bench({ graphs: [mail] }, url);
      for (let at = 0; at < 5; at++) await table.engine.start(mail, { to: "ada" }, { idempotencyKey: "once" });
      await table.engine.start(mail, { to: "ada" });
      await table.engine.idle();
      assert.equal(await ended(table, "ada"), 2);
      await table.store.close();
    });

    it("are rejected if the key of their input is not a text", async () => {
      const broken = graph<Mail, string>("broken", (g) => g.node("send", send), {
        throttle: { limit: 1, period: "1s", key: (() => 7) as never },
      });
      const table = await bench({ graphs: [broken] }, url);
      await assert.rejects(table.engine.start(broken, { to: "ada" }), {
        code: "SVC_INVALID",
        message: /The key of "broken"/,
      });
      await table.store.close();
    });
  });
