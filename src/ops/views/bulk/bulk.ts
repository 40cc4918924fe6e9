/** Parses the selection of a bulk action from the preview's URL or the confirming form. Pure. */
import { SvcError } from "../../../index.ts";
import { readRunsQuery, type RunsFilter } from "../runs/runs-query.ts";

export const BULK_STEPS = ["pause", "resume", "cancel", "retry"] as const;
export type BulkStep = (typeof BULK_STEPS)[number];

export interface BulkChoice {
  step: BulkStep;
  filter: RunsFilter;
  /** Undefined: all runs that match the filter. */
  ids: string[] | undefined;
}

/**
 * @param redact as in `readRunsQuery`. @throws SvcError `SVC_INVALID` for an unknown action, and for an invalid filter, because ignoring it
 * would select more runs
 */
export function readBulk(query: URLSearchParams, redact: readonly string[]): BulkChoice {
  const given = query.get("step");
  const step = BULK_STEPS.find((one) => one === given);
  if (!step) throw new SvcError("SVC_INVALID", `Unknown action "${given ?? ""}". Use one of: ${BULK_STEPS.join(", ")}`);
  const listed = [...query.getAll("run"), ...(query.get("runs") ?? "").split(",")].filter((id) => id !== "");
  const isAll = query.get("which") === "all" || (query.get("which") === null && !query.has("runs"));
  const { filter, problems } = readRunsQuery(query, redact);
  if (isAll && problems.length > 0) throw new SvcError("SVC_INVALID", problems.join(". "));
  return { step, filter, ids: isAll ? undefined : listed };
}
