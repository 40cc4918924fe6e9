/**
 * Random events happen to runs: workers succeed, fail, hang or answer too late; operators pause, resume, cancel and retry; the process
 * stops or is killed. After each event the engine must agree with the model (graph-model.ts) and the run's events must be valid
 * (graph-journal.ts). In the end every run can be brought to its result.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  createEngine,
  graph,
  openStore,
  SimulatedClock,
  worker,
  type Clock,
  type Engine,
  type LifecycleEvent,
  type Store,
  type WorkerContext,
} from "svckit/graph";
import { recordLog } from "svckit/testing";
import { checkJournal } from "./graph-journal.ts";
import { GraphModel, ITEMS, MAX_ATTEMPTS, RETRY_MS, TIMEOUT_MS, type Control } from "./graph-model.ts";

/** Number of sequences, each with about 22 steps. GRAPH_RUNS sets another number. */
const RUNS = Number(process.env["GRAPH_RUNS"] ?? 300);
const WRONG = "a result that came too late";
const RIGHT: Record<string, unknown> = { first: ["a", "b"], "item/0": "a!", "item/1": "b!", last: ["a!", "b!"] };

/** A call of a worker that is running, or whose attempt has ended. */
interface Call {
  ctx: WorkerContext;
  succeed: (value: unknown) => void;
  fail: (error: Error) => void;
}

interface Running {
  id: string;
  node: string;
  model: GraphModel;
}

type StoredNode = Awaited<ReturnType<Store["graphs"]["load"]>>[number]["nodes"][number];

/** One process. When it dies, its timers stop and its pending commits are lost. */
class Life {
  isDead = false;
  readonly engine: Engine;
  readonly calls = new Map<string, Call>();

  constructor(world: World) {
    const { clock, store } = world;
    const mortal: Clock = {
      now: () => clock.now(),
      elapsed: () => clock.elapsed(),
      schedule: (delayMs, run) => clock.schedule(delayMs, () => (this.isDead ? undefined : run())),
    };
    const options = { retry: { max: MAX_ATTEMPTS, base: RETRY_MS }, timeout: TIMEOUT_MS };
    const call = (name: string) =>
      worker(name, options, (_input: unknown, ctx: WorkerContext) => this.#called(world, ctx));
    const definition = graph("random", (g) => {
      const first = g.node("first", call("first"));
      const items = g.map("item", call("item"), first, (all) => all as string[]);
      return g.node("last", call("last"), { after: [items] });
    });
    const commit: Store["graphs"]["commit"] = async (transition) => {
      if (this.isDead) return new Promise(() => undefined);
      const isCommitted = await store.graphs.commit(transition);
      return this.isDead ? new Promise(() => undefined) : isCommitted;
    };
    // The store is a class instance, so methods that are not replaced must be bound to it.
    const graphs = new Proxy(store.graphs, {
      get: (target, key) => {
        if (key === "commit") return commit;
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    this.engine = createEngine({
      store: { ...store, graphs },
      graphs: [definition],
      clock: mortal,
      outboxRows: (event) => [outboxRow(event)],
      random: () => 1,
      log: world.log,
    });
  }

  #called(world: World, ctx: WorkerContext): Promise<unknown> {
    // Before a worker is called, the store must know of the attempt and contain its inputs.
    const stored = world.store.graphs.load([ctx.graphId]);
    return new Promise((succeed, fail) => {
      stored.then(([graph]) => this.#requireStored(graph?.nodes ?? [], ctx)).catch(fail);
      const key = `${ctx.graphId} ${ctx.nodeId}`;
      const older = this.calls.get(key);
      if (older) world.left.push(older);
      this.calls.set(key, { ctx, succeed, fail });
    });
  }

  #requireStored(rows: readonly StoredNode[], ctx: WorkerContext): void {
    const own = rows.find(({ id }) => id === ctx.nodeId);
    assert.deepEqual(
      [own?.status, own?.attempt],
      ["running", ctx.attempt],
      `${ctx.nodeId} was called before its attempt was stored`,
    );
    for (const name of own?.after ?? []) {
      const before = rows.filter(({ id }) => id === name || id.startsWith(`${name}/`));
      assert.ok(before.every(({ status }) => status === "done"));
    }
  }
}

class World {
  readonly clock = new SimulatedClock();
  readonly store: Store;
  readonly log = recordLog();
  readonly graphs: { id: string; model: GraphModel }[] = [];
  /** Calls whose attempt has ended in some way. */
  readonly left: Call[] = [];
  life: Life;

  constructor(store: Store) {
    this.store = store;
    this.life = new Life(this);
  }

  settle(): Promise<void> {
    return this.advance(0);
  }

  async advance(ms: number): Promise<void> {
    const endMs = this.clock.now() + ms;
    await this.clock.advance(ms);
    // Twice, since one commit may cause another.
    await this.clock.advance(0);
    await this.clock.advance(0);
    for (const { model } of this.graphs)
      for (let next = model.next(); next && next.atMs <= endMs; next = model.next()) next.happen();
  }

  async start(delayMs: number): Promise<void> {
    const dueMs = this.clock.now() + delayMs;
    const starting = this.life.engine.start("random", null, { delay: delayMs });
    await this.clock.advance(0);
    const { snapshot } = await starting;
    this.graphs.push({ id: snapshot.graph_id, model: new GraphModel(dueMs) });
    await this.settle();
  }

  /** The attempts that run according to the model. */
  running(): Running[] {
    return this.graphs.flatMap(({ id, model }) =>
      [...model.nodes].filter(([, { status }]) => status === "running").map(([node]) => ({ id, node, model })),
    );
  }

  async replace(isKilled: boolean): Promise<void> {
    const { life } = this;
    if (isKilled) life.isDead = true;
    else {
      const closing = life.engine.close(0);
      await this.clock.advance(0);
      await this.clock.advance(0);
      await closing;
      life.isDead = true;
    }
    this.left.push(...life.calls.values());
    this.life = new Life(this);
    const recovering = this.life.engine.recover();
    for (const { model } of this.graphs)
      if (isKilled) model.crash(this.clock.now());
      else model.stop(this.clock.now());
    await this.clock.advance(0);
    await recovering;
    await this.settle();
  }

  async check(): Promise<void> {
    for (const { id, model } of this.graphs) {
      const row = await this.store.graphs.graph(id);
      const nodes = (await this.store.graphs.load([id]))[0]?.nodes ?? [];
      assert.deepEqual(
        [row?.phase, row?.epoch, Object.fromEntries(nodes.map((node) => [node.id, `${node.status} ${node.attempt}`]))],
        [
          model.phase,
          model.epoch,
          Object.fromEntries([...model.nodes].map(([node, { status, attempt }]) => [node, `${status} ${attempt}`])),
        ],
      );
      for (const { id: node, result } of nodes) if (result !== undefined) assert.deepEqual(result, RIGHT[node]);
      await this.checkEvents(id);
    }
    assert.deepEqual(this.log.texts, []);
  }

  async checkEvents(id: string): Promise<void> {
    const events = await this.store.graphs.events(id, 0);
    checkJournal(id, events);
    assert.ok(!JSON.stringify(events).includes(WRONG), "an attempt that has ended has no effect");
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    const announced = (await this.store.webhooks.listDeliveries({ graphId: id, limit: 200 })).items.map(
      ({ event }) => event,
    );
    for (const type of ["graph.done", "graph.failed", "graph.paused"])
      assert.equal(announced.filter((event) => event === type).length, count(type), `webhooks of ${type}`);
  }
}

let deliveries = 0;

function outboxRow({ graphId, event, epoch, pauseNo, timestampMs }: LifecycleEvent) {
  const id = `msg_${deliveries++}`;
  return { id, registrationId: "wh_1", graphId, event, epoch, pauseNo, body: "", createdMs: timestampMs, dueMs: 0 };
}

type Act = { do: "succeed" | "fail"; which: number } | { do: Control; which: number };

type Step =
  | { do: "start"; delayMs: number }
  | { do: "at once"; acts: Act[] }
  | { do: "late"; which: number; isFailure: boolean }
  | { do: "wait"; ms: number }
  | { do: "replace"; isKilled: boolean };

const which = fc.nat(7);
const controls: fc.Arbitrary<Control> = fc.constantFrom("pause", "resume", "cancel", "retry");
const act: fc.Arbitrary<Act> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant("succeed" as const), which }), weight: 5 },
  { arbitrary: fc.record({ do: fc.constant("fail" as const), which }), weight: 2 },
  { arbitrary: fc.record({ do: controls, which }), weight: 4 },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("start" as const), delayMs: fc.constantFrom(0, 0, 700) }),
  { arbitrary: fc.record({ do: fc.constant("at once" as const), acts: fc.tuple(act) }), weight: 8 },
  {
    arbitrary: fc.record({ do: fc.constant("at once" as const), acts: fc.array(act, { minLength: 2, maxLength: 4 }) }),
    weight: 3,
  },
  fc.record({ do: fc.constant("late" as const), which, isFailure: fc.boolean() }),
  { arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(1, 400, 1000, 6000) }), weight: 2 },
  fc.record({ do: fc.constant("replace" as const), isKilled: fc.boolean() }),
);

async function take(world: World, taken: Step): Promise<void> {
  if (taken.do === "start") return world.graphs.length < 3 ? world.start(taken.delayMs) : undefined;
  if (taken.do === "wait") return world.advance(taken.ms);
  if (taken.do === "replace") return world.replace(taken.isKilled && mayKill(world));
  if (taken.do === "late") return late(world, taken.which, taken.isFailure);
  return atOnce(world, taken.acts);
}

/**
 * Nodes that were running in two crashes run one at a time. The model has no queue for them (src/graphs/engine/suspects.test.ts has), so a
 * kill that would cause a second such node becomes a stop.
 */
function mayKill({ graphs }: World): boolean {
  const suspects = graphs
    .flatMap(({ model }) => [...model.nodes.values()])
    .filter(({ status, crashes }) => crashes + (status === "running" ? 1 : 0) >= 2);
  return suspects.length <= 1;
}

/** Applies all acts within one turn of the event loop. Operators' calls take effect at once, workers' when their promises settle. */
async function atOnce(world: World, acts: readonly Act[]): Promise<void> {
  const running = world.running();
  const answers: (() => void)[] = [];
  const reported: Promise<void>[] = [];
  for (const one of acts) {
    if (one.do === "succeed" || one.do === "fail") {
      const chosen = running[one.which % Math.max(1, running.length)];
      if (chosen) answers.push(answer(world, chosen, one.do === "succeed"));
    } else {
      const chosen = world.graphs[one.which % Math.max(1, world.graphs.length)];
      if (chosen) reported.push(control(world, chosen, one.do));
    }
  }
  for (const apply of answers) apply();
  await world.settle();
  await Promise.all(reported);
}

/** @returns applies the answer to the model, unless the attempt has ended by then. */
function answer(world: World, { id, node, model }: Running, isSuccess: boolean): () => void {
  const call = world.life.calls.get(`${id} ${node}`);
  assert.ok(call, `${node} runs, but its worker was not called`);
  if (isSuccess) call.succeed(RIGHT[node]);
  else call.fail(new Error("no luck"));
  return () => {
    const now = model.nodes.get(node);
    const isCurrent = model.epoch === call.ctx.epoch && now?.status === "running" && now.attempt === call.ctx.attempt;
    if (!isCurrent) return;
    if (isSuccess) model.succeed(node, world.clock.now());
    else model.fail(node, world.clock.now());
  };
}

/** Answers a call whose attempt has already ended, together with its process or its run or by a timeout. */
async function late(world: World, at: number, isFailure: boolean): Promise<void> {
  const running = new Set(world.running().map(({ id, node }) => `${id} ${node}`));
  const over = [...world.life.calls].filter(([key]) => !running.has(key)).map(([, call]) => call);
  const all = [...world.left, ...over];
  const call = all[at % Math.max(1, all.length)];
  if (!call) return;
  if (isFailure) call.fail(new Error(WRONG));
  else call.succeed(WRONG);
  call.ctx.log("info", WRONG);
  call.ctx.progress(1, WRONG);
  await world.settle();
}

async function control(world: World, { id, model }: World["graphs"][number], name: Control): Promise<void> {
  model.load(world.clock.now());
  const isAllowed = model.allows(name);
  if (isAllowed) model.control(name, world.clock.now());
  const refusal = await world.life.engine[name](id).then(
    () => undefined,
    (error: unknown) => (error as { code?: string }).code,
  );
  assert.equal(refusal, isAllowed ? undefined : "SVC_TRANSITION");
}

/** Brings each run to its end, which must be possible after any events. */
async function finish(world: World): Promise<void> {
  for (const [which, { id, model }] of world.graphs.entries()) {
    for (let round = 0; model.phase !== "done"; round++) {
      assert.ok(round < 20, `${id} does not end: its phase is ${model.phase}`);
      if (model.phase === "failed") await atOnce(world, [{ do: "retry", which }]);
      else if (model.phase === "pausing" || model.phase === "paused") await atOnce(world, [{ do: "resume", which }]);
      const own = world.running().findIndex((running) => running.id === id);
      if (own >= 0) await atOnce(world, [{ do: "succeed", which: own }]);
      else await world.advance(RETRY_MS);
      await world.check();
    }
    assert.deepEqual((await world.life.engine.snapshot(id))?.result, RIGHT["last"]);
    assert.equal((await world.life.engine.snapshot(id))?.nodes.length, ITEMS + 2);
  }
}

describe("runs under random events", () => {
  it("match the model after each step and end with the right result", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const world = new World(await openStore("memory:"));
        await world.start(0);
        for (const one of steps) {
          await take(world, one);
          await world.check();
        }
        await finish(world);
      }),
      { numRuns: RUNS, includeErrorInReport: true },
    );
  });
});
