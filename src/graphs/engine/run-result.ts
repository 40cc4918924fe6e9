/**
 * Waiting for what a graph comes to. Told by the commit that ends it: where the graph runs in this process its result is at hand then,
 * and nothing is read.
 */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { GraphEvent, GraphRow } from "../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import type { Machine } from "../machine/machine.ts";
import { CallError } from "../execution/attempt/call-error.ts";

export interface ResultSource {
  graphs: Pick<GraphStore, "graph" | "onEvents">;
  /** The active runs of this process: ahead of the store by what is not committed yet. */
  runs: { get(graphId: string): { machine: Machine } | undefined };
}

/** Rejects as `Engine.result` says. */
export function resultOf(source: ResultSource, graphId: string, signal?: AbortSignal): Promise<Json> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      stop();
      signal?.removeEventListener("abort", abort);
      end();
    };
    const abort = (): void => settle(() => reject(signal?.reason as Error));
    const take = (row: GraphRow | undefined): void => {
      if (!row) settle(() => reject(new SvcError("SVC_NOT_FOUND", `There is no graph "${graphId}"`)));
      else if (row.phase === "done") settle(() => resolve(row.result ?? null));
      else if (row.phase === "failed") settle(() => reject(failureOf(row)));
    };
    const read = (): void => {
      source.graphs.graph(graphId).then(take, (error: unknown) => settle(() => reject(error as Error)));
    };
    const stop = source.graphs.onEvents(graphId, (events) => {
      const row = rowAtHand(source.runs.get(graphId)?.machine, events);
      if (row) take(row);
      else if (mayHaveEnded(events)) read();
    });
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    const machine = source.runs.get(graphId)?.machine;
    // Of one whose end is decided it can't be told here whether that was announced before.
    if (!machine || machine.isTerminal) read();
  });
}

/** The row of a graph that has ended with these events, where the mirror is still what they left. */
function rowAtHand(machine: Machine | undefined, events: readonly GraphEvent[]): GraphRow | undefined {
  return machine?.isTerminal && machine.lastSeq === events.at(-1)?.seq ? machine.row : undefined;
}

/** None are told where another process has added some. */
function mayHaveEnded(events: readonly GraphEvent[]): boolean {
  return events.length === 0 || events.some(({ type }) => type === "graph.done" || type === "graph.failed");
}

function failureOf({ id, error }: GraphRow): CallError {
  return new CallError(id, error ?? { message: "", reason: "error" });
}
