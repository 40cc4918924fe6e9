/** Creates the graphs of a simulation's plan (simulation-plan.ts), with workers that succeed, fail and hang as planned. */
import {
  event,
  FinalError,
  graph,
  WaitTimeoutError,
  worker,
  type Clock,
  type GraphDefinition,
  type GraphOptions,
  type Json,
  type NodeRef,
  type UndoContext,
  type Worker,
  type WorkerContext,
} from "svckit/graph";
import type { GraphPlan, NodePlan, Op, Plan } from "./simulation-plan.ts";

/** Tries in addition to those that the plan lets fail: for crashes, faults, and a hang. */
const SPARE_TRIES = 5;
const HANG_MS = 20_000;

/** The environment of the workers. */
export interface World {
  /** The clock of the current process. */
  clock: () => Clock;
  note: (what: string) => void;
  /** Records an unexpected error. */
  isWrong: (what: string) => void;
}

export class SimulatedWork {
  readonly #plan: Plan;
  readonly #world: World;
  #nonce = 0;

  constructor(plan: Plan, world: World) {
    this.#plan = plan;
    this.#world = world;
  }

  /** @param isPartial without the first graph, as a build of other code. */
  definitions(isPartial: boolean): GraphDefinition[] {
    const child = this.#definition(this.#plan.child, undefined);
    const own = this.#plan.graphs.map((plan) => this.#definition(plan, child));
    return [child, ...(isPartial ? own.slice(1) : own)];
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
      { onError: plan.onError, ...(child && { on: placedOf(plan) }), ...limitOf(plan) },
    ) as GraphDefinition;
  }

  #worker(plan: GraphPlan, node: NodePlan): Worker<Json, Json> {
    const options = {
      retry: { max: node.fails + SPARE_TRIES, base: 50, cap: 400 },
      timeout: HANG_MS,
      heartbeat: HANG_MS,
      concurrency: node.concurrency,
      ...(node.suspends !== undefined && { suspend: node.suspends }),
      ...(node.compensates && { compensate: (ctx: UndoContext) => this.#undo(node, ctx) }),
      ...(node.hasOnCancel && { onCancel: (ctx: UndoContext) => this.#undo(node, ctx) }),
    };
    return worker(`${plan.name}-${node.name}`, options, async (input: Json, ctx): Promise<Json> => {
      this.#world.note(`${ctx.nodeId} is called, attempt ${ctx.attempt}`);
      const clock = this.#world.clock();
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
    this.#world.note(`${nodeId} is undone, try ${attempt}`);
    if (node.undoHangs && attempt === 1) await new Promise(() => undefined);
    if (attempt <= node.undoFails) throw new Error("not yet");
  }

  /** An attempt must not time out: waiting does not count, and the rest takes no time, whatever the clock is set to. */
  #requireInTime({ nodeId, signal }: WorkerContext): void {
    const { name, message } = signal.reason as Error;
    if (name === "AttemptTimeout") this.#world.isWrong(`${nodeId}: ${message}`);
  }
}

/** An event for waiting nodes. */
export const moved = event("moved");

/** The event that starts a run of a graph. */
export const placedOf = ({ name }: GraphPlan) => event(`placed.${name}`);

/** Input of a run. */
interface Order {
  tenant: number;
}

function limitOf({ limit }: GraphPlan): GraphOptions<Json> {
  if (!limit) return {};
  const tenant = (input: Json) => String((input as unknown as Order).tenant);
  const { onLimit, ttlMs } = limit;
  return {
    concurrency: { limit: limit.limit, onLimit, ...(limit.isKeyed && { key: tenant }) },
    ...(limit.isFair && { fairness: { key: tenant, weight: (input: Json) => 1 + Number(tenant(input)) } }),
    ...(ttlMs !== undefined && { ttl: ttlMs }),
  };
}

export const double = worker("double", { concurrency: 2 }, async (n: number, ctx) => {
  const doubled = await ctx.step("double", () => n * 2);
  await ctx.sleep(1);
  return doubled;
});

async function perform(op: Op, at: number, ctx: WorkerContext, clock: Clock): Promise<Json> {
  if (op.kind === "step") return ctx.step(`step${at}`, () => `step ${at}`);
  if (op.kind === "call") return ctx.call(`call${at}`, double, at);
  if (op.kind === "wait") return ctx.waitFor(signalOf(ctx.nodeId, at));
  if (op.kind === "event") {
    // The clock may be set back by an hour between the start of the run and the event.
    await ctx.waitForEvent(moved, { match: { to: signalOf(ctx.nodeId, at) }, lookback: "2h" });
    return op.kind;
  }
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

/** The content differs for each attempt. */
async function* slowly(clock: Clock, ms: number, { attempt, epoch }: WorkerContext): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < 2; at++) {
    await new Promise<void>((resolve) => void clock.schedule(ms, resolve));
    yield Buffer.from(`piece ${at} of attempt ${attempt} of epoch ${epoch}\n`);
  }
}

/** A key must not contain a slash. */
function signalOf(id: string, at: number): string {
  return `go ${id.replace("/", ":")} ${at}`;
}

/** Names of all signals, or of all events, that the run's nodes wait for. */
export function signalsOf({ nodes }: GraphPlan, kind: "wait" | "event"): string[] {
  return nodes.flatMap(({ name, kind: nodeKind, items, ops }) => {
    const ids = nodeKind === "map" ? Array.from({ length: items }, (_, item) => `${name}/${item}`) : [name];
    return ids.flatMap((id) => ops.flatMap((op, at) => (op.kind === kind ? [signalOf(id, at)] : [])));
  });
}

function itemsOf({ items }: NodePlan, result: Json): Json[] {
  return Array.from({ length: items }, (_, item) => ({ item, of: sawOf(result) }));
}

/** Reduces results to their nonces, which identify the attempt that produced them. */
export function sawOf(value: Json): Json {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(sawOf);
  if ("nonce" in value) return value["nonce"] as Json;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, sawOf(each)]));
}
