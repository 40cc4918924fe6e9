/** Navigation between the failed nodes of a run. Pure. */
import type { Snapshot } from "../../../graph.ts";

type Node = Snapshot["nodes"][number];

export interface FailedNodes {
  count: number;
  /** Position of the selected node, from 1; undefined: it has not failed. */
  place: number | undefined;
  /** IDs of the neighbors, wrapping around at both ends; undefined if there is no other failed node. */
  before: string | undefined;
  after: string | undefined;
}

/** The failed nodes in the order in which they started. @param chosen the selected node */
export function failedNodes({ nodes }: Snapshot, chosen: string | undefined): FailedNodes {
  const all = nodes.toSorted(inTime);
  const failed = all.filter(hasFailed).map(({ id }) => id);
  const placeOf = new Map(all.map(({ id }, place) => [id, place]));
  const here = chosen === undefined ? undefined : placeOf.get(chosen);
  const others = failed.filter((id) => id !== chosen);
  const at = (id: string): number => placeOf.get(id) ?? 0;
  return {
    count: failed.length,
    place: chosen !== undefined && failed.includes(chosen) ? failed.indexOf(chosen) + 1 : undefined,
    before: others.findLast((id) => here === undefined || at(id) < here) ?? others.at(-1),
    after: others.find((id) => here === undefined || at(id) > here) ?? others[0],
  };
}

/** Nodes that started at the same time are in numeric order: `pick/2` before `pick/10`. */
function inTime(a: Node, b: Node): number {
  return (a.started_ms ?? Infinity) - (b.started_ms ?? Infinity) || a.id.localeCompare(b.id, "en", { numeric: true });
}

function hasFailed({ kind, status }: Node): boolean {
  return kind === "node" && (status === "failed" || status === "uncompensated");
}
