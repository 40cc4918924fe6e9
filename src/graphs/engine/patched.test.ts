import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { worker } from "../definition/definition.ts";
import { bench, PLACES } from "./engine.testkit.ts";

/** The code before and after a change that adds a step between two others. */
function versions(ran: string[]) {
  const old = worker("order", async (_input: unknown, ctx) => {
    await ctx.step("reserve", () => void ran.push("reserve"));
    await ctx.sleep("1h");
    await ctx.step("pay", () => void ran.push("pay"));
  });
  const next = worker("order", async (_input: unknown, ctx) => {
    await ctx.step("reserve", () => void ran.push("reserve"));
    if (await ctx.patched("check-stock")) await ctx.step("stock", () => void ran.push("stock"));
    await ctx.sleep("1h");
    const isPatched = await ctx.patched("check-stock");
    await ctx.step("pay", () => void ran.push(`pay ${isPatched}`));
  });
  return { old, next };
}

for (const url of PLACES)
  describe(`ctx.patched on ${url}`, () => {
    it("is false for a run that was past the change, whatever the number of attempts", async () => {
      const ran: string[] = [];
      const { old, next } = versions(ran);
      const table = await bench({ workers: [old] }, url);
      const { id } = await table.engine.start("order", null);
      await table.pass(0);
      await table.crash({ workers: [next] });
      await table.pass(60_000);
      await table.crash({ workers: [next] });
      await table.pass(3_600_000);
      assert.equal((await table.engine.snapshot(id))?.status, "done");
      assert.deepEqual(ran, ["reserve", "pay false"]);
    });

    it("is true for a new run, also in later attempts", async () => {
      const ran: string[] = [];
      const { next } = versions(ran);
      const table = await bench({ workers: [next] }, url);
      const { id } = await table.engine.start("order", null);
      await table.pass(0);
      await table.crash({ workers: [next] });
      await table.pass(3_600_000);
      assert.equal((await table.engine.snapshot(id))?.status, "done");
      assert.deepEqual(ran, ["reserve", "stock", "pay true"]);
    });

    it("is true for a run that has not reached the change", async () => {
      const ran: string[] = [];
      const { old, next } = versions(ran);
      const table = await bench({ workers: [old] }, url);
      await table.engine.start("order", null, { delay: "1s" });
      await table.crash({ workers: [next] });
      await table.pass(1000);
      await table.pass(3_600_000);
      assert.deepEqual(ran, ["reserve", "stock", "pay true"]);
    });
  });
