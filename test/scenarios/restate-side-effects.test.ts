/** Scenarios of Restate's suites: restatedev/sdk-test-suite and restatedev/e2e. docs/reference/engines.md names the source of each. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FinalError, graph, WaitTimeoutError, worker } from "svckit/graph";
import { HOUR, MINUTE, once, scene, SECOND, untilAborted } from "./scene.ts";

describe("restate", () => {
  it("side effects run once, whatever the number of retries of their invocation", async () => {
    let effects = 0;
    const flow = worker("flow", { retry: { max: 3, base: "1s" } }, async (_: unknown, ctx) => {
      const value = await ctx.step("effect", () => ++effects);
      if (ctx.attempt < 3) throw new Error("again");
      return value;
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(MINUTE);
    assert.deepEqual([await at.outcome(run), effects], [["done", 1], 1]);
  });

  it("a side effect that fails for good fails the invocation, or is caught", async () => {
    const flow = worker("flow", async (isCaught: boolean, ctx) => {
      const effect = ctx.step("effect", () => {
        throw new FinalError("denied");
      });
      return isCaught ? effect.catch((error: Error) => `caught ${error.message}`) : effect;
    });
    const at = await scene({ workers: [flow] });
    const [caught, failed] = [await at.engine.start(flow, true), await at.engine.start(flow, false)];
    await at.pass(HOUR);
    assert.deepEqual(
      [await at.outcome(caught), await at.outcome(failed)],
      [
        ["done", "caught denied"],
        ["failed", "denied"],
      ],
    );
  });

  it("a run with a retry policy fails for good once its tries are used up", async () => {
    let calls = 0;
    const flow = worker("flow", once, (_: unknown, ctx) =>
      ctx
        .step(
          "effect",
          () => {
            calls++;
            throw new Error("busy");
          },
          { retry: { max: 3, base: "10ms" } },
        )
        .catch(() => `failed after ${calls}`),
    );
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(MINUTE);
    assert.deepEqual(await at.outcome(run), ["done", "failed after 3"]);
  });

  it("a side effect is stored before the code behind it runs", async () => {
    const seen: (string | undefined)[] = [];
    const flow = worker("flow", async (_: unknown, ctx) => {
      await ctx.step("effect", () => "stored");
      seen.push((await at.nodes({ id: ctx.graphId }))["flow#effect"]);
    });
    const at = await scene({ workers: [flow] });
    await at.engine.start(flow, null);
    await at.engine.idle();
    assert.deepEqual(seen, ["done"]);
  });

  it("an awakeable is resolved from outside with a value", async () => {
    const flow = worker("flow", (_: unknown, ctx) => ctx.waitFor("awakeable"));
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    await run.signal("awakeable", { answer: 42 });
    assert.deepEqual(await run.result(), { answer: 42 });
  });

  it("an awakeable is rejected from outside with a reason", async () => {
    const flow = worker("flow", async (_: unknown, ctx) => {
      const answer = await ctx.waitFor<{ ok: boolean; reason?: string }>("awakeable");
      if (!answer.ok) throw new FinalError(answer.reason ?? "rejected");
      return answer;
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    await run.signal("awakeable", { ok: false, reason: "no stock" });
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["failed", "no stock"]);
  });

  it("awaiting with a timeout throws a timeout error", async () => {
    const flow = worker("flow", (_: unknown, ctx) =>
      ctx.waitFor("awakeable", { timeout: "10s" }).catch((error: unknown) => error instanceof WaitTimeoutError),
    );
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.pass(10 * SECOND);
    assert.deepEqual(await at.outcome(run), ["done", true]);
  });

  it("the first of several awaited values wins, and the loser stays awaitable", async () => {
    const flow = worker("flow", async (_: unknown, ctx) => {
      const all = ["a", "b"].map((name) => ctx.waitFor(name));
      const first = await Promise.race(all);
      return [first, ...(await Promise.all(all))];
    });
    const at = await scene({ workers: [flow] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    await run.signal("b", 2);
    await at.engine.idle();
    await at.crash();
    await at.engine.signal(run.id, "a", 1);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", [2, 1, 2]]);
  });

  it("any ignores failed calls as long as one succeeds", async () => {
    const bad = worker("bad", once, (): string => {
      throw new Error("no");
    });
    const good = worker("good", () => "good");
    const flow = worker("flow", (_: unknown, ctx) =>
      Promise.any([ctx.call("bad", bad, null), ctx.call("good", good, null)]),
    );
    const at = await scene({ workers: [flow, bad, good] });
    const run = await at.engine.start(flow, null);
    await at.engine.idle();
    assert.deepEqual(await at.outcome(run), ["done", "good"]);
  });

  it("a cancelled invocation also cancels the calls that it waits for", async () => {
    const inner = worker("inner", (_: unknown, ctx) => ctx.waitFor("never"));
    const outer = worker("outer", (_: unknown, ctx) => ctx.call("inner", inner, null));
    const at = await scene({ workers: [outer, inner] });
    const run = await at.engine.start(outer, null);
    await at.engine.idle();
    await run.cancel();
    await at.engine.idle();
    assert.deepEqual(Object.values(await at.nodes(run)), ["cancelled", "cancelled", "cancelled"]);
  });

  it("a cancelled invocation runs the compensations of its saga in reverse order", async () => {
    const undone: string[] = [];
    const step = (name: string) => worker(name, { compensate: () => void undone.push(name) }, () => name);
    const saga = graph("saga", (g) => {
      const car = g.node("car", step("car"), { after: [g.node("flight", step("flight"))] });
      g.node(
        "wait",
        worker("wait", (_: unknown, ctx) => ctx.waitFor("go")),
        { after: [car] },
      );
    });
    const at = await scene({ graphs: [saga] });
    const run = await at.engine.start(saga, null);
    await at.engine.idle();
    await run.cancel();
    await at.engine.idle();
    assert.deepEqual(undone, ["car", "flight"]);
  });

  it("a killed invocation ends at once, with its calls and without compensation", async () => {
    const undone: string[] = [];
    const inner = worker("inner", { onCancel: () => void undone.push("inner") }, (_: unknown, ctx) =>
      untilAborted(ctx.signal),
    );
    const outer = worker("outer", { onCancel: () => void undone.push("outer") }, (_: unknown, ctx) =>
      ctx.call("inner", inner, null),
    );
    const at = await scene({ workers: [outer, inner] });
    const run = await at.engine.start(outer, null);
    await at.until(async () => (await at.nodes(run))["outer#inner"] === "running");
    await run.terminate();
    await at.engine.idle();
    assert.deepEqual([(await at.outcome(run))[0], undone], ["cancelled", []]);
  });
});
