/** The effect of a bulk action on each run, for the preview. Pure. */
import type { Snapshot } from "../../../graph.ts";
import type { BulkStep } from "./bulk.ts";
import { stepViews } from "../runs/allowed-actions.ts";
import { countText } from "../format.ts";

export interface BulkEffect {
  run: Snapshot;
  /** Whether the run's state allows the action. */
  isTaken: boolean;
  /** The effect, or why there is none. */
  text: string;
}

/** Maximum number of names in the text; the others are only counted. */
const MOST_NAMES = 6;

const TAKEN: Readonly<Record<Exclude<BulkStep, "retry">, string>> = {
  pause: "is paused",
  resume: "is resumed",
  cancel: "is cancelled",
};

export function bulkEffect(run: Snapshot, step: BulkStep): BulkEffect {
  const isRefused = stepViews(run.phase, "operator").find((view) => view.step === step)?.refusal !== undefined;
  if (isRefused) return { run, isTaken: false, text: `unchanged, because it is ${run.phase}` };
  return { run, isTaken: true, text: step === "retry" ? rerunText(run) : TAKEN[step] };
}

/**
 * Lists the nodes that run again, in the order of the edges. Items of a fan-out are counted. @param from a node or an item of a fan-out,
 * which runs again with all nodes after it. Default: all nodes that are not done
 */
export function rerunText({ nodes, edges }: Snapshot, from?: string): string {
  const names = from === undefined ? undefined : namesAfter(edges, nameOf(from));
  const counts = new Map<string, number>();
  for (const { id, kind, status } of nodes) {
    const name = nameOf(id);
    const isBeside = from?.includes("/") === true && name === nameOf(from) && id !== from;
    if (kind !== "node" || isBeside || !(names?.has(name) ?? status !== "done")) continue;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const places = [...new Set(edges.flat())];
  const sorted = [...counts].sort(([a], [b]) => places.indexOf(a) - places.indexOf(b));
  const texts = sorted.map(([name, count]) => (count === 1 ? name : `${countText(count)} of ${name}`));
  const more = texts.length - MOST_NAMES;
  const listed = more > 1 ? `${texts.slice(0, MOST_NAMES).join(", ")} and ${countText(more)} more` : texts.join(", ");
  return listed === "" ? "runs again" : `reruns ${listed}`;
}

/** The node's name in the ID of a node or of a fan-out item. */
function nameOf(id: string): string {
  return id.split("/", 1)[0] as string;
}

/** A node and all nodes that depend on it, directly or indirectly. */
function namesAfter(edges: Snapshot["edges"], name: string): Set<string> {
  const found = new Set([name]);
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const [before, after] of edges) if (found.has(before)) found.add(after);
  }
  return found;
}
