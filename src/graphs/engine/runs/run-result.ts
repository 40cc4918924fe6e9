/**
 * Waits for the result of a run. The commit that ends a run announces it: if the run is active in this process, the result is in memory
 * and nothing is read.
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Json } from "../../../platform/shared/json.ts";
import type { GraphEvent, GraphRow } from "../../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../../storage/contract/graph-store.ts";
import type { Machine } from "../../machine/machine.ts";
import type { KeepAlive } from "./keep-alive.ts";
import { CallError } from "../../execution/attempt/call-error.ts";

export interface ResultSource {
  graphs: Pick<GraphStore, "graph" | "onEvents">;
  /** Active runs of this process, which are ahead of the store by uncommitted changes. */
  runs: { get(graphId: string): { machine: Machine } | undefined };
  keepAlive: KeepAlive;
}

/** Rejects as `Engine.result` documents. */
export function resultOf(source: ResultSource, graphId: string, signal?: AbortSignal): Promise<Json> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const settle = (end: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      source.keepAlive.end();
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
    source.keepAlive.begin();
    const stop = source.graphs.onEvents(graphId, (events) => {
      const row = rowAtHand(source.runs.get(graphId)?.machine, events);
      if (row) take(row);
      else if (mayHaveEnded(events)) read();
    });
    if (signal?.aborted) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    const machine = source.runs.get(graphId)?.machine;
    // If the end is decided, this process can't know whether it was announced before.
    if (!machine || machine.isTerminal) read();
  });
}

/** Row of a run that ended with these events, if the machine has not changed since. */
function rowAtHand(machine: Machine | undefined, events: readonly GraphEvent[]): GraphRow | undefined {
  return machine?.isTerminal && machine.lastSeq === events.at(-1)?.seq ? machine.row : undefined;
}

/** Another process announces changes without their events. */
function mayHaveEnded(events: readonly GraphEvent[]): boolean {
  return events.length === 0 || events.some(({ type }) => type === "graph.done" || type === "graph.failed");
}

function failureOf({ id, error }: GraphRow): CallError {
  return new CallError(id, error ?? { message: "", reason: "error" });
}
