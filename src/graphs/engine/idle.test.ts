import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { describe, it } from "node:test";
import { worker } from "../definition/definition.ts";
import { bench, gate } from "./engine.testkit.ts";

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

  it("waits for a step that is still running after another call of its attempt has begun to wait", async () => {
    const go = gate();
    let isDone = false;
    const races = worker("races", async (_input: unknown, ctx) => {
      const step = ctx.step("work", async () => {
        await go.promise;
        for (let turns = 0; turns < 20; turns++) await turn();
        isDone = true;
      });
      return Promise.race([step, ctx.sleep("1h")]);
    });
    const table = await bench({ workers: [races] }, "memory:");
    const { id } = await table.engine.start("races", null);
    const idle = table.engine.idle();
    for (let turns = 0; turns < 50; turns++) await turn();
    go.open();
    await idle;
    assert.deepEqual([isDone, (await table.engine.snapshot(id))?.phase], [true, "done"]);
  });

  it("waits for steps that follow a race after a restart", async () => {
    let calls = 0;
    const races = worker("races", async (_input: unknown, ctx) => {
      await Promise.race([ctx.waitFor("go"), ctx.waitFor("stop")]);
      await ctx.step("first", () => null);
      await ctx.step("second", async () => {
        if (++calls === 1) await new Promise(() => undefined);
        for (let turns = 0; turns < 20; turns++) await turn();
      });
      return "done";
    });
    const table = await bench({ workers: [races] }, "sqlite:");
    const { id } = await table.engine.start("races", null);
    await table.engine.idle();
    await table.engine.signal(id, "go");
    while (calls === 0) await turn();
    await table.crash();
    await table.engine.idle();
    assert.deepEqual([calls, (await table.engine.snapshot(id))?.result], [2, "done"]);
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
