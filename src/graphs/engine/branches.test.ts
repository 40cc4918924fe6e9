import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import { openStore } from "../../storage/open-store.ts";
import type { GraphBuilder } from "../definition/builder-types.ts";
import { graph, worker } from "../definition/definition.ts";
import { createEngine } from "./engine.ts";
import { FinalError } from "../definition/final-error.ts";
import type { Settled } from "../definition/context-types.ts";
import type { GraphDefinition, NodeRef } from "../definition/definition-types.ts";
import type { Snapshot } from "../machine/view-types.ts";

/** Runs a graph to its end on a store in memory. */
async function run(definition: GraphDefinition, input: Json = null): Promise<Snapshot> {
  const store = await openStore("memory:");
  const engine = createEngine({
    store,
    graphs: [definition],
    clock: new SimulatedClock(),
    random: () => 1,
  });
  const { snapshot } = await engine.start(definition.name, input);
  await engine.idle();
  const end = await engine.snapshot(snapshot.graph_id);
  await engine.close();
  await store.close();
  assert.ok(end);
  return end;
}

const statuses = ({ nodes }: Snapshot): Record<string, string> =>
  Object.fromEntries(nodes.map(({ id, status }) => [id, status]));

const give = worker("give", (input: unknown) => input);
const names = worker("names", (_input: unknown, ctx) => Object.entries(ctx.deps).map(([name, value]) => [name, value]));
const refuse = worker("refuse", () => {
  throw new FinalError("no");
});

/** Calls without type checks. */
async function failureOf(what: {
  items?: () => unknown;
  when?: () => unknown;
  input?: () => unknown;
}): Promise<string> {
  const { items, when, input } = what;
  const definition = graph("odd", (g) => {
    const first = g.node("first", give);
    if (items) g.map("next", give, first, items as () => []);
    else g.node("next", give, { after: [first], ...({ ...(when && { when }), ...(input && { input }) } as object) });
  });
  const end = await run(definition, null);
  assert.equal(end.status, "failed");
  return end.error?.message ?? "";
}

describe("functions of a definition", () => {
  it("fail the run with an error if they return a promise or a value that can't be stored", async () => {
    assert.match(
      await failureOf({ items: () => "abc" }),
      /items of "next" can't be computed: .* returned a text; return an array/,
    );
    assert.match(await failureOf({ items: () => undefined }), /returned undefined; return an array/);
    assert.match(await failureOf({ items: async () => [] }), /returned a promise; return an array/);
    assert.match(await failureOf({ items: () => [1, { a: Number.NaN }] }), /item 1.a is NaN, which JSON can't carry/);
    assert.match(await failureOf({ items: () => [new Date(0)] }), /item 0 is a Date, which JSON can't carry/);
    assert.match(await failureOf({ when: async () => false }), /The "when" of "next" failed: .* returned a promise/);
    assert.match(
      await failureOf({ input: () => new Date(0) }),
      /The input of "next" can't be computed: it is a Date, which/,
    );
    assert.match(await failureOf({ input: () => [Number.NaN] }), /can't be computed: it\[0\] is NaN, which/);
    assert.match(await failureOf({ input: async () => 1 }), /can't be computed: it is a Promise, which/);
  });
});

describe("branches", () => {
  const byAmount = graph<{ amount: number }, unknown>("by-amount", (g) => {
    const order = g.node("order", give);
    const isLarge = (_input: unknown, deps: { order: unknown }): boolean =>
      (deps.order as { amount: number }).amount > 99;
    const approve = g.node("approve", give, { after: [order], when: isLarge, input: () => "approved" });
    const file = g.node("file", give, { after: [approve], input: () => "filed" });
    const skip = g.node("at-once", give, {
      after: [order],
      when: (...all) => !isLarge(...all),
      input: () => "at once",
    });
    return g.node("pay", names, { after: [file, skip] });
  });

  it("follow `when`: nodes of the other branch alone are skipped, and a node that joins both continues", async () => {
    const large = await run(byAmount, { amount: 100 });
    assert.deepEqual(statuses(large), {
      order: "done",
      approve: "done",
      file: "done",
      "at-once": "skipped",
      pay: "done",
    });
    assert.deepEqual(large.result, [
      ["file", "filed"],
      ["at-once", null],
    ]);
    const small = await run(byAmount, { amount: 5 });
    assert.deepEqual(statuses(small), {
      order: "done",
      approve: "skipped",
      file: "skipped",
      "at-once": "done",
      pay: "done",
    });
    assert.deepEqual(small.result, [
      ["file", null],
      ["at-once", "at once"],
    ]);
  });

  it("may skip a whole fan-out, and the run is done when only skipped nodes are left", async () => {
    const snapshot = await run(
      graph("none", (g) => {
        const list = g.node("list", give, { when: () => false });
        const items = g.map("items", give, list, () => [1]);
        g.node("last", give, { after: [items] });
      }),
    );
    assert.deepEqual([snapshot.status, snapshot.result], ["done", { last: null }]);
    assert.deepEqual(statuses(snapshot), { list: "skipped", last: "skipped", items: "skipped" });
  });

  it("fail the run with an error if `when` throws", async () => {
    const when = (): boolean => {
      throw new Error("no idea");
    };
    const snapshot = await run(graph("unsure", (g) => g.node("a", give, { when })));
    assert.deepEqual(snapshot.error, {
      message: `The "when" of "a" failed: no idea`,
      reason: "error",
      node: "a",
    });
  });
});

describe("a node that may fail", () => {
  it("fails while the run continues without its result, and skips the nodes that need only it", async () => {
    const snapshot = await run(
      graph("may-fail", (g) => {
        const extra = g.node("extra", refuse, { onError: "continue" });
        const more = g.node("more", give, { after: [extra] });
        const main = g.node("main", give, { input: () => 1 });
        return g.node("last", names, { after: [main, extra, more] });
      }),
    );
    assert.deepEqual(statuses(snapshot), { extra: "failed", more: "skipped", main: "done", last: "done" });
    assert.deepEqual(
      [snapshot.status, snapshot.result],
      [
        "done",
        [
          ["main", 1],
          ["extra", null],
          ["more", null],
        ],
      ],
    );
    assert.equal(snapshot.nodes.find(({ id }) => id === "extra")?.error?.message, "no");
  });

  it("follows its own retry policy instead of its worker's", async () => {
    let calls = 0;
    const often = worker("often", { retry: { max: 9 } }, () => {
      calls++;
      throw new Error("again");
    });
    await run(graph("once", (g) => g.node("a", often, { retry: { max: 1 } })));
    assert.equal(calls, 1);
  });
});

describe("a fan-out that collects failures", () => {
  it("reports the outcome of each item in item order", async () => {
    const odd = worker("odd", (n: number) => {
      if (n % 2 === 0) throw new FinalError(`${n} is even`);
      return n;
    });
    const settled = graph<unknown, Settled<number>[]>("settled", (g) => {
      const list = g.node("list", give, { input: () => [1, 2, 3] });
      return g.map("odd", odd, list as NodeRef<number[]>, (all) => all, { onError: "collect" });
    });
    const { status, result } = await run(settled);
    assert.equal(status, "done");
    assert.deepEqual(result, [
      { ok: true, value: 1 },
      { ok: false, error: { message: "2 is even", reason: "error" } },
      { ok: true, value: 3 },
    ]);
  });
});

describe("a fan-out over an empty list", () => {
  it("ends at once in each epoch, also if a retry arrives in the same turn as a cancel", async () => {
    const store = await openStore("memory:");
    let isHeld = true;
    const hold = worker("hold", () => (isHeld ? new Promise(() => undefined) : "let go"));
    const empty = graph("empty", (g) => {
      const list = g.node("list", give, { input: () => [] });
      const items = g.map("items", give, list, () => []);
      return g.node("last", hold, { after: [items] });
    });
    const engine = createEngine({ store, graphs: [empty], clock: new SimulatedClock(), random: () => 1 });
    const { snapshot } = await engine.start("empty", null);
    const id = snapshot.graph_id;
    const isRunning = async (): Promise<boolean> =>
      statuses((await engine.snapshot(id)) as Snapshot)["last"] === "running";
    while (!(await isRunning())) await new Promise(setImmediate);
    isHeld = false;
    await Promise.all([engine.cancel(id), engine.retry(id)]);
    await engine.idle();
    assert.deepEqual([(await engine.snapshot(id))?.status, (await engine.snapshot(id))?.result], ["done", "let go"]);
    await engine.close();
    await store.close();
  });
});

describe("a fan-out with its own limit", () => {
  it("never runs more items at once than the limit, whatever the limit of their worker, and ends", async () => {
    let now = 0;
    let most = 0;
    const slow = worker("slow", { concurrency: 16 }, async (n: number) => {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now--;
      return n;
    });
    const limited = graph("limited", (g) => {
      const list = g.node("list", give, { input: () => Array.from({ length: 20 }, (_, at) => at) });
      return g.map("slow", slow, list as NodeRef<number[]>, (all) => all, { concurrency: 3 });
    });
    const { result, nodes } = await run(limited);
    assert.deepEqual([most, (result as number[]).length, nodes.length], [3, 20, 21]);
  });

  it("keeps the limit after a crash, and in the epoch after a failure", async () => {
    const store = await openStore("memory:");
    let isBroken = true;
    const begun: number[] = [];
    const item = worker("item", { retry: { max: 1 } }, async (n: number, ctx) => {
      begun.push(n);
      if (isBroken) await new Promise(() => undefined);
      if (n === 3 && ctx.epoch === 1) throw new Error("not yet");
      return n;
    });
    const limited = graph("limited", (g) => {
      const list = g.node("list", give, { input: () => [0, 1, 2, 3, 4, 5] });
      const never = g.node("never", give, { after: [list], when: () => false });
      const items = g.map("item", item, list as NodeRef<number[]>, (all) => all, { concurrency: 2 });
      return g.node("last", names, { after: [items, never] });
    });
    const life = () => createEngine({ store, graphs: [limited], clock: new SimulatedClock(), random: () => 1 });
    const { snapshot } = await life().start("limited", null);
    const id = snapshot.graph_id;
    while (begun.length < 2) await new Promise(setImmediate);
    isBroken = false;
    const second = life();
    await second.recover();
    await second.idle();
    assert.deepEqual([(await second.snapshot(id))?.status, begun], ["failed", [0, 1, 0, 1, 2, 3]]);
    await second.retry(id);
    await second.idle();
    const end = await second.snapshot(id);
    assert.deepEqual(
      [end?.status, end?.result],
      [
        "done",
        [
          ["item", [0, 1, 2, 3, 4, 5]],
          ["never", null],
        ],
      ],
    );
    assert.deepEqual(new Set(begun.slice(6)), new Set([3, 4, 5]));
  });

  it("is rejected if the limit is not a number of items", () => {
    assert.throws(() => graph("bad", (g) => void g.map("m", give, g.node("a", give), () => [], { concurrency: 0 })), {
      code: "SVC_DEFINITION",
      message: /The node "m" of graph "bad" has concurrency 0; use a whole number from 1/,
    });
  });
});

/** A node of a random graph: its predecessors and its outcome. */
interface Plan {
  after: number[];
  isWanted: boolean;
  mayFail: boolean;
  /** Whether a single node fails. */
  fails: boolean;
  /** For a fan-out over its first predecessor: which of its items fail. */
  items: boolean[] | undefined;
}

const plans = fc.array(
  fc.record({
    after: fc.uniqueArray(fc.nat(9), { maxLength: 3 }),
    isWanted: fc.boolean(),
    mayFail: fc.boolean(),
    fails: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    items: fc.option(
      fc.array(
        fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
        { maxLength: 4 },
      ),
      { nil: undefined },
    ),
  }),
  { minLength: 1, maxLength: 9 },
);

const isFanOut = ({ after, items }: Plan): boolean => items !== undefined && after.length > 0;

/** The expected statuses by the rules; undefined if the run fails. */
function expected(all: readonly Plan[]): Record<string, string> | undefined {
  const ends: string[] = [];
  const reported: Record<string, string> = {};
  for (const [at, plan] of all.entries()) {
    const needed = isFanOut(plan) ? plan.after.slice(0, 1) : plan.after;
    const isReached = needed.length === 0 || needed.some((other) => ends[other] === "done");
    const isRun = isReached && (plan.isWanted || isFanOut(plan));
    const failures = isFanOut(plan) ? (plan.items ?? []) : [plan.fails];
    if (isRun && failures.includes(true) && !plan.mayFail) return undefined;
    ends[at] = !isRun ? "skipped" : !isFanOut(plan) && plan.fails ? "failed" : "done";
    if (!isRun || !isFanOut(plan)) reported[`n${at}`] = ends[at] ?? "";
    else failures.forEach((fails, item) => (reported[`n${at}/${item}`] = fails ? "failed" : "done"));
  }
  return reported;
}

function build(g: GraphBuilder, all: readonly Plan[]): void {
  const refs: NodeRef[] = [];
  const settle = worker("settle", (fails: boolean) => {
    if (fails) throw new FinalError("as planned");
    return 1;
  });
  for (const [at, plan] of all.entries()) {
    const after = plan.after.map((other) => refs[other] as NodeRef);
    const [from, ...others] = after;
    if (from && plan.items) {
      const { items, mayFail } = plan;
      refs.push(
        g.map(`n${at}`, settle, from, () => items, {
          after: others,
          onError: mayFail ? "collect" : "fail",
          concurrency: 2,
        }),
      );
    } else {
      const { isWanted, fails, mayFail } = plan;
      refs.push(
        g.node(`n${at}`, settle, {
          after,
          when: () => isWanted,
          input: () => fails,
          onError: mayFail ? "continue" : "fail",
        }),
      );
    }
  }
}

describe("random graphs", () => {
  it("end as their rules require, with each node done, failed or skipped", async () => {
    const shape = plans.map((all) =>
      all.map((plan, at) => ({ ...plan, after: plan.after.filter((other) => other < at) })),
    );
    await fc.assert(
      fc.asyncProperty(shape, async (all) => {
        const snapshot = await run(graph("any", (g) => build(g, all)));
        const end = expected(all);
        assert.equal(snapshot.status, end ? "done" : "failed");
        if (end) assert.deepEqual(statuses(snapshot), end);
      }),
      { numRuns: 500 },
    );
  });
});
