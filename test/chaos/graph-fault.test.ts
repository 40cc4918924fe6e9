/**
 * A store that fails once, at each of its calls in turn. Everything acknowledged is stored, nothing unstored is used, and the engine
 * continues.
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

/** More calls than any scenario below makes. */
const MANY_CALLS = 500;
/** The call that fails: a commit before it is written, the answer of a commit that was written, a read, or the creation of outbox rows. */
type Fault = "commit" | "answer" | "read" | "outbox";

interface Bench {
  store: Store;
  engine: Engine;
  clock: SimulatedClock;
  calls(): number;
  /** Results that workers returned, by run and node. */
  returned: Map<string, Set<string>>;
}

/** A store whose calls of this kind fail when `isDue` returns true. */
function faulty(store: Store, fault: Fault, isDue: () => boolean): Store {
  if (fault === "outbox") return store;
  const graphs = new Proxy(store.graphs, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      const method = value.bind(target) as (...given: unknown[]) => unknown;
      // The follower of a run gets the fault from its own call.
      if (key === "onEvents" || (key === "commit") !== (fault === "commit" || fault === "answer")) return method;
      return (...given: unknown[]): unknown => {
        if (!isDue()) return method(...given);
        const error = new Error("the disk is full");
        if (fault === "answer") return (method(...given) as Promise<unknown>).then(() => Promise.reject(error));
        // Fails later, as a disk does, when further transitions are already in flight.
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
  // Each call returns a different value, so that a result which was never stored is recognizable.
  let call = 0;
  // Only as many slots as needed, so that a slot which is never released is noticed.
  const draw = worker("draw", { concurrency: 1 }, async (_input: unknown, ctx) => {
    await sleep(clock, 200);
    return reported(ctx, [++call, ++call, ++call]);
  });
  const flaky = worker("flaky", { retry: { max: 5, base: "1s" }, concurrency: 3 }, async (n: number, ctx) => {
    // In the second epoch all items finish within one turn of the event loop.
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

/** The result of an operator's call: the phase it returned, or undefined if it failed. */
async function ask(clock: SimulatedClock, call: Promise<{ phase: string }>): Promise<string | undefined> {
  const reported = call.then(
    ({ phase }) => phase,
    () => undefined,
  );
  await clock.advance(0);
  return reported;
}

/** Starts, pauses and resumes a run, and optionally cancels and retries it. Any call may fail; acknowledged ones must be stored. */
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
    assert.ok(
      ["pausing", "paused"].includes((await phase()) ?? ""),
      `the pause was acknowledged, but the phase is ${await phase()}`,
    );
  // Again at once: if the first call failed, the run is about to be reloaded.
  else await ask(clock, engine.pause(id));
  await clock.advance(500);
  await ask(clock, engine.resume(id));
  if (!isCancelled) return id;
  const cancelled = await ask(clock, engine.cancel(id));
  if (cancelled !== undefined) assert.equal(await phase(), "failed", "an acknowledged cancel is stored");
  await ask(clock, engine.retry(id));
  return id;
}

/** Advances the clock long enough for failed reads to be repeated and for every retry. */
async function finish({ store, engine, clock }: Bench, id: string): Promise<void> {
  for (let round = 0; round < 30; round++) {
    const phase = (await store.graphs.graph(id))?.phase;
    if (phase === "done") break;
    if (phase === "failed") await ask(clock, engine.retry(id));
    if (phase === "paused" || phase === "pausing") await ask(clock, engine.resume(id));
    await clock.advance(1000);
  }
  // Also end runs whose start was not acknowledged.
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
    assert.equal(Math.floor(result / 1000), n, "an item was computed from a result that was not stored");
    return result;
  });
  assert.deepEqual(resultOf("keep"), items, "the last node read results that were not stored");
  assert.deepEqual(graphRow.result, items);
  assert.ok(
    nodes.every(({ crashes }) => crashes === 0),
    "a store fault does not count as a crash of the node",
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
    assert.ok(
      row.phase === "done" || row.phase === "failed",
      `${row.id} of ${row.worker} did not end: its phase is ${row.phase}`,
    );
}

describe("an engine whose store fails once", () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
  before(() => void process.on("unhandledRejection", onUnhandled));
  after(() => void process.off("unhandledRejection", onUnhandled));

  for (const fault of ["commit", "answer", "read", "outbox"] as const) {
    it(`acknowledges and uses nothing that is not stored, and ends every run, at any ${fault}`, async (test) => {
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

  /** @returns false if there was no such call. */
  async function failAt(fault: Fault, at: number, isCancelled: boolean): Promise<boolean> {
    const bench = await benchOf(fault, at);
    try {
      // The first start may have failed. Then the engine must accept another.
      const id = (await live(bench, isCancelled)) ?? (await live(bench, isCancelled));
      assert.ok(id, "the engine starts no runs any more");
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
