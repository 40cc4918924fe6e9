import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Store } from "../../storage/contract/contract.ts";
import { openStore } from "../../storage/open-store.ts";
import { graph, worker } from "../definition/definition.ts";
import { bench, gate, type Bench, STORES, typesOf, webhooksOf, nodesOf } from "./engine.testkit.ts";
import { FinalError } from "../definition/final-error.ts";
import type { GraphDefinition, NodeRef } from "../definition/definition-types.ts";
import type { Snapshot } from "../machine/view-types.ts";
import type { WorkerOptions } from "../definition/worker-types.ts";

const statuses = (snapshot: Snapshot | undefined): Record<string, string> =>
  Object.fromEntries((snapshot?.nodes ?? []).map((node) => [node.id, node.status]));

/** book -> pay -> ship. The last node fails or hangs. Each reports its execution and its compensation. */
function trip(options: {
  last: () => unknown;
  undo?: Partial<Record<string, () => unknown>>;
  retry?: WorkerOptions["retry"];
}) {
  const calls: string[] = [];
  const step = (name: string, run: () => unknown = () => `${name}ed`) =>
    worker(
      name,
      {
        retry: { max: 2, base: "1s", jitter: false, ...options.retry },
        compensate: (ctx, result) => {
          calls.push(`undo ${name} ${String(result)} ${ctx.attempt} ${ctx.failure.reason}`);
          return options.undo?.[name]?.();
        },
        onCancel: (ctx) => {
          calls.push(`stop ${name} ${JSON.stringify(ctx.input)}`);
          return options.undo?.[`stop ${name}`]?.();
        },
      },
      run,
    );
  const definition = graph("trip", (g) => {
    const book = g.node("book", step("book"));
    const pay = g.node("pay", step("pay"), { after: [book] });
    return g.node("ship", step("ship", options.last), { after: [pay] });
  });
  return { definition, calls };
}

const fails = () => {
  throw new FinalError("no ship");
};
const hangs = () => new Promise(() => undefined);

for (const url of STORES) {
  describe(`a run with compensations, on ${url}`, () => {
    it("compensates its done nodes, the last one first, then fails and sends one webhook", async () => {
      const { definition, calls } = trip({ last: fails });
      const { engine, store, pass } = await bench({ graphs: [definition] }, url);
      const { snapshot } = await engine.start("trip", null);
      await pass(0);
      assert.deepEqual(calls, ["undo pay payed 1 error", "undo book booked 1 error"]);
      const done = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.phase, done?.error?.message], ["failed", "failed", "no ship"]);
      assert.deepEqual(statuses(done), { book: "compensated", pay: "compensated", ship: "failed" });
      assert.deepEqual(typesOf(await store.graphs.events(snapshot.graph_id, 0)).slice(-8), [
        "node.started ship",
        "node.failed ship",
        "node.compensating pay",
        "graph.cancelling ship",
        "node.compensated pay",
        "node.compensating book",
        "node.compensated book",
        "graph.failed ship",
      ]);
      assert.deepEqual(await webhooksOf(store, snapshot.graph_id), ["graph.failed"]);
      await store.close();
    });

    it("does not compensate nodes that a fork inherited from its source", async () => {
      let seats = 1;
      const last = () => (seats-- > 0 ? "shipped" : fails());
      const { definition, calls } = trip({ last });
      const { engine, store, pass } = await bench({ graphs: [definition] }, url);
      const { snapshot } = await engine.start("trip", null);
      await pass(0);
      const fork = await engine.fork(snapshot.graph_id, { from: "pay" });
      await pass(0);
      assert.deepEqual(calls, ["undo pay payed 1 error"]);
      const undone = await engine.snapshot(fork.graph_id);
      assert.deepEqual(statuses(undone), { book: "done", pay: "compensated", ship: "failed" });
      const again = await engine.fork(fork.graph_id, { from: "ship" });
      await pass(0);
      const [, second] = calls;
      assert.deepEqual([calls.length, second], [2, "undo pay payed 1 error"]);
      assert.deepEqual(statuses(await engine.snapshot(again.graph_id)), statuses(undone));
      assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "done");
      await store.close();
    });

    it("compensates running nodes of a cancel first, and is cancelling until the end", async () => {
      const held = gate();
      const { definition, calls } = trip({ last: hangs, undo: { "stop ship": () => held.promise } });
      const { engine, store, clock, pass } = await bench({ graphs: [definition] }, url);
      const { snapshot } = await engine.start("trip", null);
      await clock.advance(0);
      const cancelled = await engine.cancel(snapshot.graph_id, { by: "ada" });
      assert.deepEqual(
        [cancelled.status, cancelled.phase, cancelled.error?.reason],
        ["running", "cancelling", "cancelled"],
      );
      await clock.advance(0);
      assert.deepEqual(calls, ['stop ship {"pay":"payed"}']);
      await assert.rejects(engine.cancel(snapshot.graph_id), {
        code: "SVC_TRANSITION",
        message: /is cancelling; cancel needs/,
      });
      await assert.rejects(engine.pause(snapshot.graph_id), { code: "SVC_TRANSITION" });
      held.open();
      await pass(0);
      assert.deepEqual(calls.slice(1), ["undo pay payed 1 cancelled", "undo book booked 1 cancelled"]);
      assert.deepEqual(statuses(await engine.snapshot(snapshot.graph_id)), {
        book: "compensated",
        pay: "compensated",
        ship: "cancelled",
      });
      assert.deepEqual(await webhooksOf(store, snapshot.graph_id), ["graph.failed"]);
      await store.close();
    });
  });
}

describe("a compensation that fails", () => {
  it("is retried by its worker's policy, then recorded, and the rest continues", async () => {
    const undo = { pay: () => assert.fail("no refund") };
    const { definition, calls } = trip({ last: fails, undo });
    const { engine, store, clock, pass } = await bench({ graphs: [definition] }, "memory:");
    const { snapshot } = await engine.start("trip", null);
    await pass(0);
    assert.equal((await engine.snapshot(snapshot.graph_id))?.phase, "cancelling");
    await clock.advance(999);
    assert.deepEqual(calls, ["undo pay payed 1 error"]);
    await pass(1);
    assert.deepEqual(calls.slice(1), ["undo pay payed 2 error", "undo book booked 1 error"]);
    const end = await engine.snapshot(snapshot.graph_id);
    assert.deepEqual(statuses(end), { book: "compensated", pay: "uncompensated", ship: "failed" });
    assert.equal(end?.nodes.find((node) => node.id === "pay")?.error?.message, "no refund");
    const reported = (await store.graphs.events(snapshot.graph_id, 0)).find(
      (event) => event.type === "node.uncompensated",
    );
    assert.deepEqual(reported?.data, { message: "no refund", reason: "error", node: "pay" });
  });

  it("ends with the compensation timeout of the run", async () => {
    const { definition, calls } = trip({ last: fails, undo: { pay: hangs } });
    const { engine, pass, clock } = await bench({ graphs: [definition] }, "memory:");
    const { snapshot } = await engine.start("trip", null);
    await clock.advance(5 * 60_000 - 1);
    assert.equal((await engine.snapshot(snapshot.graph_id))?.phase, "cancelling");
    await pass(1);
    const end = await engine.snapshot(snapshot.graph_id);
    assert.deepEqual([end?.phase, calls.length], ["failed", 1]);
    assert.deepEqual(statuses(end), { book: "uncompensated", pay: "uncompensated", ship: "failed" });
    assert.match(end?.nodes.find((node) => node.id === "pay")?.error?.message ?? "", /Not compensated within 5m/);
  });

  it("is given up after it has crashed the process three times", async () => {
    const { definition, calls } = trip({ last: fails, undo: { pay: hangs } });
    const it = await bench({ graphs: [definition] }, "memory:");
    const { snapshot } = await it.engine.start("trip", null);
    for (let crash = 0; crash < 3; crash++) {
      await it.clock.advance(0);
      await it.crash();
    }
    await it.pass(0);
    const end = await it.engine.snapshot(snapshot.graph_id);
    assert.deepEqual(statuses(end), { book: "compensated", pay: "uncompensated", ship: "failed" });
    assert.equal(calls.filter((call) => call.startsWith("undo pay")).length, 3);
  });

  it("is not given up for any number of stops of the process during the call", async () => {
    const held = gate();
    const { definition, calls } = trip({ last: fails, undo: { pay: () => held.promise } });
    const it = await bench({ graphs: [definition] }, "memory:");
    const { snapshot } = await it.engine.start("trip", null);
    await it.clock.advance(0);
    for (let stop = 0; stop < 4; stop++) {
      await it.restart();
      await it.clock.advance(0);
    }
    held.open();
    await it.pass(0);
    const end = await it.engine.snapshot(snapshot.graph_id);
    assert.deepEqual(statuses(end), { book: "compensated", pay: "compensated", ship: "failed" });
    assert.deepEqual(calls.slice(0, 5), Array(5).fill("undo pay payed 1 error"));
  });

  it("is not given up for any number of stops and crashes of the process between its tries", async () => {
    let tries = 0;
    const undo = { pay: () => ++tries > 1 || assert.fail("not yet") };
    const { definition } = trip({ last: fails, undo });
    const it = await bench({ graphs: [definition] }, "memory:");
    const { snapshot } = await it.engine.start("trip", null);
    await it.pass(0);
    for (let stop = 0; stop < 3; stop++) {
      await it.restart();
      await it.crash();
      await it.pass(100);
    }
    assert.equal(tries, 1);
    await it.pass(700);
    const end = await it.engine.snapshot(snapshot.graph_id);
    assert.deepEqual(statuses(end), { book: "compensated", pay: "compensated", ship: "failed" });
  });
});

describe("a cancel of a run whose node was interrupted", () => {
  it("compensates the node after a pause with grace or a stop of the process, and in the next epoch only after it has started again", async () => {
    const { definition, calls } = trip({ last: hangs });
    const it = await bench({ graphs: [definition] }, "memory:");
    const begin = async (): Promise<string> => {
      const { snapshot } = await it.engine.start("trip", null);
      await it.clock.advance(0);
      return snapshot.graph_id;
    };
    const paused = await begin();
    await it.engine.pause(paused, { grace: 1000 });
    await it.pass(1000);
    assert.equal((await it.engine.snapshot(paused))?.phase, "paused");
    await it.engine.cancel(paused);
    await it.pass(0);
    assert.deepEqual(calls.splice(0, 1), ['stop ship {"pay":"payed"}']);
    assert.equal(statuses(await it.engine.snapshot(paused))["ship"], "cancelled");
    calls.length = 0;
    const stopped = await begin();
    await it.engine.queues.pause("ship");
    await it.restart();
    await it.engine.cancel(stopped);
    await it.pass(0);
    assert.deepEqual(calls.splice(0), [
      'stop ship {"pay":"payed"}',
      "undo pay payed 1 cancelled",
      "undo book booked 1 cancelled",
    ]);
    await it.engine.retry(stopped);
    await it.pass(0);
    await it.engine.cancel(stopped);
    await it.pass(0);
    assert.deepEqual(calls, ["undo pay payed 1 cancelled", "undo book booked 1 cancelled"]);
  });
});

describe("a retry of a run that was compensated", () => {
  it("runs the compensated nodes again", async () => {
    let ships = 0;
    const { definition, calls } = trip({ last: () => (++ships === 1 ? fails() : "shipped") });
    const { engine, pass } = await bench({ graphs: [definition] }, "memory:");
    const { snapshot } = await engine.start("trip", null);
    await pass(0);
    await engine.retry(snapshot.graph_id);
    await pass(0);
    const end = await engine.snapshot(snapshot.graph_id);
    assert.deepEqual([end?.status, end?.result, calls.length], ["done", "shipped", 2]);
    assert.deepEqual(statuses(end), { book: "done", pay: "done", ship: "done" });
  });
});

describe("the timeout of a run", () => {
  const slow = (ms: number, clock: { schedule: (ms: number, run: () => void) => unknown }) => () =>
    new Promise((resolve) => clock.schedule(ms, () => resolve("late")));

  it("fails the run and aborts its attempts", async () => {
    let reason: unknown;
    const waits = worker("waits", (_input: unknown, ctx) => {
      ctx.signal.addEventListener("abort", () => (reason = ctx.signal.reason));
      return hangs();
    });
    const limited = graph("limited", (g) => g.node("waits", waits), { timeout: "1h" });
    const { engine, store, clock, pass } = await bench({ graphs: [limited] }, "memory:");
    const { snapshot } = await engine.start("limited", null);
    await clock.advance(3_599_999);
    assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "running");
    await pass(1);
    const end = await engine.snapshot(snapshot.graph_id);
    assert.deepEqual([end?.status, end?.error], ["failed", { message: "Not finished within 1h", reason: "timeout" }]);
    assert.match((reason as Error).message, /exceeded its timeout/);
    assert.deepEqual(await webhooksOf(store, snapshot.graph_id), ["graph.failed"]);
  });

  it("continues over a crash, but not during a pause", async () => {
    const limited = graph(
      "limited",
      (g) =>
        g.node("b", worker("b", hangs), {
          after: [
            g.node(
              "a",
              worker("a", () => 1),
            ),
          ],
        }),
      {
        timeout: "1h",
      },
    );
    const it = await bench({ graphs: [limited], concurrency: 1 }, "memory:");
    const { snapshot } = await it.engine.start("limited", null);
    const phase = async () => (await it.engine.snapshot(snapshot.graph_id))?.phase;
    await it.clock.advance(1_800_000);
    await it.crash();
    await it.clock.advance(1_799_999);
    assert.equal(await phase(), "running");
    await it.pass(1);
    assert.equal(await phase(), "failed");
  });

  it("does not count the time of a pause", async () => {
    let clock: Parameters<typeof slow>[1] | undefined;
    const steps = graph(
      "steps",
      (g) => {
        const run = () => slow(1_000, clock as never)();
        const first = g.node("first", worker("first", run));
        return g.node("second", worker("second", hangs), { after: [first] });
      },
      { timeout: "10s" },
    );
    const it = await bench({ graphs: [steps] }, "memory:");
    clock = it.clock;
    const { snapshot } = await it.engine.start("steps", null);
    const id = snapshot.graph_id;
    await it.clock.advance(0);
    await it.engine.pause(id);
    await it.clock.advance(1_000);
    assert.equal((await it.engine.snapshot(id))?.phase, "paused");
    await it.clock.advance(3_600_000);
    await it.engine.resume(id);
    await it.clock.advance(8_999);
    assert.equal((await it.engine.snapshot(id))?.phase, "running");
    await it.pass(1);
    assert.equal((await it.engine.snapshot(id))?.error?.reason, "timeout");
  });
});

describe("a run that drains", () => {
  it("lets running nodes end and keeps their results, starts none, and then fails", async () => {
    const [held, other] = [gate<string>(), gate<string>()];
    const order: string[] = [];
    const definition = graph(
      "drains",
      (g) => {
        g.node("bad", worker("bad", fails));
        const good = g.node(
          "good",
          worker("good", () => held.promise),
        );
        g.node(
          "flaky",
          worker("flaky", { retry: { max: 9 } }, () => other.promise),
        );
        g.node(
          "after",
          worker("after", () => void order.push("after")),
          { after: [good] },
        );
      },
      { onError: "drain" },
    );
    const { engine, store, clock, pass } = await bench({ graphs: [definition] }, "memory:");
    const { snapshot } = await engine.start("drains", null);
    await clock.advance(0);
    assert.equal((await engine.snapshot(snapshot.graph_id))?.phase, "cancelling");
    held.open("kept");
    await clock.advance(0);
    assert.equal((await engine.snapshot(snapshot.graph_id))?.phase, "cancelling");
    other.open(Promise.reject(new Error("again")) as never);
    await pass(0);
    const end = await engine.snapshot(snapshot.graph_id);
    assert.deepEqual([end?.phase, end?.error?.message, order], ["failed", "no ship", []]);
    assert.deepEqual(statuses(end), { bad: "failed", good: "done", flaky: "failed", after: "pending" });
    assert.deepEqual(await webhooksOf(store, snapshot.graph_id), ["graph.failed"]);
  });

  it("compensates after a running worker stopped before its next step, and nobody keeps waiting for it", async () => {
    const [inStep, broken] = [gate(), gate()];
    const reported: string[] = [];
    const called = worker("called", { onCancel: () => void reported.push("called") }, async (_: null, ctx) => {
      await ctx.step("first", () => inStep.promise);
      await ctx.step("second", () => reported.push("second"));
    });
    const caller = worker("caller", { onCancel: () => void reported.push("caller") }, (_: null, ctx) =>
      ctx.call("call", called, null),
    );
    const bad = worker("bad", { retry: { max: 1 } }, () => broken.promise);
    const kept = worker("kept", { compensate: () => void reported.push("kept") }, () => 1);
    const definition = graph(
      "drains",
      (g) => {
        const first = g.node("kept", kept);
        g.node("caller", caller, { after: [first], input: () => null });
        g.node("bad", bad, { after: [first] });
      },
      { onError: "drain" },
    );
    const { engine, store, clock, pass } = await bench({ graphs: [definition] }, "memory:");
    const { snapshot } = await engine.start("drains", null);
    await clock.advance(0);
    broken.open(Promise.reject(new Error("no")) as never);
    await clock.advance(0);
    inStep.open();
    await pass(0);
    const end = await engine.snapshot(snapshot.graph_id);
    assert.equal(end?.phase, "failed");
    assert.deepEqual(reported, ["caller", "kept"]);
    const nodes = await nodesOf(store, snapshot.graph_id);
    assert.deepEqual(
      nodes.filter(({ status }) => status === "waiting" || status === "running").map(({ id }) => id),
      [],
    );
  });

  it("aborts its nodes if the process has died meanwhile", async () => {
    const definition = graph(
      "drains",
      (g) => void [g.node("bad", worker("bad", fails)), g.node("good", worker("good", hangs))],
      { onError: "drain" },
    );
    const it = await bench({ graphs: [definition] }, "memory:");
    const { snapshot } = await it.engine.start("drains", null);
    await it.clock.advance(0);
    await it.crash();
    await it.pass(0);
    assert.deepEqual(statuses(await it.engine.snapshot(snapshot.graph_id)), { bad: "failed", good: "cancelled" });
    assert.equal((await it.engine.snapshot(snapshot.graph_id))?.phase, "failed");
  });
});

/** A store whose process dies at the n-th commit: before it is written, or right after. */
function mortal(store: Store, commits: number, isWritten: boolean): { store: Store; died: Promise<void> } {
  const { promise: died, open: die } = gate();
  const never = new Promise<never>(() => undefined);
  let left = commits;
  const graphs = new Proxy(store.graphs, {
    get: (target, key) => {
      if (key === "commit")
        return async (transition: Parameters<Store["graphs"]["commit"]>[0]) => {
          if (--left < 0) return never;
          if (left > 0) return target.commit(transition);
          if (isWritten) await target.commit(transition);
          die();
          return never;
        };
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { store: { ...store, graphs, close: () => store.close() }, died };
}

describe("random graphs with compensations", () => {
  const shape = fc.record({
    nodes: fc.array(
      fc.record({
        after: fc.array(fc.nat(7), { maxLength: 2 }),
        isFan: fc.boolean(),
        canUndo: fc.boolean(),
        /** Number of compensations that fail; two are allowed. */
        failures: fc.constantFrom(0, 0, 1, 2),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    onError: fc.constantFrom("fail-fast" as const, "drain" as const),
  });

  it("compensate in the reverse order of completion, as often as the policy allows, after a crash at any commit", async () => {
    let crashes = 0;
    await fc.assert(
      fc.asyncProperty(shape, fc.boolean(), async ({ nodes, onError }, isWritten) => {
        for (let dieAt = 1; ; dieAt += 2) {
          const outcome = await undoneWith(nodes, onError, dieAt, isWritten);
          if (!outcome) break;
          crashes++;
        }
      }),
      { numRuns: 6, seed: 20261121 },
    );
    assert.ok(crashes > 20, `${crashes} crashes`);
  });

  /** The run may not be over when nothing runs: a retry waits for its time. */
  async function untilFailed({ engine, pass }: Bench): Promise<void> {
    for (let at = 0; at < 100 && (await engine.list({ status: "failed" })).total === 0; at++) await pass(1_000);
  }

  interface Planned {
    after: number[];
    isFan: boolean;
    canUndo: boolean;
    failures: number;
  }

  function defined(nodes: readonly Planned[], onError: "fail-fast" | "drain", undone: string[]): GraphDefinition {
    return graph(
      "shape",
      (g) => {
        const refs: NodeRef<never>[] = [];
        nodes.forEach(({ after, isFan, canUndo, failures }, at) => {
          const tries = new Map<string, number>();
          const undo: WorkerOptions = {
            retry: { max: 2, base: 1, jitter: false },
            compensate: (ctx) => {
              undone.push(ctx.nodeId);
              const tried = (tries.get(ctx.nodeId) ?? 0) + 1;
              tries.set(ctx.nodeId, tried);
              if (tried <= failures) throw new Error("not yet");
            },
          };
          const one = worker(`w${at}`, canUndo ? undo : {}, () => [1, 2]);
          const before = after.map((other) => refs[other % Math.max(1, at)]).filter((ref) => ref !== undefined);
          const [from] = before;
          refs.push(
            (isFan && from
              ? g.map(`n${at}`, one, from, () => [1, 2, 3], { after: before.slice(1) })
              : g.node(`n${at}`, one, { after: before })) as NodeRef<never>,
          );
        });
        g.node("bad", worker("bad", fails), { after: refs });
      },
      { onError },
    );
  }

  /** @returns whether the process died during the run. */
  async function undoneWith(
    nodes: readonly Planned[],
    onError: "fail-fast" | "drain",
    dieAt: number,
    isWritten: boolean,
  ) {
    const store = await openStore("memory:");
    const undone: string[] = [];
    const definition = defined(nodes, onError, undone);
    const { store: dying, died } = mortal(store, dieAt, isWritten);
    const first = await bench({ graphs: [definition], store: dying }, "memory:");
    const ended = first.engine.start("shape", null).then(() => untilFailed(first));
    const hasDied = await Promise.race([died.then(() => true), ended.then(() => false)]);
    const before = undone.length;
    const id = (await store.graphs.list({})).items[0]?.id;
    if (hasDied && id !== undefined) {
      const second = await bench({ graphs: [definition], store }, "memory:");
      await second.engine.recover();
      await untilFailed(second);
    }
    if (id === undefined) return hasDied;
    const events = await store.graphs.events(id, 0);
    const done = events.filter((event) => event.type === "node.done").map((event) => event.node as string);
    const rows = new Map((await nodesOf(store, id)).map((row) => [row.id, row.status]));
    const planned = (nodeId: string): Planned => nodes[Number(/^n(\d+)/.exec(nodeId)?.[1])] as Planned;
    const toUndo = done.filter((nodeId) => planned(nodeId).canUndo).reverse();
    const readiness = events.filter((event) => event.type === "node.compensating").map((event) => event.node);
    assert.deepEqual(readiness, toUndo);
    assert.deepEqual([...new Set(undone.slice(0, before))], toUndo.slice(0, new Set(undone.slice(0, before)).size));
    for (const nodeId of toUndo) {
      const { failures } = planned(nodeId);
      const calls = undone.filter((other) => other === nodeId).length;
      const wanted = Math.min(failures + 1, 2);
      assert.ok(calls >= wanted && calls <= wanted + (hasDied ? 1 : 0), `${calls} calls of ${nodeId}`);
      if (!hasDied) assert.equal(rows.get(nodeId), failures === 2 ? "uncompensated" : "compensated");
      else assert.match(rows.get(nodeId) ?? "", /^(un)?compensated$/);
    }
    assert.equal((await store.graphs.graph(id))?.phase, "failed");
    assert.deepEqual(await webhooksOf(store, id), ["graph.failed"]);
    return hasDied;
  }
});
