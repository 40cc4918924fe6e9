/**
 * Graphs inside of graphs: a node whose work is another graph. Its worker starts the child once, whatever crashes, waits
 * without a place until that has ended, and goes by what the store says of it. Cancel, pause and resume go down to the
 * children; that a child has ended goes up, as a signal to the node that waits for it.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Log } from "../../platform/shared/log.ts";
import {
  hasEnded,
  type ChildRow,
  type GraphPhase,
  type GraphRow,
  type NodeRow,
} from "../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import { FinalError } from "../definition/final-error.ts";
import type { Worker } from "../definition/definition-types.ts";
import type { Machine } from "../machine/machine.ts";
import { refusalOf } from "./rejected-command.ts";
import type { Engine } from "./engine-types.ts";
import type { StartOptions, Steering } from "../definition/audit-types.ts";
import type { WorkerContext } from "../definition/worker-types.ts";

/** How long to wait before what the store was in no state for is tried again. */
const AGAIN_MS = 1000;
const KEY_PREFIX = "child/";
/** Key of the step that starts a child. */
const START = "start";
/** Of signals that tell of an end: names of an author's have no colon. */
const END_PREFIX = "graph:";

export interface ChildOptions {
  graphs: GraphStore;
  clock: Clock;
  log: Log;
}

/** What is done with children is done as by any other caller of the engine. */
export type ChildEngine = Pick<Engine, "start" | "retry" | "cancel" | "pause" | "resume" | "signal">;

/** Steps that go down, and what a parent is in after them: one that has meanwhile left it takes nobody along any more. */
const PHASES_AFTER = {
  pause: ["pausing", "paused"],
  cancel: ["cancelling", "failed"],
} as const satisfies Record<string, readonly GraphPhase[]>;

/** Whether a node of its graph has started a child, or a step that is called as the one that does. */
export function mayHaveChild(inner: Pick<NodeRow, "id">): boolean {
  return inner.id.endsWith(`#${START}`);
}

export class Children {
  readonly #options: ChildOptions;
  #engine: ChildEngine | undefined;
  #isClosed = false;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  /** Called once, when the engine is complete. */
  attach(engine: ChildEngine): void {
    this.#engine = engine;
  }

  #requireEngine(): ChildEngine {
    if (!this.#engine) throw new Error("Children were asked for before their engine was complete");
    return this.#engine;
  }

  /** The worker as it is called: of one that stands for a graph, the one that runs it. */
  bind(worker: Worker<never, unknown>): Worker<never, unknown> {
    const { graph } = worker;
    return graph ? { ...worker, run: (input: never, ctx) => this.#run(graph.name, input, ctx) } : worker;
  }

  async #run(name: string, input: Json, ctx: WorkerContext): Promise<Json> {
    const engine = this.#requireEngine();
    const { id, epoch } = await ctx.step(START, async () => {
      const parent = { graphId: ctx.graphId, node: ctx.nodeId };
      const options: StartOptions = {
        idempotencyKey: `${KEY_PREFIX}${ctx.idempotencyKey()}`,
        parent,
        origin: { kind: "graph" },
      };
      const { snapshot } = await engine.start(name, input ?? null, options);
      // The parent may have failed meanwhile, and its children been looked for before this one was there.
      if (ctx.signal.aborted && (await this.#hasFailed(ctx.graphId))) await refusalOf(engine.cancel(snapshot.graph_id));
      return { id: snapshot.graph_id, epoch: ctx.epoch };
    });
    // The parent is run again: so is the child that failed, from where it did, once what it had done is undone.
    if (ctx.epoch > epoch) {
      await this.#after(id, ctx, isUndone);
      await ctx.step(`again-${ctx.epoch}`, () => this.#retry(id));
    }
    const row = await this.#after(id, ctx, hasEnded);
    if (row.phase === "done") return row.result ?? null;
    throw new FinalError(`The graph ${id} ("${name}") failed: ${row.error?.message ?? ""}`);
  }

  /** @returns the child as it is once it has come so far: looked at now, and at each of its ends. */
  async #after(id: string, ctx: WorkerContext, isSoFar: (row: GraphRow) => boolean): Promise<GraphRow> {
    let row = await this.#row(id);
    while (!isSoFar(row)) {
      await ctx.waitFor(endOf(row));
      row = await this.#row(id);
    }
    return row;
  }

  async #retry(id: string): Promise<null> {
    // Somebody may have been faster.
    if ((await this.#row(id)).phase === "failed") await refusalOf(this.#requireEngine().retry(id));
    return null;
  }

  async #row(id: string): Promise<GraphRow> {
    const row = await this.#options.graphs.graph(id);
    if (!row) throw new FinalError(`The graph ${id}, which this node waits for, is no longer there`);
    return row;
  }

  /** Nothing is tried again from here on: the next process finds what there is to do. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * Takes the children along; those that don't allow it stay as they are.
   * @throws what the store does, once all that could be taken along are.
   */
  async take(step: "pause" | "resume" | "cancel", parentId: string, steering?: Steering): Promise<void> {
    const rows = (await this.#options.graphs.children([parentId])).filter((row) => !hasEnded(row));
    const note = steering?.note ?? `${step} of its parent ${parentId}`;
    const steps = rows.map(({ id }) => refusalOf(this.#requireEngine()[step](id, { ...steering, note })));
    for (const outcome of await Promise.allSettled(steps)) if (outcome.status === "rejected") throw outcome.reason;
  }

  /** The parent has been steered, and that is committed: its children follow, after a fault of the store later. Never rejects. */
  async follow(step: keyof typeof PHASES_AFTER, parentId: string, steering?: Steering): Promise<void> {
    const what = `Children of the graph ${parentId} could not follow its ${step}.`;
    await this.#patiently(parentId, what, async (isFirst) => {
      const phases: readonly GraphPhase[] = PHASES_AFTER[step];
      const isStill = isFirst || phases.includes((await this.#options.graphs.graph(parentId))?.phase ?? "done");
      if (isStill) await this.take(step, parentId, steering);
    });
  }

  /** A graph has ended: of one that failed the children end too, and a parent that waits for it is told. Never rejects. */
  async ended(row: ChildRow): Promise<void> {
    const { id, phase, parentGraph, idempotencyKey } = row;
    const end = endOf(row);
    if (phase === "failed") await this.follow("cancel", id);
    if (parentGraph === undefined || !idempotencyKey?.startsWith(KEY_PREFIX)) return;
    const what = `That the child ${id} has ended could not be told.`;
    const options = { idempotencyKey: end, by: "child" };
    await this.#patiently(parentGraph, what, () =>
      refusalOf(this.#requireEngine().signal(parentGraph, end, null, options)),
    );
  }

  /**
   * A process is gone that may have told nobody what it committed last: parents here hear of children that have ended meanwhile, and children
   * here end whose parent has failed. Rejects with what the store does.
   * @param live graphs that are under way here.
   */
  async lookAgain(live: readonly { machine: Pick<Machine, "row" | "inner"> }[]): Promise<void> {
    const awaited = new Map(
      live.map(({ machine: { row, inner } }) => [row.id, new Set(inner.awaited().filter(isEnd))]),
    );
    const parents = [...awaited].filter(([, names]) => names.size > 0).map(([id]) => id);
    const children = parents.length === 0 ? [] : await this.#options.graphs.children(parents);
    const untold = children.filter((row) => hasEnded(row) && awaited.get(row.parentGraph ?? "")?.has(endOf(row)));
    for (const row of untold) await this.ended(row);
    for (const { machine } of live)
      if (await this.isOrphan(machine.row)) await this.follow("cancel", machine.row.parentGraph ?? "");
  }

  /** Work that may be done twice. Tried again until it is done: who asked for it has been answered. */
  async #patiently(
    graphId: string,
    what: string,
    work: (isFirst: boolean) => Promise<unknown>,
    isFirst = true,
  ): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await work(isFirst);
    } catch (error) {
      if (this.#isClosed) return;
      log.error({ graphId, err: error }, `${what} It is tried again.`);
      clock.schedule(AGAIN_MS, () => void (this.#isClosed || this.#patiently(graphId, what, work, false)));
    }
  }

  async #hasFailed(id: string): Promise<boolean> {
    const phases: readonly GraphPhase[] = PHASES_AFTER.cancel;
    return phases.includes((await this.#options.graphs.graph(id))?.phase ?? "failed");
  }

  /** A child whose parent has failed while nobody could tell it. */
  async isOrphan(row: GraphRow): Promise<boolean> {
    const { parentGraph } = row;
    if (parentGraph === undefined || hasEnded(row)) return false;
    return (await this.#options.graphs.graph(parentGraph))?.phase === "failed";
  }
}

/** Whether nothing of a failure is left to be undone. */
function isUndone({ phase }: GraphRow): boolean {
  return phase !== "cancelling";
}

/** Name of the signal that says it; another for each time that the graph is run. */
function endOf({ id, epoch }: Pick<GraphRow, "id" | "epoch">): string {
  return `${END_PREFIX}${id}:${epoch}`;
}

function isEnd(signal: string): boolean {
  return signal.startsWith(END_PREFIX);
}
