/**
 * Random programs that use everything a worker can persist, with a crash of the process after every single commit. The run always
 * reaches the same result, each step is done once, and committed work never runs again.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Store } from "../../storage/contract/contract.ts";
import type { Transition } from "../../storage/contract/transition.ts";
import { openStore } from "../../storage/open-store.ts";
import { nodesOf, signalsOf } from "./engine.testkit.ts";
import { worker } from "../definition/definition.ts";
import { createEngine } from "./engine.ts";
import type { Engine } from "./engine-types.ts";
import type { Worker } from "../definition/definition-types.ts";

type Op =
  | { kind: "step" | "call" | "state" | "checkpoint" | "both" }
  | { kind: "sleep"; ms: number }
  | { kind: "wait"; isEarly: boolean }
  | { kind: "map"; items: number; concurrency: number };

const op: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ kind: fc.constantFrom("step", "call", "state", "checkpoint", "both") }),
  fc.record({ kind: fc.constant("sleep"), ms: fc.constantFrom(0, 1, 1000) }),
  fc.record({ kind: fc.constant("wait"), isEarly: fc.boolean() }),
  fc.record({ kind: fc.constant("map"), items: fc.integer({ min: 0, max: 3 }), concurrency: fc.constantFrom(1, 2) }),
);
const program = fc.array(op, { minLength: 1, maxLength: 4 });

/** The result of the program without crashes. */
function expected(ops: readonly Op[]): Json[] {
  return ops.map((each, at) => {
    if (each.kind === "state") return at;
    if (each.kind === "step") return `step ${at}`;
    if (each.kind === "call") return at * 10;
    if (each.kind === "both") return [`left ${at}`, at * 10];
    if (each.kind === "wait") return { signal: at };
    if (each.kind === "map") return Array.from({ length: each.items }, (_, item) => item * 10);
    return null;
  });
}

/** Number of executions of each piece of code, by name. */
type Counts = Map<string, number>;

function workersOf(ops: readonly Op[], counts: Counts): Worker<never, unknown> {
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const child = worker("child", { concurrency: 2 }, async (n: number, ctx) => {
    await ctx.step("inner", () => count(`${ctx.nodeId}#inner`));
    await ctx.sleep(1);
    return n * 10;
  });
  return worker("program", async (_: Json, ctx): Promise<Json> => {
    const results: Json[] = [];
    for (const [at, each] of ops.entries()) {
      count(`before ${at}`);
      const step = (name: string): Promise<string> =>
        ctx.step(`${name}${at}`, () => {
          count(`program#${name}${at}`);
          return `${name} ${at}`;
        });
      if (each.kind === "step") results.push(await step("step"));
      else if (each.kind === "call") results.push(await ctx.call(`call${at}`, child, at));
      else if (each.kind === "both") results.push(await Promise.all([step("left"), ctx.call(`call${at}`, child, at)]));
      else if (each.kind === "wait") results.push(await ctx.waitFor(`signal${at}`));
      else if (each.kind === "map") {
        const items = Array.from({ length: each.items }, (_item, item) => item);
        results.push(await ctx.map(`map${at}`, items, child, { concurrency: each.concurrency }));
      } else {
        if (each.kind === "state") ctx.state.set("at", at);
        if (each.kind === "checkpoint") await ctx.checkpoint();
        if (each.kind === "sleep") await ctx.sleep(each.ms);
        // A later attempt reads the state of a later step, so only the value just set is reported.
        results.push(each.kind === "state" ? (ctx.state.get("at") ?? null) : null);
      }
    }
    return results;
  });
}

/** A process that dies after a number of commits. The last one is written, but nobody receives its result. */
class Mortal {
  readonly death: Promise<"dead">;
  readonly engine: Engine;
  readonly clock: SimulatedClock;
  commits = 0;
  #die!: (dead: "dead") => void;

  constructor(store: Store, root: Worker<never, unknown>, startMs: number | undefined, livesFor: number) {
    this.death = new Promise((resolve) => (this.#die = resolve));
    this.clock = new SimulatedClock(startMs);
    const never = new Promise<never>(() => undefined);
    const commit = async (transition: Transition): Promise<boolean> => {
      if (this.commits >= livesFor) return never;
      if (++this.commits < livesFor) return store.graphs.commit(transition);
      await store.graphs.commit(transition);
      this.#die("dead");
      return never;
    };
    const graphs = new Proxy(store.graphs, {
      get: (target, key) => {
        if (key === "commit") return commit;
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    this.engine = createEngine({ store: { ...store, graphs }, workers: [root], clock: this.clock, random: () => 0 });
  }

  /** @returns whether the process survived. */
  async does(work: () => Promise<unknown>): Promise<boolean> {
    return (await Promise.race([this.death, work()])) !== "dead";
  }
}

/** Runs the program. Each of the first processes dies after its number of commits. @returns the number of commits of the last one. */
async function play(ops: readonly Op[], lives: readonly number[]): Promise<number> {
  const counts: Counts = new Map();
  const root = workersOf(ops, counts);
  const store = await openStore("memory:");
  const deaths = [...lives];
  let mortal = new Mortal(store, root, undefined, deaths.shift() ?? Infinity);
  const idOf = async (): Promise<string | undefined> => (await store.graphs.list({})).items[0]?.id;
  const isOver = async (): Promise<boolean> => (await store.graphs.list({})).items[0]?.finishedMs !== undefined;
  const send = async (isEarly: boolean): Promise<void> => {
    for (const [at, each] of ops.entries())
      if (each.kind === "wait" && each.isEarly === isEarly && !(await isOver()))
        await mortal.engine
          .signal((await idOf()) ?? "", `signal${at}`, { signal: at }, { idempotencyKey: `k${at}` })
          .catch((error: { code?: string }) => assert.equal(error.code, "SVC_TRANSITION"));
  };
  const round = async (isFirst: boolean): Promise<void> => {
    if (isFirst) await mortal.engine.start("program", null, { idempotencyKey: "once" });
    await send(true);
    await mortal.engine.idle();
    await send(false);
    await mortal.engine.idle();
    await mortal.clock.advance(500);
    await mortal.engine.idle();
  };
  for (let turn = 0, isFirst = true; turn === 0 || !(await isOver()); turn++) {
    assert.ok(turn < 60, `The graph is stuck: ${JSON.stringify((await mortal.engine.list({})).items[0]?.nodes)}`);
    const hasLived = await mortal.does(() => round(isFirst));
    isFirst = !hasLived && (await idOf()) === undefined;
    if (hasLived) continue;
    mortal = new Mortal(store, root, mortal.clock.now(), deaths.shift() ?? Infinity);
    if (!(await mortal.does(() => mortal.engine.recover()))) continue;
  }
  await judge(ops, counts, store, lives.length);
  await mortal.engine.close();
  await store.close();
  return mortal.commits;
}

async function judge(ops: readonly Op[], counts: Counts, store: Store, deaths: number): Promise<void> {
  const graph = await store.graphs.graph((await store.graphs.list({})).items[0]?.id ?? "");
  assert.deepEqual([graph?.status, graph?.result, graph?.error], ["done", expected(ops), undefined]);
  const events = await store.graphs.events(graph?.id ?? "", 0);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, at) => at + 1),
  );
  const done = events.filter(({ type }) => type === "node.done").map(({ node }) => node);
  assert.equal(new Set(done).size, done.length, "each node is done once");
  const nodes = await nodesOf(store, graph?.id ?? "");
  assert.deepEqual(
    nodes.filter(({ status }) => status !== "done").map(({ id, status }) => [id, status]),
    [],
  );
  for (const [name, runs] of counts)
    assert.ok(runs <= 1 + deaths, `${name} ran ${runs} times in ${deaths + 1} processes`);
  const steps = nodes.filter(({ kind }) => kind === "step").map(({ id }) => id);
  assert.deepEqual(
    steps.filter((id) => (counts.get(id) ?? 0) === 0),
    [],
  );
  assert.deepEqual(await signalsOf(store, graph?.id ?? ""), []);
}

const EVERYTHING: Op[] = [
  { kind: "step" },
  { kind: "state" },
  { kind: "sleep", ms: 1000 },
  { kind: "wait", isEarly: true },
  { kind: "wait", isEarly: false },
  { kind: "both" },
  { kind: "map", items: 3, concurrency: 2 },
];

describe("a durable program", () => {
  it("with every kind of step reaches its result after a crash behind any commit", async () => {
    const commits = await play(EVERYTHING, []);
    assert.ok(commits > 20);
    for (let livesFor = 1; livesFor <= commits; livesFor++) await play(EVERYTHING, [livesFor]);
  });

  it("with random steps reaches its result after one or two crashes", async () => {
    await fc.assert(
      fc.asyncProperty(program, fc.nat(), async (ops, salt) => {
        const commits = await play(ops, []);
        for (let livesFor = 1; livesFor <= commits; livesFor++) {
          await play(ops, [livesFor]);
          await play(ops, [livesFor, 1 + (salt % commits)]);
        }
      }),
      { numRuns: Number(process.env["MODEL_RUNS"] ?? 4) },
    );
  });
});
