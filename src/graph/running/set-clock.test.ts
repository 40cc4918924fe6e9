/** What an attempt tells, and how long it may be silent, while the clock of the machine is set. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bench, SetClock } from "../engine-bench.test.ts";
import { worker } from "../definition/definition.ts";

const HOUR_MS = 3_600_000;
const never = () => new Promise<never>(() => undefined);

describe("when the clock is set", () => {
  for (const setMs of [-HOUR_MS, HOUR_MS])
    it(`by ${setMs} ms, a heartbeat is missed after its time, and no sooner`, async () => {
      const clock = new SetClock();
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

  it("back, progress is told as often as before", async () => {
    const clock = new SetClock();
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
});
