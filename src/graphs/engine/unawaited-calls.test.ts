import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { WorkerContext } from "../definition/worker-types.ts";
import { event } from "../definition/event.ts";
import { worker } from "../definition/definition.ts";
import { bench, nodesOf, PLACES } from "./engine.testkit.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const other = worker("other", (_input: unknown, ctx) => ctx.waitFor("never"));

/** Durable calls that are open until the attempt is aborted. */
const CALLS: Record<string, (ctx: WorkerContext) => Promise<unknown>> = {
  waitFor: (ctx) => ctx.waitFor("stop"),
  waitForEvent: (ctx) => ctx.waitForEvent(event("stop")),
  sleep: (ctx) => ctx.sleep("1d"),
  call: (ctx) => ctx.call("c", other, null),
  map: (ctx) => ctx.map("m", [1], other),
};

// The test runner fails a test during which a rejection is unhandled. A process that runs an app would end.
for (const url of PLACES)
  describe(`a call that its worker awaits later, on ${url}`, () => {
    for (const [name, begin] of Object.entries(CALLS))
      it(`does not end the process when the run is cancelled meanwhile: ctx.${name}`, async () => {
        const busy = worker("busy", async (_input: unknown, ctx) => {
          const open = begin(ctx);
          await ctx.waitFor("go");
          await open;
        });
        const { engine, store } = await bench({ workers: [busy, other] }, url);
        const { id } = await engine.start("busy", null);
        while ((await nodesOf(store, id)).filter(({ status }) => status === "waiting").length < 3) await turn();
        await engine.cancel(id);
        await engine.idle();
        await turn();
        assert.equal((await engine.snapshot(id))?.error?.reason, "cancelled");
        await store.close();
      });

    it("does not end the process when it fails first, and its error is thrown where it is awaited", async () => {
      const steps = worker("steps", { retry: { max: 1 } }, async (_input: unknown, ctx) => {
        const failing = ctx.step("failing", () => {
          throw new Error("no stock");
        });
        await ctx.step("slow", async () => {
          for (let turns = 0; turns < 20; turns++) await turn();
        });
        return failing;
      });
      const { engine, store } = await bench({ workers: [steps] }, url);
      const { id } = await engine.start("steps", null);
      await engine.idle();
      assert.equal((await engine.snapshot(id))?.error?.message, "no stock");
      await store.close();
    });
  });
