/** Nodes during which the process has died: which of them are given up, and which are innocent. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import { worker } from "../definition/definition.ts";
import { bench, gate, STORES } from "./engine.testkit.ts";

const hangs = (): Promise<never> => new Promise(() => undefined);

for (const url of STORES) {
  describe(`a suspect on ${url}`, () => {
    it("runs alone after the second crash, so that a poison pill takes no neighbour with it", async () => {
      let life = 1;
      let running = 0;
      let most = 0;
      const pill = worker("pill", () => ((running += 1), hangs()));
      const innocent = worker("innocent", { concurrency: 50 }, async (at: number) => {
        most = Math.max(most, ++running);
        if (life < 3) return hangs();
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return at;
      });
      const table = await bench({ workers: [pill, innocent] }, url);
      const ids: string[] = [];
      for (let at = 0; at < 20; at++) ids.push((await table.engine.start("innocent", at)).snapshot.graph_id);
      const { snapshot } = await table.engine.start("pill", null);
      for (; life < 3; life++) {
        await table.clock.advance(0);
        running = 0;
        most = 0;
        if (life === 2) life = 3;
        await table.crash();
      }
      await table.clock.advance(0);
      assert.equal(most, 1);
      running = 0;
      await table.crash();
      await table.engine.idle();
      assert.equal((await table.engine.snapshot(snapshot.graph_id))?.error?.reason, "poison");
      for (const id of ids) assert.equal((await table.engine.snapshot(id))?.status, "done");
      await table.store.close();
    });

    it("holds up others only until it has ended", async () => {
      const held = gate();
      let life = 1;
      const slow = worker("slow", () => (life < 3 ? hangs() : held.promise));
      const quick = worker("quick", () => "quick");
      const table = await bench({ workers: [slow, quick] }, url);
      const { snapshot } = await table.engine.start("slow", null);
      for (; life < 3; life++) {
        await table.clock.advance(0);
        if (life === 2) life = 3;
        await table.crash();
      }
      const { snapshot: other } = await table.engine.start("quick", null);
      await table.clock.advance(0);
      assert.equal((await table.engine.snapshot(other.graph_id))?.status, "running");
      held.open();
      await table.engine.idle();
      assert.equal((await table.engine.snapshot(snapshot.graph_id))?.status, "done");
      assert.equal((await table.engine.snapshot(other.graph_id))?.result, "quick");
      await table.store.close();
    });

    it("whose worker is paused holds up nobody", async () => {
      let life = 1;
      const slow = worker("slow", () => (life < 3 ? hangs() : "slow"));
      const quick = worker("quick", () => "quick");
      const table = await bench({ workers: [slow, quick] }, url);
      await table.engine.start("slow", null);
      await table.clock.advance(0);
      await table.crash();
      await table.clock.advance(0);
      await table.engine.queues.pause("slow");
      life = 3;
      await table.crash();
      const { snapshot } = await table.engine.start("quick", null);
      await table.engine.idle();
      assert.equal((await table.engine.snapshot(snapshot.graph_id))?.result, "quick");
      await table.store.close();
    });
  });

  describe(`a node that makes progress on ${url}`, () => {
    it("is not given up, however often the process dies", async () => {
      let life = 1;
      const long = worker("long", { retry: { max: 1 } }, async (_: Json, ctx) => {
        for (let at = 1; at <= 6; at++) {
          await ctx.step(`part ${at}`, () => at);
          if (at === life) await hangs();
        }
        return "done";
      });
      const table = await bench({ workers: [long] }, url);
      const { snapshot } = await table.engine.start("long", null);
      for (; life <= 6; life++) {
        await table.clock.advance(0);
        if (life === 6) life = 7;
        await table.crash();
      }
      await table.engine.idle();
      const done = await table.engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.result], ["done", "done"]);
      await table.store.close();
    });
  });
}
