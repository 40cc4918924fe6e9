/** What a step of many would do to each run, told before. Pure. */
import type { Snapshot } from "../../../graph.ts";
import type { BulkStep } from "./bulk.ts";
import { stepViews } from "./steps.ts";
import { countText } from "./text.ts";

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

/** Nodes that a retry runs again: all that are not done. Items of a fan-out are told by their number. */
function againText({ nodes }: Snapshot): string {
  const counts = new Map<string, number>();
  for (const { id, kind, status } of nodes) {
    if (kind !== "node" || status === "done") continue;
    const [name = id] = id.split("/", 1);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].map(([name, count]) => (count === 1 ? name : `${countText(count)} of ${name}`));
  const more = names.length - MOST_NAMES;
  const listed = more > 1 ? `${names.slice(0, MOST_NAMES).join(", ")} and ${countText(more)} more` : names.join(", ");
  return listed === "" ? "runs again" : `runs again: ${listed}`;
}
