/**
 * Child runs: a node whose work is another run. Its worker starts the child exactly once, waits without a slot until it ends, and takes
 * the result from the store. Cancel, pause and resume are passed to children. A child that ends sends a signal to its parent's waiting
 * node.
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
import { runState } from "../../storage/contract/run-state.ts";
import { FinalError } from "../definition/final-error.ts";
import type { Worker } from "../definition/definition-types.ts";
import type { Machine } from "../machine/machine.ts";
import { refusalOf } from "../machine/rejected-command.ts";
import type { Engine } from "./engine-types.ts";
import type { StartOptions, AuditContext } from "../definition/audit-types.ts";
import type { WorkerContext } from "../definition/worker-types.ts";

/** Time before a failed operation is retried. */
const AGAIN_MS = 1000;
const KEY_PREFIX = "child/";
/** Key of the step that starts a child. */
const START = "start";
/** Prefix of signals that report an end. Names that authors choose contain no colon. */
const END_PREFIX = "graph:";

export interface ChildOptions {
  graphs: GraphStore;
  clock: Clock;
  log: Log;
}

/** Children are controlled by the same methods that any caller uses. */
export type ChildEngine = Pick<Engine, "start" | "retry" | "cancel" | "terminate" | "pause" | "resume" | "signal">;

/** Commands that are passed to children, and the parent's phases after them. A parent that has left these phases passes nothing on. */
const PHASES_AFTER = {
  pause: ["pausing", "paused"],
  cancel: ["cancelling", "failed"],
  terminate: ["failed"],
} as const satisfies Record<string, readonly GraphPhase[]>;

/** Whether a node has started a child, or a step with the same key. */
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
    if (!this.#engine) throw new Error("Child runs were used before the engine was complete");
    return this.#engine;
  }

  /** The worker to call. For a graph used as a worker, the worker that runs the child. */
  bind(worker: Worker<never, unknown>): Worker<never, unknown> {
    const { graph } = worker;
    return graph ? { ...worker, run: (input: never, ctx) => this.#run(graph.name, input, ctx) } : worker;
  }

  async #run(name: string, input: Json, ctx: WorkerContext): Promise<Json> {
    const engine = this.#requireEngine();
    const { id, epoch } = await ctx.step(START, async () => {
      const parent = { graphId: ctx.graphId, node: ctx.nodeId };
      const options: StartOptions = {
        // With the epoch, unlike the worker's own keys: a node that runs from the start starts another child.
        idempotencyKey: `${KEY_PREFIX}${[ctx.graphId, ctx.nodeId, ctx.epoch].join("/")}`,
        parent,
        origin: { kind: "graph" },
      };
      const { snapshot } = await engine.start(name, input ?? null, options);
      // The parent may have failed, and its children been searched, before this child existed.
      if (ctx.signal.aborted && (await this.#hasFailed(ctx.graphId))) await refusalOf(engine.cancel(snapshot.graph_id));
      return { id: snapshot.graph_id, epoch: ctx.epoch };
    });
    // The parent is retried, so the failed child is retried too, once its compensation has ended.
    if (ctx.epoch > epoch) {
      await this.#after(id, ctx, isCompensated);
      await ctx.step(`again-${ctx.epoch}`, () => this.#retry(id));
    }
    const row = await this.#after(id, ctx, hasEnded);
    if (row.phase === "done") return row.result ?? null;
    throw new FinalError(`The graph ${id} ("${name}") failed: ${row.error?.message ?? ""}`);
  }

  /** @returns the child's row once the condition holds. Checked now and at each end of the child. */
  async #after(id: string, ctx: WorkerContext, isSoFar: (row: GraphRow) => boolean): Promise<GraphRow> {
    let row = await this.#row(id);
    while (!isSoFar(row)) {
      await ctx.waitFor(endOf(row));
      row = await this.#row(id);
    }
    return row;
  }

  async #retry(id: string): Promise<null> {
    // Another caller may have been faster.
    if ((await this.#row(id)).phase === "failed") await refusalOf(this.#requireEngine().retry(id));
    return null;
  }

  async #row(id: string): Promise<GraphRow> {
    const row = await this.#options.graphs.graph(id);
    if (!row) throw new FinalError(`The graph ${id}, which this node waits for, no longer exists`);
    return row;
  }

  /** Retries nothing from here on. The next process finds the open work. */
  close(): void {
    this.#isClosed = true;
  }

  /**
   * Passes a command to all children. Children that don't allow it stay as they are.
   * @throws errors of the store, after all other children have been processed.
   */
  async take(step: keyof typeof PHASES_AFTER | "resume", parentId: string, auditContext?: AuditContext): Promise<void> {
    const rows = (await this.#options.graphs.children([parentId])).filter((row) => !hasEnded(row));
    const note = auditContext?.note ?? `${step} of its parent ${parentId}`;
    const steps = rows.map(({ id }) => refusalOf(this.#requireEngine()[step](id, { ...auditContext, note })));
    for (const outcome of await Promise.allSettled(steps)) if (outcome.status === "rejected") throw outcome.reason;
  }

  /** Passes a committed command to the children, and retries after a fault of the store. Never rejects. */
  async follow(step: keyof typeof PHASES_AFTER, parentId: string, auditContext?: AuditContext): Promise<void> {
    const what = `The command "${step}" could not be passed to the children of run ${parentId}.`;
    await this.#patiently(parentId, what, async (isFirst) => {
      const phases: readonly GraphPhase[] = PHASES_AFTER[step];
      const isStill = isFirst || phases.includes((await runState(this.#options.graphs, parentId))?.phase ?? "done");
      if (isStill) await this.take(step, parentId, auditContext);
    });
  }

  /** Called when a run has ended: the children of a failed run end as well, and a waiting parent gets a signal. Never rejects. */
  async ended(row: ChildRow): Promise<void> {
    const { id, phase, parentGraph, idempotencyKey } = row;
    const end = endOf(row);
    if (phase === "failed") await this.follow("cancel", id);
    if (parentGraph === undefined || !idempotencyKey?.startsWith(KEY_PREFIX)) return;
    const what = `The end of the child run ${id} could not be reported to its parent.`;
    const options = { idempotencyKey: end, by: "child" };
    await this.#patiently(parentGraph, what, () =>
      refusalOf(this.#requireEngine().signal(parentGraph, end, null, options)),
    );
  }

  /**
   * A process has died that may not have reported its last commits: reports ended children to parents here, and ends children of failed
   * parents here. Rejects with errors of the store.
   * @param live active runs of this process.
   */
  async lookAgain(live: readonly { machine: Pick<Machine, "row" | "inner"> }[]): Promise<void> {
    const awaited = new Map(
      live.map(({ machine: { row, inner } }) => [row.id, new Set(inner.awaited().filter(isEnd))]),
    );
    const parents = [...awaited].filter(([, names]) => names.size > 0).map(([id]) => id);
    const children = parents.length === 0 ? [] : await this.#options.graphs.children(parents);
    const unreported = children.filter((row) => hasEnded(row) && awaited.get(row.parentGraph ?? "")?.has(endOf(row)));
    for (const row of unreported) await this.ended(row);
    for (const { machine } of live)
      if (await this.isOrphan(machine.row)) await this.follow("cancel", machine.row.parentGraph ?? "");
  }

  /** Runs idempotent work until it succeeds, because the caller has been answered. */
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
    return phases.includes((await runState(this.#options.graphs, id))?.phase ?? "failed");
  }

  /** Whether a child's parent failed without cancelling the child. */
  async isOrphan(row: GraphRow): Promise<boolean> {
    const { parentGraph } = row;
    if (parentGraph === undefined || hasEnded(row)) return false;
    return (await runState(this.#options.graphs, parentGraph))?.phase === "failed";
  }
}

/** Whether the compensation of a failed run has ended. */
function isCompensated({ phase }: GraphRow): boolean {
  return phase !== "cancelling";
}

/** Name of the signal for an end, different for each epoch. */
function endOf({ id, epoch }: Pick<GraphRow, "id" | "epoch">): string {
  return `${END_PREFIX}${id}:${epoch}`;
}

function isEnd(signal: string): boolean {
  return signal.startsWith(END_PREFIX);
}
