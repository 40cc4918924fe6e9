/**
 * The query of the runs list: parses the URL, converts it to an engine query, and creates the filter chips. An invalid filter is reported
 * and ignored, so a typo shows more runs, never none.
 */
import { parseAttributeFilter } from "../../../internal.ts";
import type { GraphQuery, Origin } from "../../../graph.ts";
import { isHiddenKey } from "./payload.ts";
import { ORIGINS } from "./run-summary.ts";
import { momentText } from "../format.ts";

type RunStatus = NonNullable<GraphQuery["status"]>;

export const STATUSES: readonly RunStatus[] = [
  "pending",
  "queued",
  "running",
  "paused",
  "parked",
  "done",
  "failed",
  "cancelled",
];

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Choices of the form. A URL may use any other duration. */
export const SINCE: readonly (readonly [value: string, label: string])[] = [
  ["15m", "last 15 minutes"],
  ["1h", "last hour"],
  ["24h", "last 24 hours"],
  ["7d", "last 7 days"],
  ["30d", "last 30 days"],
];

/** Start and end of a range, as ISO 8601. */
const MOMENTS = ["from", "until", "ended_from", "ended_until"] as const;
/** Durations: `30s`. */
const LENGTHS = ["since", "ended", "longer", "shorter"] as const;
const TEXTS = ["worker", "tag", "summary", "error", "id", "parent"] as const;
/** Longer than any useful name, tag or message part. */
const MAX_LENGTH = 200;
/** Longer than any useful set of conditions. */
const MAX_CONDITIONS_LENGTH = 1000;
export const PAGE_SIZE = 50;

export interface RunsFilter {
  status?: RunStatus;
  worker?: string;
  tag?: string;
  /** `plan=pro cents>=500`: conditions that must all hold. */
  attributes?: string;
  summary?: string;
  origin?: Origin["kind"];
  error?: string;
  id?: string;
  parent?: string;
  /** Started at this time or later, and before: `2026-11-21T10:15:00.000Z`. */
  from?: string;
  until?: string;
  /** `24h`: relative to the time of the request. */
  since?: string;
  /** The same for the end of the run. */
  ended_from?: string;
  ended_until?: string;
  ended?: string;
  /** `30s`: minimum duration, or time since the start of an active run; and maximum duration. */
  longer?: string;
  shorter?: string;
}

/** The state of the list in its URL, except the page. */
export interface ListView extends RunsFilter {
  /** The grouping above the list. */
  group?: "tag";
}

export interface Chip {
  label: string;
  value: string;
  /** The list's query without this filter. */
  without: string;
}

export interface RunsQuery {
  filter: RunsFilter;
  /** The filter and the grouping. */
  view: ListView;
  /** Messages about invalid parameters. */
  problems: string[];
  cursor: string | undefined;
}

/** @param redact keys whose values are hidden: if summaries are, runs cannot be filtered by them */
export function readRunsQuery(query: URLSearchParams, redact: readonly string[]): RunsQuery {
  const filter: RunsFilter = {};
  const problems: string[] = [];
  const status = query.get("status");
  const known = STATUSES.find((one) => one === status);
  if (known) filter.status = known;
  else if (status) problems.push(`Unknown status "${status.slice(0, 40)}". Use one of: ${STATUSES.join(", ")}`);
  const origin = query.get("origin");
  const [kind] = ORIGINS.find(([one]) => one === origin) ?? [];
  if (kind) filter.origin = kind;
  else if (origin)
    problems.push(`Unknown origin "${origin.slice(0, 40)}". Use one of: ${ORIGINS.map(([one]) => one).join(", ")}`);
  for (const name of TEXTS) {
    const value = query.get(name)?.trim();
    if (value) filter[name] = value.slice(0, MAX_LENGTH);
  }
  if (filter.summary !== undefined && isHiddenKey("summary", redact)) {
    delete filter.summary;
    problems.push("Runs cannot be filtered by summary, because summaries are hidden in this app");
  }
  const attributes = query.get("attributes")?.trim();
  const problem = attributes ? conditionsProblem(attributes, redact) : undefined;
  if (problem !== undefined) problems.push(problem);
  else if (attributes) filter.attributes = attributes;
  for (const name of MOMENTS) {
    const given = query.get(name);
    if (given && !Number.isNaN(Date.parse(given))) filter[name] = new Date(given).toISOString();
    else if (given) problems.push(`"${given.slice(0, 40)}" is not a valid time. Use the format 2026-11-21T10:15Z`);
  }
  for (const name of LENGTHS) {
    const given = query.get(name)?.trim();
    if (given && lengthMsOf(given) !== undefined) filter[name] = given;
    else if (given)
      problems.push(`"${given.slice(0, 40)}" is not a valid duration. Examples: 500ms, 30s, 15m, 24h, 7d`);
  }
  const group = query.get("group");
  if (group && group !== "tag") problems.push(`Runs cannot be grouped by "${group.slice(0, 40)}", only by tag`);
  const view: ListView = { ...filter, ...(group === "tag" && { group }) };
  return { filter, view, problems, cursor: query.get("cursor") || undefined };
}

/** Why the conditions on attributes cannot be used; undefined: they can. */
function conditionsProblem(text: string, redact: readonly string[]): string | undefined {
  if (text.length > MAX_CONDITIONS_LENGTH) return "The conditions on attributes are too long";
  try {
    const hidden = Object.keys(parseAttributeFilter(text)).find((name) => isHiddenKey(name, redact));
    if (hidden === undefined) return undefined;
    return `Runs cannot be filtered by the attribute "${hidden}", because its values are hidden in this app`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** @param nowMs the time to which `since` and `ended` are relative */
export function graphQueryOf(filter: RunsFilter, nowMs: number): Omit<GraphQuery, "limit" | "cursor"> {
  const { since, from, until, ended, ended_from, ended_until, id, longer, shorter, attributes, ...rest } = filter;
  const [backMs, endedMs, longerMs, shorterMs] = [since, ended, longer, shorter].map((text) => lengthMsOf(text));
  return {
    ...rest,
    ...(id !== undefined && { idPrefix: id }),
    ...(attributes !== undefined && { attributes: parseAttributeFilter(attributes) }),
    ...(backMs !== undefined && { sinceMs: nowMs - backMs }),
    ...(from !== undefined && { sinceMs: Date.parse(from) }),
    ...(until !== undefined && { untilMs: Date.parse(until) - 1 }),
    ...(endedMs !== undefined && { finishedSinceMs: nowMs - endedMs }),
    ...(ended_from !== undefined && { finishedSinceMs: Date.parse(ended_from) }),
    ...(ended_until !== undefined && { finishedUntilMs: Date.parse(ended_until) - 1 }),
    ...(longerMs !== undefined && { longerMs }),
    ...(shorterMs !== undefined && { shorterMs }),
  };
}

/** The same as query parameters of the API endpoint. */
export function endpointQueryOf(filter: RunsFilter, nowMs: number): Record<string, string> {
  const query = graphQueryOf(filter, nowMs);
  const { idPrefix, sinceMs, untilMs, longerMs, shorterMs, finishedSinceMs, finishedUntilMs, ...rest } = query;
  const all = {
    ...rest,
    attributes: filter.attributes,
    id: idPrefix,
    since_ms: sinceMs,
    until_ms: untilMs,
    longer_ms: longerMs,
    shorter_ms: shorterMs,
    finished_since_ms: finishedSinceMs,
    finished_until_ms: finishedUntilMs,
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

/** As a query string; empty for the whole list. */
export function queryText(filter: ListView, more: Readonly<Record<string, string>> = {}): string {
  return new URLSearchParams({ ...filter, ...more }).toString();
}

export function chipsOf(view: ListView): Chip[] {
  return (Object.keys(view) as (keyof ListView)[]).map((name) => {
    const { [name]: value = "", ...rest } = view;
    return {
      label: LABELS[name] ?? name,
      value: isMoment(name) ? momentText(Date.parse(value)) : value,
      without: queryText(rest),
    };
  });
}

const LABELS: Readonly<Partial<Record<keyof ListView, string>>> = {
  group: "grouped by",
  id: "ID starts with",
  origin: "started by",
  from: "started since",
  until: "started before",
  ended: "ended in the last",
  ended_from: "ended since",
  ended_until: "ended before",
  longer: "duration at least",
  shorter: "duration under",
};

function isMoment(name: keyof ListView): boolean {
  return MOMENTS.some((one) => one === name);
}

/** Pattern of form fields. */
export const LENGTH_PATTERN = String.raw`(\d{1,6}(?:\.\d{1,3})?)(ms|s|m|h|d)`;
const LENGTH = new RegExp(`^${LENGTH_PATTERN}$`);

/** `1.5s` as milliseconds. */
export function lengthMsOf(text = ""): number | undefined {
  const [, count, unit] = LENGTH.exec(text) ?? [];
  return count === undefined || unit === undefined ? undefined : Math.round(Number(count) * (UNITS[unit] as number));
}

/** The shortest exact text of a duration. */
export function lengthText(ms: number): string {
  const fitting = Object.entries(UNITS).filter(([, unitMs]) => ms % unitMs === 0 && ms >= unitMs);
  const [unit, unitMs] = fitting.at(-1) ?? ["ms", 1];
  return `${ms / unitMs}${unit}`;
}
