import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { describe, it } from "node:test";
import { worker } from "../definition/definition.ts";
import { bench } from "./engine.testkit.ts";

describe("engine.idle()", () => {
  it("waits for the step that follows a race of waits, although another wait is still open", async () => {
    let isDone = false;
    const races = worker("races", async (_input: unknown, ctx) => {
      await Promise.race([ctx.waitFor("go"), ctx.waitFor("stop")]);
      await ctx.step("work", async () => {
        for (let turns = 0; turns < 20; turns++) await turn();
        isDone = true;
      });
      return "done";
    });
    const { engine } = await bench({ workers: [races] }, "memory:");
    const { snapshot } = await engine.start("races", null);
    await engine.idle();
    await engine.signal(snapshot.graph_id, "go");
    await engine.idle();
    assert.deepEqual([isDone, (await engine.snapshot(snapshot.graph_id))?.result], [true, "done"]);
  });

  it("waits for the attempt that a signal has just woken, also behind a wait that has timed out", async () => {
    const patient = worker("patient", async (_input: unknown, ctx) => {
      const first = await ctx.waitFor("go", { timeout: "1m" }).catch(() => "nothing");
      return [first, await ctx.waitFor("go")];
    });
    const { engine, pass } = await bench({ workers: [patient] }, "memory:");
    const { snapshot } = await engine.start("patient", null);
    await engine.idle();
    await pass(60_000);
    await engine.signal(snapshot.graph_id, "go", "came");
    await engine.idle();
    assert.deepEqual((await engine.snapshot(snapshot.graph_id))?.result, ["nothing", "came"]);
  });

  it("resolves while an attempt waits for the second of two signals", async () => {
    const both = worker("both", async (_input: unknown, ctx) => Promise.all([ctx.waitFor("a"), ctx.waitFor("b")]));
    const { engine } = await bench({ workers: [both] }, "memory:");
    const { snapshot } = await engine.start("both", null);
    await engine.idle();
    await engine.signal(snapshot.graph_id, "a", 1);
    await engine.idle();
    assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "running");
  });
});
