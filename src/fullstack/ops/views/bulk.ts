/** What is chosen for a step of many: read from the address of the preview, and from the form that confirms it. Pure. */
import { SvcError } from "../../../index.ts";
import { readRunsQuery, type RunsFilter } from "./runs-query.ts";

export const BULK_STEPS = ["pause", "resume", "cancel", "retry"] as const;
export type BulkStep = (typeof BULK_STEPS)[number];

export interface BulkChoice {
  step: BulkStep;
  filter: RunsFilter;
  /** Undefined: all that the filter fits. */
  ids: string[] | undefined;
}

/** @throws SvcError `SVC_INVALID` for a step that is none */
export function readBulk(query: URLSearchParams): BulkChoice {
  const given = query.get("step");
  const step = BULK_STEPS.find((one) => one === given);
  if (!step) throw new SvcError("SVC_INVALID", `"${given ?? ""}" is no step; there are ${BULK_STEPS.join(", ")}`);
  const listed = [...query.getAll("run"), ...(query.get("runs") ?? "").split(",")].filter((id) => id !== "");
  const isAll = query.get("which") === "all" || (query.get("which") === null && !query.has("runs"));
  return { step, filter: readRunsQuery(query).filter, ids: isAll ? undefined : listed };
}
