/**
 * Graphs inside of graphs: a node whose work is another graph. Its worker starts the child once, whatever crashes, waits
 * without a place until that has ended, and goes by what the store says of it. Cancel, pause and resume go down to the
 * children; that a child has ended goes up, as a signal to the node that waits for it.
 */
import type { Clock } from "../shared/clock.ts";
import { SvcError } from "../shared/errors.ts";
import type { Json } from "../shared/json.ts";
import type { Log } from "../shared/log.ts";
import type { GraphRow } from "../store/graph-rows.ts";
import type { GraphStore } from "../store/graph-store.ts";
import { FinalError } from "./definition/final-error.ts";
import type { Worker } from "./definition/definition-types.ts";
import type { Engine } from "./engine-types.ts";
import type { Steering } from "./definition/steering-types.ts";
import type { WorkerContext } from "./definition/worker-types.ts";

/** How long to wait before an end that could not be told is told again. */
const AGAIN_MS = 1000;
const KEY_PREFIX = "child/";
/** Of signals that tell of an end: names of an author's have no colon. */
const END_PREFIX = "graph:";

export interface ChildOptions {
  graphs: GraphStore;
  clock: Clock;
  log: Log;
  engine: Pick<Engine, "start" | "retry" | "cancel" | "pause" | "resume" | "signal">;
}

export class Children {
  readonly #options: ChildOptions;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  /** The worker as it is called: of one that stands for a graph, the one that runs it. */
  bind(worker: Worker<never, unknown>): Worker<never, unknown> {
    const { graph } = worker;
    return graph ? { ...worker, run: (input: never, ctx) => this.#run(graph.name, input, ctx) } : worker;
  }

  async #run(name: string, input: Json, ctx: WorkerContext): Promise<Json> {
    const { engine } = this.#options;
    const { id, epoch } = await ctx.step("start", async () => {
      const parent = { graphId: ctx.graphId, node: ctx.nodeId };
      const options = { idempotencyKey: `${KEY_PREFIX}${ctx.idempotencyKey()}`, parent };
      const { snapshot } = await engine.start(name, input ?? null, options);
      return { id: snapshot.graph_id, epoch: ctx.epoch };
    });
    // The parent is run again: so is the child that failed, from where it did.
    if (ctx.epoch > epoch) await ctx.step(`again-${ctx.epoch}`, () => this.#retry(id));
    let row = await this.#row(id);
    while (!hasEnded(row)) {
      await ctx.waitFor(endOf(row));
      row = await this.#row(id);
    }
    if (row.phase === "done") return row.result ?? null;
    throw new FinalError(`The graph ${id} ("${name}") failed: ${row.error?.message ?? ""}`);
  }

  async #retry(id: string): Promise<null> {
    if ((await this.#row(id)).phase === "failed") await this.#options.engine.retry(id);
    return null;
  }

  async #row(id: string): Promise<GraphRow> {
    const row = await this.#options.graphs.graph(id);
    if (!row) throw new FinalError(`The graph ${id}, which this node waits for, is no longer there`);
    return row;
  }

  /** Takes the children along. Those that don't allow it stay as they are. */
  async follow(step: "pause" | "resume" | "cancel", parentId: string, steering?: Steering): Promise<void> {
    const rows = (await this.#options.graphs.children([parentId])).filter((row) => !hasEnded(row));
    const note = steering?.note ?? `${step} of its parent ${parentId}`;
    await Promise.all(rows.map(({ id }) => unlessRefused(this.#options.engine[step](id, { ...steering, note }))));
  }

  /** A graph has ended: of one that failed the children end too, and a parent that waits for it is told. */
  async ended(row: GraphRow): Promise<void> {
    const { id, phase, parentGraph, idempotencyKey } = row;
    if (phase === "failed") await this.follow("cancel", id);
    if (parentGraph !== undefined && idempotencyKey?.startsWith(KEY_PREFIX)) await this.#tell(parentGraph, { ...row });
  }

  async #tell(parentId: string, row: GraphRow): Promise<void> {
    const { engine, clock, log } = this.#options;
    const options = { idempotencyKey: endOf(row), by: "child" };
    try {
      await unlessRefused(engine.signal(parentId, endOf(row), null, options));
    } catch (error) {
      log.error(
        { graphId: parentId, err: error },
        `That the child ${row.id} has ended could not be told. It is tried again.`,
      );
      clock.schedule(AGAIN_MS, () => void this.#tell(parentId, row));
    }
  }

  /** A child whose parent has failed while nobody could tell it. */
  async isOrphan({ parentGraph, phase }: GraphRow): Promise<boolean> {
    if (parentGraph === undefined || phase === "done" || phase === "failed") return false;
    return (await this.#options.graphs.graph(parentGraph))?.phase === "failed";
  }
}

function hasEnded({ phase }: GraphRow): boolean {
  return phase === "done" || phase === "failed";
}

/** Name of the signal that says it; another for each time that the graph is run. */
function endOf({ id, epoch }: GraphRow): string {
  return `${END_PREFIX}${id}:${epoch}`;
}

async function unlessRefused(step: Promise<unknown>): Promise<void> {
  try {
    await step;
  } catch (error) {
    if (!(error instanceof SvcError && (error.code === "SVC_TRANSITION" || error.code === "SVC_NOT_FOUND")))
      throw error;
  }
}
