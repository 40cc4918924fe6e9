/** Heartbeats, progress and sleeps while the system clock is changed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { bench } from "../engine/engine.testkit.ts";
import { worker } from "../definition/definition.ts";

const HOUR_MS = 3_600_000;
const never = () => new Promise<never>(() => undefined);

describe("when the system clock is changed", () => {
  for (const setMs of [-HOUR_MS, HOUR_MS])
    it(`by ${setMs} ms, a heartbeat times out after its interval, and no sooner`, async () => {
      const clock = new SimulatedClock();
      const beats = worker("beats", { heartbeat: "20s", retry: { max: 1 } }, async (_input, ctx) => {
        for (const atMs of [10_000, 25_000]) clock.schedule(atMs, () => ctx.heartbeat());
        return never();
      });
      const { engine } = await bench({ workers: [beats] }, "memory:", clock);
      const { snapshot } = await engine.start("beats", null);
      await clock.advance(12_000);
      clock.aheadMs = setMs;
      await clock.advance(32_000);
      assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "running");
      await clock.advance(20_000);
      assert.equal((await engine.snapshot(snapshot.graph_id))?.error?.reason, "timeout");
    });

  it("backwards, progress is reported as often as before", async () => {
    const clock = new SimulatedClock();
    const moves = worker("moves", async (_input, ctx) => {
      for (let at = 1; at <= 20; at++) clock.schedule(at * 100, () => ctx.progress(at / 100));
      return never();
    });
    const { engine, store } = await bench({ workers: [moves] }, "memory:", clock);
    const { snapshot } = await engine.start("moves", null);
    await clock.advance(1000);
    clock.aheadMs = -HOUR_MS;
    await clock.advance(1000);
    assert.equal((await store.graphs.graph(snapshot.graph_id))?.progress?.value, 0.2);
  });

  for (const setMs of [-HOUR_MS, HOUR_MS])
    it(`by ${setMs} ms, an attempt keeps exactly its remaining time after a sleep`, async () => {
      const clock = new SimulatedClock();
      const sleeps = worker("sleeps", { timeout: "20s", retry: { max: 1 } }, async (_input, ctx) => {
        await new Promise<void>((resolve) => void clock.schedule(12_000, resolve));
        await ctx.sleep(0);
        return never();
      });
      const { engine } = await bench({ workers: [sleeps] }, "memory:", clock);
      const { snapshot } = await engine.start("sleeps", null);
      await clock.advance(5000);
      clock.aheadMs = setMs;
      await clock.advance(14_000);
      assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "running");
      await clock.advance(2000);
      assert.equal((await engine.snapshot(snapshot.graph_id))?.error?.reason, "timeout");
    });

  it("forwards, a sleep that is over by then ends within a minute, and so does a retry", async () => {
    const clock = new SimulatedClock();
    const sleeps = worker("sleeps", { retry: { max: 2, base: "50m", jitter: false } }, async (_input, ctx) => {
      if (ctx.attempt === 1) throw new Error("no luck");
      await ctx.sleep("55m");
      return "awake";
    });
    const { engine } = await bench({ workers: [sleeps] }, "memory:", clock);
    const { snapshot } = await engine.start("sleeps", null);
    await clock.advance(1000);
    clock.aheadMs = HOUR_MS;
    await clock.advance(60_000);
    const nodeOf = async () => (await engine.snapshot(snapshot.graph_id))?.nodes[0];
    assert.equal((await nodeOf())?.status, "waiting");
    clock.aheadMs = 2 * HOUR_MS;
    await clock.advance(60_000);
    assert.equal((await engine.snapshot(snapshot.graph_id))?.result, "awake");
  });

  it("backwards, a sleep that ended during a pause is over when its run is resumed", async () => {
    const clock = new SimulatedClock();
    const sleeps = worker("sleeps", async (_input, ctx) => {
      await ctx.sleep(5000);
      return "awake";
    });
    const { engine } = await bench({ workers: [sleeps] }, "memory:", clock);
    const { snapshot } = await engine.start("sleeps", null);
    await clock.advance(1000);
    await engine.pause(snapshot.graph_id);
    await clock.advance(10_000);
    clock.aheadMs = -HOUR_MS;
    await engine.resume(snapshot.graph_id);
    await clock.advance(1);
    assert.equal((await engine.snapshot(snapshot.graph_id))?.result, "awake");
  });
});
