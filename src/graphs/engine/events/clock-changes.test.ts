/** Events, their retention and the keys of runs while the system clock is changed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../../platform/shared/clock.ts";
import { positionAt } from "../../../storage/contract/sent-events.ts";
import { graph, worker } from "../../definition/definition.ts";
import { event } from "../../definition/event.ts";
import type { LeasedRun } from "../cluster-port.ts";
import { bench, laterClock, STORES } from "../engine.testkit.ts";
import { clusterOf } from "../remote.testkit.ts";

const HOUR_MS = 3_600_000;
const paid = event<{ id: string }>("paid");
const refused = event<{ id: string }>("refused");

/** Waits for an hour, and then for the event. */
const late = worker("late", { retry: { max: 1 } }, async (id: string, ctx) => {
  await ctx.waitFor("go");
  return (await ctx.waitForEvent(paid, { match: { id }, timeout: "2h" })).id;
});
const order = graph("order", (g) => g.node("late", late), {
  cancelOn: [{ event: refused, match: (id: string) => ({ id }) }],
});

for (const url of STORES)
  describe(`when the system clock is changed, with ${url}`, () => {
    for (const setMs of [-HOUR_MS, HOUR_MS])
      it(`by ${setMs} ms, a wait finds an event that was sent between the start of its run and the wait`, async () => {
        const { engine, store, clock, pass } = await bench({ graphs: [order] }, url, new SimulatedClock());
        const run = await engine.start(order, "o1");
        clock.aheadMs = setMs;
        await pass(1000);
        await engine.send(paid, { id: "o1" }, { id: "e1" });
        await pass(600_000);
        await engine.signal(run.id, "go");
        await engine.idle();
        assert.equal((await engine.snapshot(run.id))?.result, "e1");
        await store.close();
      });

    it("backwards, an event cancels a run that was started before, and none that is started after it", async () => {
      const { engine, store, clock, pass } = await bench({ graphs: [order] }, url, new SimulatedClock());
      const before = await engine.start(order, "o1");
      clock.aheadMs = -HOUR_MS;
      await pass(1000);
      await engine.send(refused, { id: "o1" });
      await engine.idle();
      await pass(1000);
      const after = await engine.start(order, "o1");
      await engine.idle();
      const phases = await Promise.all([before, after].map(async ({ id }) => (await engine.snapshot(id))?.phase));
      assert.deepEqual(phases, ["failed", "running"]);
      await store.close();
    });

    it("the timeout of a wait follows it: forwards it is over within a sixty-fourth of its time, backwards it lasts longer", async () => {
      for (const [setMs, status] of [
        [2 * HOUR_MS, "failed"],
        [-HOUR_MS, "running"],
      ] as const) {
        const { engine, store, clock, pass } = await bench({ graphs: [order] }, url, new SimulatedClock());
        const run = await engine.start(order, "o1");
        await engine.signal(run.id, "go");
        await engine.idle();
        clock.aheadMs = setMs;
        await pass((2 * HOUR_MS) / 64);
        if (status === "running") await pass(2 * HOUR_MS);
        assert.equal((await engine.snapshot(run.id))?.status, status);
        if (status === "running") await pass(HOUR_MS);
        await pass(60_000);
        assert.equal((await engine.snapshot(run.id))?.error?.reason, "error");
        await store.close();
      }
    });

    it("forwards and back, expired events are deleted as before", async () => {
      const { engine, store, clock, pass } = await bench({ eventRetention: "1h" }, url, new SimulatedClock());
      clock.aheadMs = 24 * HOUR_MS;
      await engine.send("x", 1, { id: "ahead" });
      await pass(1000);
      clock.aheadMs = 0;
      // Of another process, whose clock was right.
      await store.sentEvents.add({ name: "x", id: "old", position: positionAt(clock.now() - 2 * HOUR_MS), data: 1 });
      await store.sentEvents.handled("x", "old");
      await pass(60_000);
      await engine.send("x", 2, { id: "next" });
      await engine.idle();
      assert.deepEqual((await engine.sentEvents()).events.map(({ id }) => id).sort(), ["ahead", "next"]);
      await store.close();
    });

    it("back, a pending event of a dead process with the time from before is routed by the next sweep", async () => {
      let held: LeasedRun | undefined;
      const noted = graph(
        "noted",
        (g) =>
          g.node(
            "note",
            worker("note", ({ id }: { id: string }) => id),
          ),
        { on: paid },
      );
      const cluster = clusterOf({ attach: (made) => (held = made) });
      const { engine, store, clock, pass } = await bench({ graphs: [noted], cluster }, url, new SimulatedClock());
      const position = positionAt(clock.now() + HOUR_MS);
      await store.sentEvents.add({ name: "paid", id: "e1", position, data: { id: "o1" } });
      await held?.readControls();
      await pass(0);
      assert.deepEqual((await engine.list({ worker: "noted" })).items.length, 1);
      await store.close();
    });

    it("a run and its idempotency key are kept until the retention is over by the new time", async () => {
      const quick = worker("quick", () => 1);
      const { engine, store, clock, pass } = await bench(
        { workers: [quick], retention: "1d", outboxRows: () => [] },
        url,
        laterClock(),
      );
      await engine.recover();
      const start = async () => (await engine.start("quick", null, { idempotencyKey: "k" })).created;
      assert.equal(await start(), true);
      await pass(0);
      clock.aheadMs = -48 * HOUR_MS;
      await pass(25 * HOUR_MS);
      assert.equal(await start(), false, "set back: kept for longer");
      clock.aheadMs = 0;
      for (let round = 0; round < 5; round++) await pass(60_000);
      assert.equal(await start(), true, "its time is over");
      await engine.close();
      await store.close();
    });
  });
