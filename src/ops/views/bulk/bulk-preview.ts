/** What a step of many would do to each run, told before. Pure. */
import type { Snapshot } from "../../../graph.ts";
import type { BulkStep } from "./bulk.ts";
import { stepViews } from "../runs/allowed-actions.ts";
import { countText } from "../format.ts";

export interface BulkEffect {
  run: Snapshot;
  /** Whether the run allows the step in its state. */
  isTaken: boolean;
  /** What happens to it, or why nothing does. */
  text: string;
}

/** Names that are listed; of more the number is told. */
const MOST_NAMES = 6;

const TAKEN: Readonly<Record<Exclude<BulkStep, "retry">, string>> = {
  pause: "pauses",
  resume: "goes on",
  cancel: "is cancelled",
};

export function bulkEffect(run: Snapshot, step: BulkStep): BulkEffect {
  const isRefused = stepViews(run.phase, "operator").find((view) => view.step === step)?.refusal !== undefined;
  if (isRefused) return { run, isTaken: false, text: `stays as it is: it is ${run.phase}` };
  return { run, isTaken: true, text: step === "retry" ? againText(run) : TAKEN[step] };
}

/**
 * Nodes that run again, as the edges name them. Items of a fan-out are told by their number.
 * @param from a node, or an item of a fan-out: it and all that comes after it. Default: all that are not done
 */
export function againText({ nodes, edges }: Snapshot, from?: string): string {
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
  const flash = sorted.map(([name, count]) => (count === 1 ? name : `${countText(count)} of ${name}`));
  const more = flash.length - MOST_NAMES;
  const listed = more > 1 ? `${flash.slice(0, MOST_NAMES).join(", ")} and ${countText(more)} more` : flash.join(", ");
  return listed === "" ? "runs again" : `runs again: ${listed}`;
}

/** A node's name from the id of it or of one of its items. */
function nameOf(id: string): string {
  return id.split("/", 1)[0] as string;
}

/** A node and all that wait for it, one behind the other. */
function namesAfter(edges: Snapshot["edges"], name: string): Set<string> {
  const found = new Set([name]);
  for (let size = 0; size !== found.size;) {
    size = found.size;
    for (const [before, after] of edges) if (found.has(before)) found.add(after);
  }
  return found;
}
