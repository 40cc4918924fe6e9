/** A fork that begins at a step: the outcomes that its node has recorded before that step are copied. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { GraphRow, NodeRow } from "../../storage/contract/graph-rows.ts";
import { callId, isInner, ownerOf } from "./step-id.ts";

/** The node of `from`, which is itself a node or one of its steps. */
export function nodeOfStep(from: string): string {
  return isInner(from) ? ownerOf(from) : from;
}

/**
 * Rows of the new run for the calls that ended before the one at which it begins, in their order. All of a node's calls count that have an
 * outcome: steps, transactions, sleeps, waits and calls. Artifacts are written again, because their bytes belong to the other run.
 * @param row row of the new run. @param nodes nodes of the other run. @param from id of a step, such as `charge#refund`.
 * @throws SvcError `SVC_INVALID` if the node has made no such call.
 */
export function earlierCalls(row: GraphRow, nodes: readonly NodeRow[], from: string): NodeRow[] {
  const owner = ownerOf(from);
  const calls = callsOf(nodes, owner);
  const first = calls.get(from);
  if (!first) throw unknownStep(from, [...calls.keys()]);
  const endOf = (rows: readonly NodeRow[]): number =>
    Math.max(...rows.map(({ kind, doneSeq }) => (kind === "artifact" ? Infinity : (doneSeq ?? Infinity))));
  const firstEnd = endOf(first);
  const earlier = [...calls.values()].filter((rows) => endOf(rows) < firstEnd).flat();
  earlier.sort((a, b) => (a.doneSeq ?? 0) - (b.doneSeq ?? 0));
  // Before all outcomes of the new run, whose orders are numbers of events.
  return earlier.map((node, at) => ({ ...node, graphId: row.id, epoch: row.epoch, doneSeq: at - earlier.length }));
}

/** Rows of the calls of a node by the call's id. The items of a `ctx.map` are one call. */
function callsOf(nodes: readonly NodeRow[], owner: string): Map<string, NodeRow[]> {
  const calls = new Map<string, NodeRow[]>();
  for (const node of nodes) {
    if (!isInner(node.id) || ownerOf(node.id) !== owner) continue;
    const id = callId(node.id);
    calls.set(id, [...(calls.get(id) ?? []), node]);
  }
  return calls;
}

function unknownStep(from: string, known: readonly string[]): SvcError {
  const some = known.length === 0 ? "it has recorded none" : `it has recorded ${known.slice(0, 20).join(", ")}`;
  return new SvcError(
    "SVC_INVALID",
    `"from" is "${from.slice(0, 200)}", which is not a step of the node "${ownerOf(from).slice(0, 200)}"; ${some}`,
    { issues: [{ path: ["from"], message: "must be a node, or a step that it has recorded" }] },
  );
}
