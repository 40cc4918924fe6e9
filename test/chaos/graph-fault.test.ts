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
} from "svc/graph";
import { checkJournal } from "./graph-journal.ts";

/** More than any of the stories below makes. */
const MANY_CALLS = 500;
/** How the store fails: the commit is not made, or a read throws. */
type Fault = "commit" | "read";

interface Bench {
  store: Store;
  engine: Engine;
  clock: SimulatedClock;
  calls(): number;
  /** Results that workers have returned, by graph and node. */
  returned: Map<string, Set<string>>;
}

/** A store whose call number `at` of this kind fails. */
function faulty(store: Store, fault: Fault, at: number): { store: Store; calls(): number } {
  let calls = 0;
  const isDue = (): boolean => ++calls === at;
  const graphs = new Proxy(store.graphs, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      const method = value.bind(target) as (...given: unknown[]) => unknown;
      // Whoever follows a graph is told of the fault by its own call.
      if (key === "onEvents" || (key === "commit") !== (fault === "commit")) return method;
      return (...given: unknown[]): unknown => {
        if (!isDue()) return method(...given);
        const error = new Error("the disk is full");
        if (key === "commit") return Promise.reject(error);
        throw error;
      };
    },
  });
  return { store: { ...store, graphs }, calls: () => calls };
}

async function benchOf(fault: Fault, at: number): Promise<Bench> {
  const store = await openStore("memory:");
  const failing = faulty(store, fault, at);
  const clock = new SimulatedClock();
  const returned: Bench["returned"] = new Map();
  const told = (ctx: WorkerContext, result: Json): Json => {
    const key = `${ctx.graphId} ${ctx.nodeId}`;
    returned.set(key, (returned.get(key) ?? new Set()).add(JSON.stringify(result)));
    return result;
  };
  // Each call answers something else, so that a result which was never stored is known when it is seen.
  let call = 0;
  const draw = worker("draw", (_input: unknown, ctx) => told(ctx, [++call, ++call, ++call]));
  const flaky = worker("flaky", { retry: { max: 5, base: "1s" } }, async (n: number, ctx) => {
    if (ctx.attempt === 1) throw new Error("no luck");
    ctx.log("info", `on ${n}`);
    ctx.progress(0.5);
    return told(ctx, n * 1000 + ++call);
  });
  const keep = worker("keep", (_input: unknown, ctx) => told(ctx, [...(ctx.deps["flaky"] as Json[])]));
  const story = graph("story", (g) => {
    const drawn = g.node("draw", draw);
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
    store: failing.store,
    graphs: [story],
    clock,
    outboxRows: (event) => [outboxRow(event)],
    random: () => 1,
  });
  return { store, engine, clock, calls: failing.calls, returned };
}

/** What an operator gets to hear: the status he was told, or undefined when his call failed. */
async function ask(clock: SimulatedClock, call: Promise<{ phase: string }>): Promise<string | undefined> {
  const told = call.then(
    ({ phase }) => phase,
    () => undefined,
  );
  await clock.advance(0);
  return told;
}

/** Starts, pauses, resumes, cancels, retries; each may fail, and what is said to be done must be done. */
async function live({ engine, store, clock }: Bench): Promise<string | undefined> {
  const starting = engine.start("story", null).then(
    ({ snapshot }) => snapshot.graph_id,
    () => undefined,
  );
  await clock.advance(0);
  const id = await starting;
  if (id === undefined) return undefined;
  const phase = (): string | undefined => store.graphs.graph(id)?.phase;
  assert.ok(phase(), "an acknowledged start is stored");
  const paused = await ask(clock, engine.pause(id));
  if (paused !== undefined) assert.ok(["pausing", "paused"].includes(phase() ?? ""), `paused, and it is ${phase()}`);
  await clock.advance(500);
  await ask(clock, engine.resume(id));
  const cancelled = await ask(clock, engine.cancel(id));
  if (cancelled !== undefined) assert.equal(phase(), "failed", "an acknowledged cancel is stored");
  await ask(clock, engine.retry(id));
  return id;
}

/** Long enough for what failed to be read again, and for every retry. */
async function finish({ store, engine, clock }: Bench, id: string): Promise<void> {
  for (let round = 0; round < 30; round++) {
    const phase = store.graphs.graph(id)?.phase;
    if (phase === "done") return;
    if (phase === "failed") await ask(clock, engine.retry(id));
    if (phase === "paused" || phase === "pausing") await ask(clock, engine.resume(id));
    await clock.advance(1000);
  }
}

function check({ store, returned }: Bench, id: string): void {
  const graphRow = store.graphs.graph(id);
  assert.equal(graphRow?.phase, "done", `the graph is ${graphRow?.phase}`);
  const nodes = store.graphs.nodes(id);
  const resultOf = (node: string): Json | undefined => nodes.find((row) => row.id === node)?.result;
  const drawn = resultOf("draw") as number[];
  const items = drawn.map((n, at) => {
    const result = resultOf(`flaky/${at}`) as number;
    assert.equal(Math.floor(result / 1000), n, "an item was made from a result that was not kept");
    return result;
  });
  assert.deepEqual(resultOf("keep"), items, "the last node has read results that were not kept");
  assert.deepEqual(graphRow.result, items);
  for (const { id: node, result } of nodes) assert.ok(returned.get(`${id} ${node}`)?.has(JSON.stringify(result)));
  const events = store.graphs.events(id, 0);
  checkJournal(id, events);
  const announced = store.webhooks.listDeliveries({ graphId: id }).items.map(({ event }) => event);
  for (const type of ["graph.done", "graph.failed", "graph.paused"] as const)
    assert.equal(announced.filter((event) => event === type).length, events.filter((e) => e.type === type).length);
}

describe("a store that fails once", () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
  before(() => void process.on("unhandledRejection", onUnhandled));
  after(() => void process.off("unhandledRejection", onUnhandled));

  for (const fault of ["commit", "read"] as const) {
    it(`at any ${fault}: nothing is acknowledged or built upon that is not stored, and every graph ends`, async (test) => {
      let at = 1;
      for (; at < MANY_CALLS; at++) {
        const bench = await benchOf(fault, at);
        const id = await live(bench).catch((error: unknown) => {
          throw new Error(`${fault} ${at} failed: ${(error as Error).message}`, { cause: error });
        });
        // The first graph may not have come to be; the engine takes another.
        const last = id ?? (await live(bench));
        assert.ok(last, `${fault} ${at} failed, and nothing can be started any more`);
        await finish(bench, last);
        try {
          check(bench, last);
        } catch (error) {
          throw new Error(`after ${fault} ${at} failed: ${(error as Error).message}`, { cause: error });
        }
        await bench.engine.close();
        if (bench.calls() < at) break;
      }
      assert.ok(at > 10 && at < MANY_CALLS, `${at} calls`);
      test.diagnostic(`${at - 1} calls failed, one in each run`);
      assert.deepEqual(unhandled, []);
    });
  }
});
