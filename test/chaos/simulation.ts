/**
 * A simulation: graphs at random, workers that fail, hang, sleep, wait and call, operators, deaths of the process at any call of
 * the store, late and reordered answers: all of it drawn from one number, with the time of a clock that only this moves. At the end
 * every graph must have come to what the plain reading of its plan says, and its store hold what contract section 4 promises.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  createEngine,
  FinalError,
  graph,
  openStore,
  WaitTimeoutError,
  worker,
  type Clock,
  type Engine,
  type GraphDefinition,
  type Json,
  type LifecycleEvent,
  type NodeRef,
  type Store,
  type UndoContext,
  type Worker,
  type WorkerContext,
} from "svc/graph";
import { checkJournal } from "./graph-journal.ts";
import {
  Dice,
  fateOf,
  outcomesOf,
  planOf,
  SPAN_MS,
  type Act,
  type GraphPlan,
  type NodePlan,
  type Op,
  type Plan,
} from "./simulation-plan.ts";
import { Life, Timeline, type Bug, type Trouble } from "./simulation-world.ts";

/** With more a node might have been under way at three, and be poison. */
const MOST_DEATHS = 2;
/** Tries beyond those that a plan has fail: for deaths, faults, and one that hangs. */
const SPARE_TRIES = 5;
const HANG_MS = 20_000;
/** Far more than any plan takes. */
const MOST_ROUNDS = 400;
/** What no clock that was set has put off needs no more. */
const SOON_ROUNDS = 150;
/** Ids of graphs hold the time, and must not repeat between runs. */
let nextStartMs = Date.UTC(2026, 0, 1);

export interface Ran {
  graphs: number;
  deaths: number;
  calls: number;
  /** What happened, the same for the same seed. */
  trace: string[];
}

export interface Wanted {
  bug?: Bug | undefined;
  /** Of a store that is empty. Default `memory:`. */
  url?: string | undefined;
}

interface Run {
  key: string;
  plan: GraphPlan;
  delayMs: number;
  isAsked: boolean;
  id: string | undefined;
  /** A cancel was asked for, heard or not. */
  mayBeCancelled: boolean;
}

/** @throws Error for what must not be, with what runs it again. */
export async function simulate(seed: number, { bug, url = "memory:" }: Wanted = {}): Promise<Ran> {
  const store = await openStore(url);
  const simulation = new Simulation(seed, store, bug);
  try {
    return await simulation.run();
  } catch (cause) {
    const again = `node out/test/chaos/simulate-main.js --seed ${seed}${bug === undefined ? "" : ` --bug ${bug}`}${url === "memory:" ? "" : ` --store ${url}`}`;
    throw new Error(`Seed ${seed}: ${(cause as Error).message}\nAgain: ${again}`, { cause });
  } finally {
    await store.close();
  }
}

class Simulation {
  readonly #plan: Plan;
  readonly #dice: Dice;
  readonly #store: Store;
  readonly #timeline: Timeline;
  readonly #trouble: Trouble;
  readonly #runs: Run[];
  readonly #trace: string[] = [];
  readonly #startMs = nextStartMs;
  #deaths = 0;
  #life!: Life;
  #engine!: Engine;
  #isUp = false;
  #nonce = 0;
  #deliveries = 0;
  /** Attempts that were taken for late. */
  readonly #wrong: string[] = [];

  constructor(seed: number, store: Store, bug: Bug | undefined) {
    this.#plan = planOf(seed);
    this.#dice = new Dice(seed + 0.5);
    this.#store = store;
    this.#timeline = new Timeline(this.#startMs);
    nextStartMs += 10 * 86_400_000;
    const { deaths, faults } = this.#plan;
    const deathsAt = Array.from({ length: deaths }, () => 1 + this.#dice.below(80)).sort((a, b) => a - b);
    this.#trouble = { dice: this.#dice, bug, deathsAt, faults, calls: 0, isOver: false };
    this.#runs = this.#plan.starts.map(({ graph: at, delayMs }, number) => ({
      key: `key-${number}`,
      plan: this.#plan.graphs[at] as GraphPlan,
      delayMs,
      isAsked: false,
      id: undefined,
      mayBeCancelled: false,
    }));
  }

  async run(): Promise<Ran> {
    this.#live();
    for (const [at, { atMs }] of this.#plan.starts.entries())
      this.#timeline.schedule(atMs, () => this.#start(this.#runs[at] as Run));
    for (const act of this.#plan.acts) this.#timeline.schedule(act.atMs, () => this.#act(act));
    await this.#timeline.advance(SPAN_MS);
    this.#trouble.isOver = true;
    await this.#finish();
    await this.#judge();
    const closing = this.#engine.close(0);
    await this.#timeline.advance(10);
    await closing;
    const { calls } = this.#trouble;
    return { graphs: this.#runs.length, deaths: this.#deaths, calls, trace: this.#trace };
  }

  // Processes.

  #live(): void {
    const life = new Life(this.#store, this.#timeline, this.#trouble, () => this.#died());
    this.#life = life;
    this.#isUp = false;
    this.#engine = createEngine({
      store: life.store,
      clock: life.clock,
      graphs: this.#definitions(),
      workers: [double],
      outboxRows: (event) => [this.#outboxRow(event)],
      random: () => this.#dice.next(),
    });
    this.#engine.recover().then(
      () => {
        if (life.isDead) return;
        this.#isUp = true;
        for (const each of this.#runs) if (each.isAsked && each.id === undefined) this.#start(each);
      },
      // As a boot that fails: another one is made, and a death that was to come has come.
      () => {
        this.#trouble.deathsAt.shift();
        life.die();
      },
    );
  }

  #died(): void {
    this.#deaths++;
    // The next boot must not fail.
    if (this.#deaths === MOST_DEATHS) this.#trouble.faults = 0;
    this.#note("the process dies");
    this.#isUp = false;
    this.#timeline.schedule(1 + this.#dice.below(50), () => this.#live());
  }

  /** As a deploy: what runs is let go, and another process takes its place. Not while a fault may come, which would leave it as a death does. */
  async #restart(): Promise<void> {
    if (!this.#isUp || this.#trouble.faults > 0) return;
    const life = this.#life;
    this.#isUp = false;
    this.#note("the process stops");
    await this.#engine.close(0);
    if (life.isDead) return;
    life.isDead = true;
    this.#note("the process has stopped");
    this.#timeline.schedule(1 + this.#dice.below(50), () => this.#live());
  }

  // What operators do.

  #start(each: Run): void {
    each.isAsked = true;
    if (!this.#isUp) return;
    const { key, delayMs, plan } = each;
    this.#engine.start(plan.name, null, { idempotencyKey: key, delayMs }).then(
      ({ snapshot }) => {
        assert.ok(each.id === undefined || each.id === snapshot.graph_id, "one key gave two graphs");
        each.id = snapshot.graph_id;
        this.#note(`${key} is started`);
      },
      (error: unknown) => {
        requireFault(error);
        this.#timeline.schedule(100, () => this.#start(each));
      },
    );
  }

  #act(act: Act): void {
    const { do: what } = act;
    if (what === "set") {
      this.#timeline.aheadMs = act.aheadMs;
      return this.#note(`the clock is set, ${act.aheadMs} ms ahead`);
    }
    if (what === "die") {
      if (this.#deaths + this.#trouble.deathsAt.length < MOST_DEATHS) this.#life.die();
      return;
    }
    if (what === "restart") return void this.#restart();
    const each = this.#runs[act.which % this.#runs.length];
    if (!each?.id || !this.#isUp) return;
    if (what === "signal") return void this.#signal(each, 1);
    if (what === "cancel") each.mayBeCancelled = true;
    this.#engine[what](each.id).then(
      ({ phase }) => this.#note(`${each.key}: ${what}, ${phase}`),
      (error: unknown) => requireFault(error),
    );
  }

  async #signal({ id, plan }: Run, epoch: number): Promise<void> {
    for (const name of signalsOf(plan)) {
      const go = Number(name.split(" ")[2]);
      await this.#engine
        .signal(id as string, name, { go }, { idempotencyKey: `${name} ${epoch}` })
        .catch((error: unknown) => requireFault(error));
    }
  }

  /** Nothing goes wrong any more: whatever has happened, every graph can be brought to its end. */
  async #finish(): Promise<void> {
    for (const each of this.#runs) {
      for (let round = 0; ; round++) {
        if (each.id !== undefined && this.#isUp) {
          const view = await this.#asked(this.#engine.snapshot(each.id));
          const { status, phase, error, epoch } = view as NonNullable<typeof view>;
          const isOver = status === "done" || (status === "failed" && !this.#isForAnother(each, error?.reason));
          if (isOver) break;
          assert.ok(round < MOST_ROUNDS, `${each.key} is ${phase} and does not end: ${JSON.stringify(view?.nodes)}`);
          if (status === "failed") await this.#asked(this.#engine.retry(each.id));
          else if (phase === "paused" || phase === "pausing") await this.#asked(this.#engine.resume(each.id));
          else if (phase !== "cancelling") await this.#asked(this.#signal(each, epoch));
        }
        assert.ok(round < MOST_ROUNDS, `${each.key} is not started`);
        // One whose sleep began by a clock that was ahead sleeps until then.
        await this.#timeline.advance(round < SOON_ROUNDS ? 1000 : 60_000);
      }
    }
    // Children of what was cancelled, and what dead processes still write.
    await this.#timeline.advance(60_000);
  }

  /** One that was cancelled can be run again, and then comes to what it would have. */
  #isForAnother({ plan }: Run, reason: string | undefined): boolean {
    return reason === "cancelled" && fateOf(plan, this.#plan.child).graph === "done";
  }

  /** @returns what it comes to; a refusal, since it has meanwhile changed, is left for the next round. */
  async #asked<T>(work: Promise<T>): Promise<T | undefined> {
    let outcome: { value?: T } | undefined;
    work.then(
      (value) => (outcome = { value }),
      (error: unknown) => {
        requireFault(error);
        outcome = {};
      },
    );
    for (let waited = 0; !outcome; waited++) {
      assert.ok(waited < 200, "an operator is never answered");
      await this.#timeline.advance(20);
    }
    return outcome.value;
  }

  // What graphs do.

  #definitions(): GraphDefinition[] {
    const child = this.#definition(this.#plan.child, undefined);
    return [child, ...this.#plan.graphs.map((plan) => this.#definition(plan, child))];
  }

  #definition(plan: GraphPlan, child: GraphDefinition | undefined): GraphDefinition {
    return graph(
      plan.name,
      (g) => {
        const refs: NodeRef[] = [];
        for (const node of plan.nodes) {
          const after = node.after.map((at) => refs[at] as NodeRef);
          const [from] = after;
          const { name, onError, isWanted } = node;
          const options = { after, onError, ...(isWanted ? {} : { when: () => false }) };
          if (node.kind === "child" && child) refs.push(g.node(name, child, { ...options, input: () => null }));
          else if (node.kind === "map" && from)
            refs.push(g.map(name, this.#worker(plan, node), from, (result) => itemsOf(node, result as Json)));
          else refs.push(g.node(name, this.#worker(plan, node), options));
        }
      },
      { onError: plan.onError },
    ) as GraphDefinition;
  }

  #worker(plan: GraphPlan, node: NodePlan): Worker<Json, Json> {
    const options = {
      retry: { max: node.fails + SPARE_TRIES, base: 50, cap: 400 },
      timeout: HANG_MS,
      heartbeat: HANG_MS,
      concurrency: node.concurrency,
      ...(node.compensates && { compensate: (ctx: UndoContext) => this.#undo(node, ctx) }),
      ...(node.hasOnCancel && { onCancel: (ctx: UndoContext) => this.#undo(node, ctx) }),
    };
    return worker(`${plan.name}-${node.name}`, options, async (input: Json, ctx): Promise<Json> => {
      this.#note(`${ctx.nodeId} is called, attempt ${ctx.attempt}`);
      const { clock } = this.#life;
      if (node.hangs && ctx.attempt === 1) await new Promise(() => undefined);
      ctx.signal.addEventListener("abort", () => this.#requireInTime(ctx));
      const outcomes: Json[] = [];
      for (const [at, op] of node.ops.entries()) outcomes.push(await perform(op, at, ctx, clock));
      if (ctx.attempt <= node.fails) throw new Error("no luck");
      if (node.isFatal) throw new FinalError("broken for good");
      const saw = node.kind === "map" ? (input as { of: Json }).of : sawOf(ctx.deps);
      return { nonce: ++this.#nonce, saw, outcomes };
    });
  }

  async #undo(node: NodePlan, { nodeId, attempt }: UndoContext): Promise<void> {
    this.#note(`${nodeId} is undone, try ${attempt}`);
    if (node.undoHangs && attempt === 1) await new Promise(() => undefined);
    if (attempt <= node.undoFails) throw new Error("not yet");
  }

  /** What it waits for is not counted, and the rest takes no time at all: whatever the clock was set to, it is not late. */
  #requireInTime({ nodeId, signal }: WorkerContext): void {
    const { name, message } = signal.reason as Error;
    if (name === "AttemptTimeout") this.#wrong.push(`${nodeId}: ${message}`);
  }

  #outboxRow({ graphId, event, epoch, pauseNo, timestampMs }: LifecycleEvent) {
    const id = `msg_${++this.#deliveries}`;
    return { id, registrationId: "wh_1", graphId, event, epoch, pauseNo, body: "", createdMs: timestampMs, dueMs: 0 };
  }

  #note(what: string): void {
    this.#trace.push(`${this.#timeline.now() - this.#startMs} ms ${what}`);
  }

  // What must be.

  async #judge(): Promise<void> {
    assert.deepEqual(this.#wrong, [], "attempts that are taken for late");
    const all = (await this.#store.graphs.list({ limit: 200 })).items;
    const roots = all.filter((row) => row.parentGraph === undefined);
    assert.deepEqual(
      new Set(roots.map(({ id }) => id)),
      new Set(this.#runs.map(({ id }) => id)),
      "graphs that were started",
    );
    for (const { id, status, phase, parentGraph } of all) {
      assert.ok(status === "done" || status === "failed", `${id} is left ${phase}, of ${parentGraph ?? "nobody"}`);
      await this.#judgeEvents(id, status);
      await this.#judgeUndone(id);
      await this.#judgeArtifacts(id);
    }
    for (const each of this.#runs) await this.#judgeGraph(each);
  }

  async #judgeGraph({ id = "", plan, mayBeCancelled }: Run): Promise<void> {
    const [stored] = await this.#store.graphs.load([id]);
    assert.ok(stored);
    const { row, nodes } = stored;
    const fate = fateOf(plan, this.#plan.child);
    if (row.error?.reason === "cancelled") assert.ok(mayBeCancelled, "nobody has cancelled it");
    else assert.equal(row.status, fate.graph, `${id} came to ${JSON.stringify(row.error)}`);
    if (row.status === "failed") {
      const left = nodes.filter((node) => ["running", "waiting", "cancelling", "compensating"].includes(node.status));
      assert.deepEqual(
        left.map(({ id: node, status }) => `${node} ${status}`),
        [],
        "nothing of a failed graph goes on",
      );
      const notUndone = nodes.filter(
        (node) => node.status === "done" && planOfNode(plan, node.id)?.compensates && !node.id.includes("#"),
      );
      assert.deepEqual(
        notUndone.map((node) => node.id),
        [],
        "what can be taken back is",
      );
      return;
    }
    for (const node of plan.nodes) this.#judgeNode(plan, node, nodes, fate.nodes.get(node.name), row.epoch);
  }

  #judgeNode(
    plan: GraphPlan,
    node: NodePlan,
    rows: readonly StoredNode[],
    fate: string | undefined,
    epoch: number,
  ): void {
    const own = rows.find(({ id }) => id === node.name) ?? undefined;
    const items = rows.filter(({ id }) => id.startsWith(`${node.name}/`) && !id.includes("#"));
    if (node.kind !== "map") assert.equal(own?.status, fate, `${node.name} of ${plan.name}`);
    if (fate !== "done" || node.kind === "child") return;
    if (node.kind === "map") assert.equal(items.length, node.items, `items of ${node.name}`);
    // What was taken back and done again has another result than those had that went on from it.
    const isFirst = epoch === 1;
    const deps = Object.fromEntries(
      node.after.map((at) => plan.nodes[at] as NodePlan).map(({ name }) => [name, resultOf(plan, name, rows)]),
    );
    for (const { id, result } of node.kind === "map" ? items : own ? [own] : []) {
      const { outcomes, saw } = result as { outcomes: Json; saw: Json };
      assert.deepEqual(outcomes, outcomesOf(node.ops), `what ${id} did`);
      if (isFirst)
        assert.deepEqual(
          saw,
          node.kind === "map" ? sawOf(Object.values(deps)[0] ?? null) : sawOf(deps),
          `what ${id} went on from`,
        );
    }
  }

  /** Each has more tries than fail: only its time may be over before them. */
  async #judgeUndone(graphId: string): Promise<void> {
    const [stored] = await this.#store.graphs.load([graphId]);
    for (const { id, status, error } of stored?.nodes ?? [])
      if (status === "uncompensated") assert.match(error?.message ?? "", /^Not undone within/, `${id} of ${graphId}`);
  }

  /** Each that there is is whole, whatever has become of the node since. */
  async #judgeArtifacts(graphId: string): Promise<void> {
    const { graphs } = this.#store;
    for (const { name, upload, sha256, bytes } of await graphs.artifacts(graphId)) {
      const part = (await graphs.part(graphId, upload ?? name, 0)) ?? new Uint8Array();
      const found = [part.byteLength, createHash("sha256").update(part).digest("hex")];
      assert.deepEqual(found, [bytes, sha256], `the file ${name} of ${graphId}`);
    }
  }

  async #judgeEvents(id: string, status: string): Promise<void> {
    const events = await this.#store.graphs.events(id, 0, 10_000);
    checkJournal(id, events);
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    const announced = (await this.#store.webhooks.listDeliveries({ graphId: id, limit: 200 })).items;
    for (const type of ["graph.done", "graph.failed", "graph.paused"])
      assert.equal(announced.filter(({ event }) => event === type).length, count(type), `webhooks of ${type}`);
    assert.equal(events.at(-1)?.type, `graph.${status}`, "its end is the last that is told of it");
  }
}

type StoredNode = Awaited<ReturnType<Store["graphs"]["load"]>>[number]["nodes"][number];

const double = worker("double", { concurrency: 2 }, async (n: number, ctx) => {
  const doubled = await ctx.step("double", () => n * 2);
  await ctx.sleep(1);
  return doubled;
});

async function perform(op: Op, at: number, ctx: WorkerContext, clock: Clock): Promise<Json> {
  if (op.kind === "step") return ctx.step(`step${at}`, () => `step ${at}`);
  if (op.kind === "call") return ctx.call(`call${at}`, double, at);
  if (op.kind === "wait") return ctx.waitFor(signalOf(ctx.nodeId, at));
  if (op.kind === "map")
    return ctx.map(
      `map${at}`,
      Array.from({ length: op.items }, (_, item) => item),
      double,
    );
  if (op.kind === "artifact") {
    await ctx.artifact(`${ctx.nodeId.replace("/", "-")}.${at}`, slowly(clock, op.ms, ctx));
    return op.kind;
  }
  if (op.kind === "state") ctx.state.set(`at${at}`, at);
  else if (op.kind === "sleep") await ctx.sleep(op.ms);
  else if (op.kind === "work") {
    clock.schedule(op.ms / 2, () => ctx.heartbeat());
    await new Promise<void>((resolve) => void clock.schedule(op.ms, resolve));
  } else if (op.kind === "late") {
    const late = await ctx.waitFor(`never ${at}`, { timeout: op.ms }).catch((error: unknown) => error);
    if (!(late instanceof WaitTimeoutError)) throw late;
  }
  return op.kind;
}

/** What each attempt writes is another. */
async function* slowly(clock: Clock, ms: number, { attempt, epoch }: WorkerContext): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < 2; at++) {
    await new Promise<void>((resolve) => void clock.schedule(ms, resolve));
    yield Buffer.from(`piece ${at} of attempt ${attempt} of epoch ${epoch}\n`);
  }
}

/** A key may hold no slash. */
function signalOf(id: string, at: number): string {
  return `go ${id.replace("/", ":")} ${at}`;
}

/** Names of all signals that its nodes wait for. */
function signalsOf({ nodes }: GraphPlan): string[] {
  return nodes.flatMap(({ name, kind, items, ops }) => {
    const ids = kind === "map" ? Array.from({ length: items }, (_, item) => `${name}/${item}`) : [name];
    return ids.flatMap((id) => ops.flatMap((op, at) => (op.kind === "wait" ? [signalOf(id, at)] : [])));
  });
}

function itemsOf({ items }: NodePlan, result: Json): Json[] {
  return Array.from({ length: items }, (_, item) => ({ item, of: sawOf(result) }));
}

/** What tells results apart: each attempt makes another. */
function sawOf(value: Json): Json {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(sawOf);
  if ("nonce" in value) return value["nonce"] as Json;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, sawOf(each)]));
}

function resultOf(plan: GraphPlan, name: string, rows: readonly StoredNode[]): Json {
  const node = planOfNode(plan, name);
  if (node?.kind !== "map") return rows.find(({ id }) => id === name)?.result ?? null;
  const items = rows.filter(({ id }) => id.startsWith(`${name}/`) && !id.includes("#"));
  if (items.length === 0 && rows.find(({ id }) => id === name)?.status === "skipped") return null;
  return items
    .sort((a, b) => Number(a.id.split("/")[1]) - Number(b.id.split("/")[1]))
    .map(({ result }) => result ?? null);
}

function planOfNode(plan: GraphPlan, id: string): NodePlan | undefined {
  return plan.nodes.find(({ name }) => name === id.split(/[/#]/)[0]);
}

/** A fault of the store, what came upon it, and a state that forbids it, are answers; anything else is not. */
function requireFault(error: unknown): void {
  const { code, message } = error as { code?: string; message?: string };
  if (code !== "SVC_TRANSITION" && !/the disk is full|the store had another state/i.test(message ?? "")) throw error;
}
