/** Reports steps, sleeps and waits that have ended, once their transition is committed. */
import type { NodeKind, NodeRow } from "../../../storage/contract/graph-rows.ts";
import type { Transition } from "../../../storage/contract/transition.ts";
import type { StepReport } from "../../machine/report-types.ts";
import type { Machine } from "../../machine/machine.ts";
import { isInner, ownerOf } from "../../machine/step-id.ts";

/** A called node has attempts, which are reported themselves. */
const KINDS: ReadonlySet<NodeKind> = new Set(["step", "tx", "artifact", "sleep", "wait", "event"]);

export function stepReports(
  { row, node: nodeOf }: ReadRun,
  { nodes = [], insertNodes = [] }: Transition,
): StepReport[] {
  const ended = new Set([...nodes, ...insertNodes].filter(hasEnded).map(({ id }) => id));
  return [...ended].flatMap((id) => {
    const node = nodeOf(id);
    const owner = nodeOf(ownerOf(id));
    return node && owner && KINDS.has(node.kind) ? [reportOf(node, owner, row.epoch)] : [];
  });
}

/** The part of a machine that is read. */
type ReadRun = Pick<Machine, "row" | "node">;

function hasEnded({ id, status, finishedMs }: Partial<NodeRow> & { id?: string }): boolean {
  return id !== undefined && isInner(id) && finishedMs !== undefined && (status === "done" || status === "failed");
}

function reportOf({ graphId, id, kind, startedMs, finishedMs = 0, error }: NodeRow, owner: NodeRow, epoch: number) {
  return {
    graphId,
    epoch,
    node: owner.id,
    attempt: owner.attempt,
    step: id.slice(owner.id.length + 1),
    kind,
    startedMs: startedMs ?? finishedMs,
    endedMs: finishedMs,
    message: error?.message,
  };
}
