import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import type { StartOptions } from "../definition/audit-types.ts";
import type { StartedRun } from "./runs/run-handle-types.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { asWorker } from "../definition/graph-worker.ts";
import { graph, worker } from "../definition/definition.ts";
import { bench, gate, STORES, type Bench } from "./engine.testkit.ts";

/** A parent whose second node is a graph of two nodes. `held` blocks the child's first node, and `isBroken` makes its second fail. */
function family() {
  const held = gate();
  const state = { isHeld: false, isBroken: false, firsts: 0 };
  const first = worker("first", async (n: number, ctx) => {
    state.firsts++;
    if (state.isHeld)
      await Promise.race([held.promise, new Promise((resolve) => ctx.signal.addEventListener("abort", resolve))]);
    return n + 1;
  });
  const second = worker("second", { retry: { max: 1 } }, (_: unknown, ctx) => {
    if (state.isBroken) throw new Error("broken inside");
    return Number(ctx.deps["first"]) * 10;
  });
  const inner = graph<number, number>("inner", (g) => g.node("second", second, { after: [g.node("first", first)] }));
  const outer = graph("outer", (g) => {
    const input = g.node(
      "input",
      worker("input", (n: number) => n),
    );
    const child = g.node("child", inner, { after: [input], input: (_: never, deps) => deps["input"] });
    return g.node(
      "output",
      worker("output", (_: unknown, ctx) => ({ got: ctx.deps["child"] as number })),
      { after: [child] },
    );
  });
  return { held, state, inner, outer };
}

const childOf = async ({ engine }: Bench, id: string): Promise<string> =>
  (await engine.snapshot(id))?.children[0]?.graph_id ?? "";
const nodeOf = async ({ engine }: Bench, id: string, node: string): Promise<string | undefined> =>
  (await engine.snapshot(id))?.nodes.find((row) => row.id === node)?.status;

/** Makes the next step of this kind fail for one run, as a store failure would. */
function failOnce({ engine }: Bench, step: "cancel" | "resume", graphId: string): { hasFailed: boolean } {
  const fault = { hasFailed: false };
  const real = engine[step].bind(engine);
  engine[step] = async (id, auditContext) => {
    if (id !== graphId || fault.hasFailed) return real(id, auditContext);
    fault.hasFailed = true;
    throw new Error("the disk is unavailable");
  };
  return fault;
}

for (const url of STORES) {
  describe(`child runs on ${url}`, () => {
    it("stay done when their parent fails, whose worker compensates for them", async () => {
      const undone: string[] = [];
      const book = worker("book", { compensate: (_, room: string) => void undone.push(room) }, (room: string) => room);
      const trip = graph<string, string>("trip", (g) => g.node("book", book));
      const whole = worker(
        "whole",
        { compensate: (_, room: string) => void undone.push(`all of ${room}`) },
        (room: string, ctx) => ctx.call("trip", asWorker(trip), room),
      );
      const fail = worker("fail", { retry: { max: 1 } }, () => {
        throw new Error("no seats");
      });
      const both = graph<string>("both", (g) => {
        const plain = g.node("plain", trip);
        const called = g.node("whole", whole);
        g.node("fail", fail, { after: [plain, called] });
      });
      const { engine } = await bench({ graphs: [both, trip] }, url);
      const { snapshot } = await engine.start("both", "room 7");
      await engine.idle();
      const end = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([end?.status, undone], ["failed", ["all of room 7"]]);
      const children = await Promise.all((end?.children ?? []).map(({ graph_id }) => engine.snapshot(graph_id)));
      assert.deepEqual(
        children.map((child) => child?.status),
        ["done", "done"],
      );
    });

    it("can be the items of a fan-out: one child per item, within the fan-out's limit", async () => {
      const { inner } = family();
      const list = worker("list", (given: number[]) => given);
      const each = graph<number[]>("each", (g) =>
        g.map("inner", inner, g.node("list", list), (all) => all, { concurrency: 1 }),
      );
      const { engine } = await bench({ graphs: [each] }, url);
      const { snapshot } = await engine.start("each", [1, 2, 3]);
      await engine.idle();
      const end = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([end?.status, end?.result, end?.children.length], ["done", [20, 30, 40], 3]);
    });

    it("give their result to the node, and parent and children show each other", async () => {
      const { outer } = family();
      const here = await bench({ graphs: [outer] }, url);
      const { snapshot } = await here.engine.start("outer", 1);
      await here.engine.idle();
      const done = await here.engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.result], ["done", { got: 20 }]);
      const child = await here.engine.snapshot(await childOf(here, snapshot.graph_id));
      assert.deepEqual(
        [child?.worker, child?.input, child?.result, child?.parent],
        ["inner", 1, 20, { graph_id: snapshot.graph_id, node: "child" }],
      );
    });

    it("occupy no slot while they run, so one slot in total is enough for any depth", async () => {
      const { inner, outer } = family();
      const top = graph("top", (g) => g.node("outer", outer));
      const here = await bench({ graphs: [top, inner], concurrency: 1 }, url);
      const { snapshot } = await here.engine.start("top", 2);
      await here.engine.idle();
      assert.deepEqual((await here.engine.snapshot(snapshot.graph_id))?.result, { got: 30 });
    });

    it("are started once, whenever the process dies", async () => {
      const { outer, state, held } = family();
      state.isHeld = true;
      const here = await bench({ graphs: [outer] }, url);
      const { snapshot } = await here.engine.start("outer", 1);
      const { graph_id: id } = snapshot;
      await here.clock.advance(0);
      assert.deepEqual(
        [await nodeOf(here, id, "child"), (await here.engine.snapshot(id))?.children.length],
        ["waiting", 1],
      );
      const first = await childOf(here, id);
      for (let count = 0; count < 2; count++) {
        await here.crash();
        await here.clock.advance(0);
      }
      held.open();
      await here.engine.idle();
      const done = await here.engine.snapshot(id);
      assert.deepEqual(
        [done?.status, done?.result, done?.children.map((child) => child.graph_id)],
        ["done", { got: 20 }, [first]],
      );
    });

    it("are found to have ended after a crash before they could notify their parent", async () => {
      const { outer, state, held } = family();
      state.isHeld = true;
      const here = await bench({ graphs: [outer] }, url);
      const { snapshot } = await here.engine.start("outer", 1);
      await here.clock.advance(0);
      // The process dies between the child's last commit and the notification of the parent.
      here.engine.signal = () => new Promise<never>(() => undefined);
      held.open();
      await here.clock.advance(0);
      assert.deepEqual(
        [
          (await here.engine.snapshot(await childOf(here, snapshot.graph_id)))?.status,
          (await here.engine.snapshot(snapshot.graph_id))?.status,
        ],
        ["done", "running"],
      );
      await here.crash();
      await here.engine.idle();
      assert.deepEqual((await here.engine.snapshot(snapshot.graph_id))?.result, { got: 20 });
    });

    it("fail their node when they fail, and continue when the parent is retried", async () => {
      const { outer, state } = family();
      state.isBroken = true;
      const here = await bench({ graphs: [outer] }, url);
      const { snapshot } = await here.engine.start("outer", 1);
      await here.engine.idle();
      const { graph_id: id } = snapshot;
      const child = await childOf(here, id);
      const failed = await here.engine.snapshot(id);
      assert.equal(failed?.status, "failed");
      assert.match(failed?.error?.message ?? "", new RegExp(`The graph ${child} \\("inner"\\) failed: broken inside`));
      state.isBroken = false;
      await here.engine.retry(id);
      await here.engine.idle();
      const done = await here.engine.snapshot(id);
      assert.deepEqual([done?.status, done?.result, done?.children.length, state.firsts], ["done", { got: 20 }, 1, 1]);
      assert.equal((await here.engine.snapshot(child))?.epoch, 2);
    });

    it("are new runs when their node runs again", async () => {
      const { outer, state } = family();
      const here = await bench({ graphs: [outer] }, url);
      const { snapshot } = await here.engine.start("outer", 1);
      await here.engine.idle();
      await here.engine.retry(snapshot.graph_id, { from: "child" });
      await here.engine.idle();
      const done = await here.engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.children.length, state.firsts], ["done", 2, 2]);
    });

    it("are paused, resumed and cancelled with their parent", async () => {
      const { outer, state, held } = family();
      state.isHeld = true;
      const here = await bench({ graphs: [outer] }, url);
      const { snapshot } = await here.engine.start("outer", 1);
      const { graph_id: id } = snapshot;
      await here.clock.advance(0);
      const child = await childOf(here, id);
      const phases = (): Promise<(string | undefined)[]> =>
        Promise.all([id, child].map(async (one) => (await here.engine.snapshot(one))?.phase));
      await here.engine.pause(id, { by: "anna" });
      assert.deepEqual(await phases(), ["paused", "pausing"]);
      held.open();
      await here.engine.idle();
      assert.deepEqual(await phases(), ["paused", "paused"]);
      await here.engine.resume(id);
      await here.engine.idle();
      assert.deepEqual(await phases(), ["done", "done"]);
      const other = await here.engine.start("outer", 5, { delay: 0 });
      await here.engine.idle();
      assert.equal((await here.engine.snapshot(other.snapshot.graph_id))?.status, "done");
      const [last] = (await here.store.audit.list({ target: child, operation: "graph.pause" })).items;
      assert.deepEqual([last?.actor, last?.note], ["anna", `pause of its parent ${id}`]);
    });

    it("end with a cancelled parent, also one that failed before the process died", async () => {
      const { outer, state } = family();
      state.isHeld = true;
      const here = await bench({ graphs: [outer] }, url);
      const { snapshot } = await here.engine.start("outer", 1);
      const { graph_id: id } = snapshot;
      await here.clock.advance(0);
      const child = await childOf(here, id);
      const { children } = here.store.graphs;
      here.store.graphs.children = async () => [];
      await here.engine.cancel(id);
      here.store.graphs.children = children;
      assert.equal((await here.engine.snapshot(child))?.status, "running");
      await here.crash();
      await here.engine.idle();
      assert.deepEqual(
        [(await here.engine.snapshot(child))?.status, (await here.engine.snapshot(child))?.error?.reason],
        ["failed", "cancelled"],
      );
      const second = await here.engine.start("outer", 1);
      await here.clock.advance(0);
      await here.engine.cancel(second.snapshot.graph_id);
      await here.engine.idle();
      assert.equal(
        (await here.engine.snapshot(await childOf(here, second.snapshot.graph_id)))?.error?.reason,
        "cancelled",
      );
    });

    it("notify their parent and end their own children, even if the store fails as they end", async () => {
      const { outer, state } = family();
      state.isHeld = true;
      const top = graph("top", (g) => g.node("outer", outer, { input: () => 1 }));
      const here = await bench({ graphs: [top] }, url);
      const { snapshot } = await here.engine.start("top", null);
      await here.clock.advance(0);
      const middle = await childOf(here, snapshot.graph_id);
      const inner = await childOf(here, middle);
      const fault = failOnce(here, "cancel", inner);
      await here.engine.cancel(middle);
      await here.clock.advance(1);
      assert.deepEqual([(await here.engine.snapshot(snapshot.graph_id))?.status, fault.hasFailed], ["failed", true]);
      await here.clock.advance(2000);
      assert.equal((await here.engine.snapshot(inner))?.error?.reason, "cancelled");
    });

    it("end also if their parent failed while they were being started", async () => {
      const { inner, state, held } = family();
      state.isHeld = true;
      const going = gate();
      const fail = worker("fail", { retry: { max: 1 } }, async () => {
        await going.promise;
        throw new Error("broken beside");
      });
      const beside = graph("beside", (g) => {
        g.node("child", inner, { input: () => 1 });
        g.node("fail", fail);
      });
      const here = await bench({ graphs: [beside] }, url);
      const asked = gate();
      const start = here.engine.start.bind(here.engine);
      here.engine.start = async (given: unknown, input: unknown, options?: StartOptions) => {
        if (options?.parent) await asked.promise;
        return (await start(String(given), input as Json, options)) as StartedRun<never>;
      };
      const { snapshot } = await here.engine.start("beside", null);
      await here.clock.advance(0);
      going.open();
      await here.clock.advance(0);
      const failed = await here.engine.snapshot(snapshot.graph_id);
      assert.deepEqual([failed?.status, failed?.children], ["failed", []]);
      asked.open();
      await here.clock.advance(0);
      await here.engine.idle();
      const child = await here.engine.snapshot(await childOf(here, snapshot.graph_id));
      assert.deepEqual([child?.status, child?.error?.reason], ["failed", "cancelled"]);
      held.open();
    });

    it("are resumed before their parent, which stays paused if they can't be resumed", async () => {
      const { outer, state, held } = family();
      state.isHeld = true;
      const here = await bench({ graphs: [outer] }, url);
      const { snapshot } = await here.engine.start("outer", 1);
      const { graph_id: id } = snapshot;
      await here.clock.advance(0);
      await here.engine.pause(id, { grace: 0 });
      await here.pass(1);
      failOnce(here, "resume", await childOf(here, id));
      await assert.rejects(here.engine.resume(id), /the disk is unavailable/);
      assert.equal((await here.engine.snapshot(id))?.phase, "paused");
      held.open();
      await here.engine.resume(id);
      await here.engine.idle();
      assert.deepEqual((await here.engine.snapshot(id))?.result, { got: 20 });
    });

    it("that are still compensating when their parent is retried are retried after that", async () => {
      const compensating = gate();
      const state = { isHeld: true };
      const slow = worker("slow", { onCancel: () => compensating.promise }, async (_: unknown, ctx) => {
        if (state.isHeld) await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
        return 7;
      });
      const inner = graph("inner", (g) => g.node("slow", slow));
      const outer = graph("outer", (g) => g.node("child", inner, { input: () => null }));
      const here = await bench({ graphs: [outer] }, url);
      const { snapshot } = await here.engine.start("outer", null);
      const { graph_id: id } = snapshot;
      await here.clock.advance(0);
      const child = await childOf(here, id);
      await here.engine.cancel(id);
      await here.clock.advance(0);
      state.isHeld = false;
      await here.engine.retry(id);
      await here.clock.advance(0);
      const phases = [(await here.engine.snapshot(id))?.phase, (await here.engine.snapshot(child))?.phase];
      assert.deepEqual(phases, ["running", "cancelling"]);
      compensating.open();
      await here.engine.idle();
      const done = await here.engine.snapshot(id);
      assert.deepEqual([done?.status, done?.result, done?.children.length], ["done", 7, 1], done?.error?.message);
      assert.equal((await here.engine.snapshot(child))?.epoch, 2);
    });

    it("can be called by a worker", async () => {
      const { inner } = family();
      const caller = worker("caller", async (n: number, ctx): Promise<number> =>
        ctx.call("inside", asWorker(inner), n),
      );
      const here = await bench({ workers: [caller], graphs: [inner] }, url);
      const { snapshot } = await here.engine.start("caller", 4);
      await here.engine.idle();
      const done = await here.engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.result, done?.children.length], ["done", 50, 1]);
    });

    it("need a unique name", async () => {
      const { outer } = family();
      const other = graph("inner", (g) =>
        g.node(
          "only",
          worker("only", () => 1),
        ),
      );
      await assert.rejects(
        bench({ graphs: [outer, other] }, url),
        (error: unknown) => error instanceof SvcError && /are named "inner"/.test(error.message),
      );
    });
  });
}
