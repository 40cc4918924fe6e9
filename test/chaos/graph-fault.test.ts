/**
 * A store that fails once, at each of its calls in turn: what was acknowledged is stored, what was not stored is not built
 * upon, and the engine goes on.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  createEngine,
  graph,
  openStore,
  SimulatedClock,
  worker,
  type Engine,
  type Json,
  type LifecycleEvent,
  type Store,
  type WorkerContext,
} from "svckit/graph";
import { checkJournal } from "./graph-journal.ts";

/** More than any of the stories below makes. */
const MANY_CALLS = 500;
/** What fails: a commit is not made, or it is and nobody can tell; a read throws, or the rows of a webhook can't be made. */
type Fault = "commit" | "answer" | "read" | "outbox";

interface Bench {
  store: Store;
  engine: Engine;
  clock: SimulatedClock;
  calls(): number;
  /** Results that workers have returned, by graph and node. */
  returned: Map<string, Set<string>>;
}

/** A store whose calls of this kind fail when it is due. */
function faulty(store: Store, fault: Fault, isDue: () => boolean): Store {
  if (fault === "outbox") return store;
  const graphs = new Proxy(store.graphs, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      const method = value.bind(target) as (...given: unknown[]) => unknown;
      // Whoever follows a graph is told of the fault by its own call.
      if (key === "onEvents" || (key === "commit") !== (fault === "commit" || fault === "answer")) return method;
      return (...given: unknown[]): unknown => {
        if (!isDue()) return method(...given);
        const error = new Error("the disk is full");
        if (fault === "answer") return (method(...given) as Promise<unknown>).then(() => Promise.reject(error));
        // Later, as a disk does: units made in the meantime are under way by then.
        if (key === "commit") return new Promise((_, reject) => setImmediate(() => reject(error)));
        throw error;
      };
    },
  });
  return { ...store, graphs };
}

async function benchOf(fault: Fault, at: number): Promise<Bench> {
  const store = await openStore("memory:");
  let calls = 0;
  const isDue = (): boolean => ++calls === at;
  const clock = new SimulatedClock();
  const returned: Bench["returned"] = new Map();
  const reported = (ctx: WorkerContext, result: Json): Json => {
    const key = `${ctx.graphId} ${ctx.nodeId}`;
    returned.set(key, (returned.get(key) ?? new Set()).add(JSON.stringify(result)));
    return result;
  };
  // Each call answers something else, so that a result which was never stored is known when it is seen.
  let call = 0;
  // No more places than are needed: one that is not given back would be missed.
  const draw = worker("draw", { concurrency: 1 }, async (_input: unknown, ctx) => {
    await sleep(clock, 200);
    return reported(ctx, [++call, ++call, ++call]);
  });
  const flaky = worker("flaky", { retry: { max: 5, base: "1s" }, concurrency: 3 }, async (n: number, ctx) => {
    // In the second epoch all are done within one turn.
    if (ctx.attempt === 1 && ctx.epoch === 1) throw new Error("no luck");
    ctx.log("info", `on ${n}`);
    ctx.progress(0.5);
    return reported(ctx, n * 1000 + ++call);
  });
  const keep = worker("keep", { concurrency: 1 }, (_input: unknown, ctx) =>
    reported(ctx, [...(ctx.deps["flaky"] as Json[])]),
  );
  const inner = graph("inner", (g) =>
    g.node(
      "alone",
      worker("alone", { concurrency: 1 }, () => sleep(clock, 300).then(() => null)),
    ),
  );
  const story = graph("story", (g) => {
    const drawn = g.node("draw", draw);
    g.node("inside", inner, { after: [drawn] });
    const items = g.map("flaky", flaky, drawn, (all) => all as number[]);
    return g.node("keep", keep, { after: [items] });
  });
  let deliveries = 0;
  const outboxRow = ({ graphId, event, epoch, pauseNo }: LifecycleEvent) => ({
    id: `msg_${++deliveries}`,
    registrationId: "wh_1",
    graphId,
    event,
    epoch,
    pauseNo,
    body: "",
    createdMs: 0,
    dueMs: 0,
  });
  const engine = createEngine({
    store: faulty(store, fault, isDue),
    graphs: [story],
    clock,
    outboxRows: (event) => {
      if (fault === "outbox" && isDue()) throw new Error("no room for a row");
      return [outboxRow(event)];
    },
    random: () => 1,
  });
  return { store, engine, clock, calls: () => calls, returned };
}

function sleep(clock: SimulatedClock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.schedule(ms, resolve));
}

/** What an operator gets to hear: the status he was told, or undefined when his call failed. */
async function ask(clock: SimulatedClock, call: Promise<{ phase: string }>): Promise<string | undefined> {
  const reported = call.then(
    ({ phase }) => phase,
    () => undefined,
  );
  await clock.advance(0);
  return reported;
}

/** Starts, pauses, resumes, perhaps cancels and retries; each may fail, and what is said to be done must be done. */
async function live({ engine, store, clock }: Bench, isCancelled: boolean): Promise<string | undefined> {
  const starting = engine.start("story", null).then(
    ({ snapshot }) => snapshot.graph_id,
    () => undefined,
  );
  await clock.advance(0);
  const id = await starting;
  if (id === undefined) return undefined;
  const phase = async (): Promise<string | undefined> => (await store.graphs.graph(id))?.phase;
  assert.ok(await phase(), "an acknowledged start is stored");
  const paused = await ask(clock, engine.pause(id));
  if (paused !== undefined)
    assert.ok(["pausing", "paused"].includes((await phase()) ?? ""), `paused, and it is ${await phase()}`);
  // At once again: where the first has failed, the graph is just about to be read again.
  else await ask(clock, engine.pause(id));
  await clock.advance(500);
  await ask(clock, engine.resume(id));
  if (!isCancelled) return id;
  const cancelled = await ask(clock, engine.cancel(id));
  if (cancelled !== undefined) assert.equal(await phase(), "failed", "an acknowledged cancel is stored");
  await ask(clock, engine.retry(id));
  return id;
}

/** Long enough for what failed to be read again, and for every retry. */
async function finish({ store, engine, clock }: Bench, id: string): Promise<void> {
  for (let round = 0; round < 30; round++) {
    const phase = (await store.graphs.graph(id))?.phase;
    if (phase === "done") break;
    if (phase === "failed") await ask(clock, engine.retry(id));
    if (phase === "paused" || phase === "pausing") await ask(clock, engine.resume(id));
    await clock.advance(1000);
  }
  // Others, of starts that were not acknowledged.
  await clock.advance(10_000);
}

async function check({ store, returned }: Bench, id: string): Promise<void> {
  const graphRow = await store.graphs.graph(id);
  assert.equal(graphRow?.phase, "done", `the graph is ${graphRow?.phase}`);
  const nodes = (await store.graphs.load([id]))[0]?.nodes ?? [];
  const resultOf = (node: string): Json | undefined => nodes.find((row) => row.id === node)?.result;
  const drawn = resultOf("draw") as number[];
  const items = drawn.map((n, at) => {
    const result = resultOf(`flaky/${at}`) as number;
    assert.equal(Math.floor(result / 1000), n, "an item was made from a result that was not kept");
    return result;
  });
  assert.deepEqual(resultOf("keep"), items, "the last node has read results that were not kept");
  assert.deepEqual(graphRow.result, items);
  assert.ok(
    nodes.every(({ crashes }) => crashes === 0),
    "a fault of the store is not the node's",
  );
  for (const { id: node, result } of nodes.filter(({ id: node }) => !node.startsWith("inside")))
    assert.ok(returned.get(`${id} ${node}`)?.has(JSON.stringify(result)));
  const events = await store.graphs.events(id, 0);
  checkJournal(id, events);
  const announced = (await store.webhooks.listDeliveries({ graphId: id })).items.map(({ event }) => event);
  for (const type of ["graph.done", "graph.failed", "graph.paused"] as const)
    assert.equal(announced.filter((event) => event === type).length, events.filter((e) => e.type === type).length);
  const all = (await store.graphs.list({ limit: 200 })).items.map(({ id: each }) => each);
  for (const { row } of await store.graphs.heads(all))
    assert.ok(row.phase === "done" || row.phase === "failed", `${row.id}, of ${row.worker}, is left ${row.phase}`);
}

describe("a store that fails once", () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
  before(() => void process.on("unhandledRejection", onUnhandled));
  after(() => void process.off("unhandledRejection", onUnhandled));

  for (const fault of ["commit", "answer", "read", "outbox"] as const) {
    it(`at any ${fault}: nothing is acknowledged or built upon that is not stored, and every graph ends`, async (test) => {
      let failed = 0;
      for (const isCancelled of [false, true]) {
        for (let at = 1, hasFailed = true; hasFailed; at++) {
          assert.ok(at < MANY_CALLS, `${at} calls for one graph`);
          hasFailed = await failAt(fault, at, isCancelled);
          if (hasFailed) failed++;
        }
      }
      test.diagnostic(`${failed} calls failed, one in each run`);
      assert.ok(failed >= 4);
      assert.deepEqual(unhandled, []);
    });
  }

  /** @returns false when there was no such call. */
  async function failAt(fault: Fault, at: number, isCancelled: boolean): Promise<boolean> {
    const bench = await benchOf(fault, at);
    try {
      // The first graph may not have come to be; then the engine takes another.
      const id = (await live(bench, isCancelled)) ?? (await live(bench, isCancelled));
      assert.ok(id, "nothing can be started any more");
      await finish(bench, id);
      await check(bench, id);
    } catch (error) {
      const story = isCancelled ? "with a cancel" : "without a cancel";
      throw new Error(`${fault} ${at} failed, ${story}: ${(error as Error).message}`, { cause: error });
    } finally {
      await bench.engine.close();
    }
    return bench.calls() >= at;
  }
});
