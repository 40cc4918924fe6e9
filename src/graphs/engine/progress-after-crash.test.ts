import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import { worker } from "../definition/definition.ts";
import { bench, STORES } from "./engine.testkit.ts";

const hangs = (): Promise<never> => new Promise(() => undefined);

for (const url of STORES) {
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
