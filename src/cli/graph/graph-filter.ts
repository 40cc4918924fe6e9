/** Filters of `svc graph ls` and the bulk commands that use them. */
import { durationMs } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";

export const STEPS = ["pause", "resume", "cancel", "retry"] as const;
const BULK_VERBS = [...STEPS, "purge"] as const;
export type BulkVerb = (typeof BULK_VERBS)[number];

export interface BulkTask {
  verb: "bulk";
  action: BulkVerb;
  filter: Record<string, Json>;
  note: string | undefined;
  /** Otherwise the runs are only counted. */
  isMeant: boolean;
}

type Text = string | undefined;

export interface FilterValues {
  worker?: Text;
  status?: Text;
  tag?: string[] | undefined;
  attribute?: string[] | undefined;
  id?: Text;
  error?: Text;
  summary?: Text;
  origin?: Text;
  parent?: Text;
  since?: Text;
  until?: Text;
  longer?: Text;
  shorter?: Text;
  "finished-since"?: Text;
  "finished-until"?: Text;
}

export interface BulkValues extends FilterValues {
  before?: Text;
  note?: Text;
  yes?: boolean | undefined;
}

export const DURATION = /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/;

/** The filter as query parameters of the list. */
export function filterOf(verb: string, values: FilterValues, nowMs: number): Record<string, string> {
  const { worker, status, tag, attribute, id, error, summary, origin, parent, since, until, longer, shorter } = values;
  if (tag && tag.length > 1) throw new Error(`svc graph ${verb} takes one --tag`);
  const filter = {
    worker,
    status,
    tag: tag?.[0],
    attributes: attribute?.join(" "),
    id,
    error,
    summary,
    origin,
    parent,
    since_ms: timeOf("since", since, nowMs),
    until_ms: timeOf("until", until, nowMs),
    longer_ms: lengthOf("longer", longer),
    shorter_ms: lengthOf("shorter", shorter),
    finished_since_ms: timeOf("finished-since", values["finished-since"], nowMs),
    finished_until_ms: timeOf("finished-until", values["finished-until"], nowMs),
  };
  return Object.fromEntries(
    Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Unix milliseconds of a time, or of a time span ago. */
export function timeOf(flag: string, given: string | undefined, nowMs: number): string | undefined {
  if (given === undefined) return undefined;
  const ms = DURATION.test(given) ? nowMs - durationMs(given) : Date.parse(given);
  if (Number.isNaN(ms))
    throw new Error(`--${flag} is "${given}"; it must be a time such as 2026-03-29T06:00:00Z, or how long ago: 24h`);
  return String(Math.max(0, Math.round(ms)));
}

function lengthOf(flag: string, given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  if (!DURATION.test(given)) throw new Error(`--${flag} is "${given}"; it must be a length of time such as 30s or 5m`);
  return String(Math.round(durationMs(given)));
}

/** Requires a filter: to select all runs, the user writes a filter that matches all, so a forgotten filter is never read as "all". */
export function bulkOf(
  given: string | undefined,
  { before, note, yes, ...values }: BulkValues,
  nowMs: number,
): BulkTask {
  const action = BULK_VERBS.find((known) => known === given);
  if (!action)
    throw new Error(
      `svc graph bulk ${given === undefined ? "needs an action" : `has no action "${given}"`}: ${BULK_VERBS.join(", ")}`,
    );
  const filter: Record<string, Json> = filterOf("bulk", values, nowMs);
  const beforeMs = timeOf("before", before, nowMs);
  if (beforeMs !== undefined && action !== "purge") throw new Error(`svc graph bulk ${action} takes no --before`);
  if (beforeMs !== undefined) filter["finished_before_ms"] = Number(beforeMs);
  if (Object.keys(filter).length === 0)
    throw new Error(`svc graph bulk ${action} needs a filter, such as --worker or --since 365d`);
  return { verb: "bulk", action, filter, note, isMeant: yes ?? false };
}
