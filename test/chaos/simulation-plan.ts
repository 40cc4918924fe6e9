/**
 * The plan of a simulation (test/chaos/simulation.ts), derived from its seed: graphs, workers' behavior, operators' actions and the number
 * of crashes. Also computes the expected outcome from the plan alone, without a store or time.
 */

/** Pseudorandom numbers that a seed determines (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) >>> 0;
  }

  /** A number from 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 to below `count`. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  isOneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  times<T>(least: number, most: number, make: (at: number) => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, (_, at) => make(at));
  }
}

/** An operation of a worker. A worker runs its operations in order. */
export type Op =
  | { kind: "step" | "call" | "state" }
  | { kind: "sleep"; ms: number }
  /** Takes a while, with a heartbeat halfway. */
  | { kind: "work"; ms: number }
  /** Waits for a signal that is sent once or twice. */
  | { kind: "wait" }
  /** Waits for an event that is sent once or twice. */
  | { kind: "event" }
  /** Waits for a signal that is never sent. */
  | { kind: "late"; ms: number }
  | { kind: "map"; items: number }
  /** Writes a file from a slow stream. */
  | { kind: "artifact"; ms: number };

export interface NodePlan {
  name: string;
  kind: "node" | "map" | "child";
  /** Indices of its predecessors. */
  after: number[];
  ops: Op[];
  /** Number of attempts that fail before one succeeds. */
  fails: number;
  /** Whether the first attempt never ends by itself. */
  hangs: boolean;
  /** Whether it fails with a final error. */
  isFatal: boolean;
  onError: "fail" | "continue";
  isWanted: boolean;
  items: number;
  compensates: boolean;
  hasOnCancel: boolean;
  /** Number of compensation tries that fail before one succeeds. */
  undoFails: number;
  /** Whether the first compensation try never ends by itself. */
  undoHangs: boolean;
  concurrency: number;
  /** Option of its worker: whether its attempts end while they wait; undefined: only with their process. */
  suspends: boolean | undefined;
}

/** Flow control of a graph. */
export interface LimitPlan {
  limit: number;
  /** Whether the limit is for each tenant. */
  isKeyed: boolean;
  onLimit: "queue" | "cancel-newest" | "cancel-oldest";
  /** Whether tenants share the limit by weight. */
  isFair: boolean;
  ttlMs: number | undefined;
}

export interface GraphPlan {
  name: string;
  nodes: NodePlan[];
  onError: "fail-fast" | "drain";
  limit: LimitPlan | undefined;
}

export type Act =
  | { atMs: number; which: number; do: "pause" | "resume" | "cancel" | "retry" | "signal" | "die" | "restart" }
  /** Starts a build that lacks the first graph, and the complete one again a little later. */
  | { atMs: number; do: "deploy" }
  /** Sets the machine's clock. Durations measured with it include the change. */
  | { atMs: number; do: "set"; aheadMs: number };

export interface Plan {
  graphs: GraphPlan[];
  /** The graph that child nodes run. */
  child: GraphPlan;
  /** `isEvent`: an event starts the run. */
  starts: { atMs: number; delayMs: number; graph: number; tenant: number; isEvent: boolean }[];
  acts: Act[];
  /** Number of crashes at calls of the store, in addition to those in `acts`. */
  deaths: number;
  /** Number of commits that the store rejects with an error. */
  faults: number;
}

export const SPAN_MS = 4000;

export function planOf(seed: number): Plan {
  const dice = new Dice(seed);
  const graphs = dice.times(1, 2, (at) => graphPlan(dice, `graph${at}`, 5, true));
  const hasDeploy = dice.isOneIn(5);
  return {
    graphs,
    child: graphPlan(dice, "child", 2, false),
    starts: dice.times(1, graphs.some(({ limit }) => limit) ? 5 : 3, () => {
      const graph = dice.below(graphs.length);
      return {
        atMs: dice.below(200),
        delayMs: dice.isOneIn(3) ? dice.pick([500, 2000]) : 0,
        graph,
        tenant: dice.below(2),
        // A build that lacks a graph starts nothing for it.
        isEvent: dice.isOneIn(4) && !(hasDeploy && graph === 0),
      };
    }),
    acts: [
      ...(hasDeploy ? [{ atMs: dice.below(SPAN_MS), do: "deploy" } as const] : []),
      ...dice.times(0, 6, () => ({
        atMs: dice.below(SPAN_MS),
        which: dice.below(3),
        do: dice.pick(["pause", "resume", "resume", "cancel", "retry", "signal", "signal", "die", "restart"] as const),
      })),
      ...(dice.isOneIn(2) ? dice.times(1, 3, () => setting(dice)) : []),
    ],
    deaths: dice.below(3),
    faults: dice.isOneIn(4) ? 1 : 0,
  };
}

function setting(dice: Dice): Act {
  const aheadMs = dice.pick([-3_600_000, -30_000, -700, 0, 700, 30_000, 3_600_000]);
  return { atMs: dice.below(SPAN_MS), do: "set", aheadMs };
}

function graphPlan(dice: Dice, name: string, most: number, mayNest: boolean): GraphPlan {
  const nodes: NodePlan[] = [];
  const count = 1 + dice.below(most);
  for (let at = 0; at < count; at++) nodes.push(nodePlan(dice, at, nodes, mayNest));
  const onError = dice.isOneIn(4) ? "drain" : "fail-fast";
  return { name, nodes, onError, limit: mayNest && dice.isOneIn(3) ? limitPlan(dice) : undefined };
}

function limitPlan(dice: Dice): LimitPlan {
  const onLimit = dice.pick(["queue", "queue", "queue", "cancel-newest", "cancel-oldest"] as const);
  return {
    limit: 1 + dice.below(2),
    isKeyed: dice.isOneIn(2),
    onLimit,
    isFair: onLimit === "queue" && dice.isOneIn(2),
    ttlMs: dice.isOneIn(4) ? dice.pick([300, 3000]) : undefined,
  };
}

/** Whether flow control may cancel a run of this graph. */
export function mayBeRefused({ limit }: GraphPlan): boolean {
  return limit !== undefined && (limit.onLimit !== "queue" || limit.ttlMs !== undefined);
}

function nodePlan(dice: Dice, at: number, before: readonly NodePlan[], mayNest: boolean): NodePlan {
  // Each node follows one of the last two, which forms chains, and sometimes another one.
  const after = at === 0 || dice.isOneIn(5) ? [] : [at - 1 - dice.below(Math.min(2, at))];
  if (at > 1 && dice.isOneIn(3)) after.push(dice.below(at));
  const from = after[0];
  const canMap = from !== undefined && before[from]?.kind === "node";
  const kind = canMap && dice.isOneIn(3) ? "map" : mayNest && dice.isOneIn(6) ? "child" : "node";
  return {
    name: `n${at}`,
    kind,
    after: kind === "map" && from !== undefined ? [from] : [...new Set(after)],
    ops: kind === "child" ? [] : dice.times(0, kind === "map" ? 1 : 3, () => op(dice, mayNest)),
    fails: dice.isOneIn(4) ? 1 + dice.below(2) : 0,
    hangs: dice.isOneIn(12),
    isFatal: dice.isOneIn(14),
    onError: dice.isOneIn(3) ? "continue" : "fail",
    isWanted: kind !== "node" || !dice.isOneIn(8),
    items: dice.below(4),
    compensates: dice.isOneIn(4) && kind !== "child",
    hasOnCancel: dice.isOneIn(6),
    undoFails: dice.isOneIn(3) ? 1 + dice.below(2) : 0,
    undoHangs: dice.isOneIn(8),
    concurrency: dice.pick([1, 2, 16]),
    // Not from the dice, so that the rest of the plan of a seed stays as it was.
    suspends: [true, undefined, false][at % 3],
  };
}

function op(dice: Dice, mayWait: boolean): Op {
  const kind = dice.pick([
    "step",
    "step",
    "call",
    "state",
    "sleep",
    "work",
    "wait",
    "event",
    "late",
    "map",
    "artifact",
  ] as const);
  if (kind === "work") return { kind, ms: dice.pick([20, 400, 1500]) };
  if (kind === "sleep") return { kind, ms: dice.pick([0, 1, 300, 1500, 3000]) };
  if (kind === "late") return { kind, ms: 200 };
  if (kind === "artifact") return { kind, ms: dice.pick([0, 300]) };
  if (kind === "map") return { kind, items: dice.below(3) };
  // Only top-level runs receive signals, since the ids of child runs are not known.
  return { kind: (kind === "wait" || kind === "event") && !mayWait ? "step" : kind };
}

export type Fate = "done" | "failed" | "skipped";

/** The outcome of each node and of the run, if it is not interrupted. */
export function fateOf(plan: GraphPlan, child: GraphPlan): GraphFate {
  // Child graphs have no children.
  return fateWith(plan, fateWith(child, false).graph === "failed");
}

interface GraphFate {
  graph: "done" | "failed";
  nodes: Map<string, Fate>;
}

function fateWith(plan: GraphPlan, childFails: boolean): GraphFate {
  const nodes = new Map<string, Fate>();
  let graph: GraphFate["graph"] = "done";
  for (const node of plan.nodes) {
    const before = node.after.map((at) => nodes.get(plan.nodes[at]?.name ?? ""));
    const isCutOff = before.length > 0 && !before.includes("done");
    const fails = node.kind === "child" ? childFails : fatalOf(node);
    const fate = isCutOff || !node.isWanted ? "skipped" : fails ? "failed" : "done";
    nodes.set(node.name, fate);
    if (fate === "failed" && !goesOn(node)) graph = "failed";
  }
  return { graph, nodes };
}

function fatalOf({ kind, isFatal, items }: NodePlan): boolean {
  return isFatal && (kind !== "map" || items > 0);
}

/** Whether the run continues after this node fails. A failed fan-out ends its run, unless it collects errors. */
function goesOn({ kind, onError }: NodePlan): boolean {
  return onError === "continue" && kind !== "map";
}

/** The results of operations, except for those that differ between attempts. */
export function outcomesOf(ops: readonly Op[]): unknown[] {
  return ops.map((each, at) => {
    if (each.kind === "map") return Array.from({ length: each.items }, (_, item) => item * 2);
    if (each.kind === "call") return at * 2;
    if (each.kind === "step") return `step ${at}`;
    if (each.kind === "wait") return { go: at };
    return each.kind;
  });
}
