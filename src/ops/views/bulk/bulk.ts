/** What is chosen for a step of many: read from the address of the preview, and from the form that confirms it. Pure. */
import { SvcError } from "../../../index.ts";
import { readRunsQuery, type RunsFilter } from "../runs/runs-query.ts";

export const BULK_STEPS = ["pause", "resume", "cancel", "retry"] as const;
export type BulkStep = (typeof BULK_STEPS)[number];

export interface BulkChoice {
  step: BulkStep;
  filter: RunsFilter;
  /** Undefined: all that the filter fits. */
  ids: string[] | undefined;
}

/** @param redact as `readRunsQuery` takes it. @throws SvcError `SVC_INVALID` for a step that is none, and where a filter can't be used: the step would be for more runs */
export function readBulk(query: URLSearchParams, redact: readonly string[]): BulkChoice {
  const given = query.get("step");
  const step = BULK_STEPS.find((one) => one === given);
  if (!step) throw new SvcError("SVC_INVALID", `"${given ?? ""}" is no step; there are ${BULK_STEPS.join(", ")}`);
  const listed = [...query.getAll("run"), ...(query.get("runs") ?? "").split(",")].filter((id) => id !== "");
  const isAll = query.get("which") === "all" || (query.get("which") === null && !query.has("runs"));
  const { filter, problems } = readRunsQuery(query, redact);
  if (isAll && problems.length > 0) throw new SvcError("SVC_INVALID", problems.join(". "));
  return { step, filter, ids: isAll ? undefined : listed };
}
