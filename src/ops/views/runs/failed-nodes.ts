/** The nodes of a run that have failed, one after the other: which comes before and which after the one that is looked at. Pure. */
import type { Snapshot } from "../../../graph.ts";

type Node = Snapshot["nodes"][number];

export interface FailedNodes {
  count: number;
  /** Which of them is looked at, from 1; undefined: none. */
  place: number | undefined;
  /** Ids, round at both ends; undefined where there is no other. */
  before: string | undefined;
  after: string | undefined;
}

/** In the order in which nodes began. @param chosen the node that is looked at */
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

/** By number where they began at once: `pick/2` before `pick/10`. */
function inTime(a: Node, b: Node): number {
  return (a.started_ms ?? Infinity) - (b.started_ms ?? Infinity) || a.id.localeCompare(b.id, "en", { numeric: true });
}

function hasFailed({ kind, status }: Node): boolean {
  return kind === "node" && (status === "failed" || status === "uncompensated");
}
