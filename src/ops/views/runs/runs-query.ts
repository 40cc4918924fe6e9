/**
 * The query of the runs list: what stands in the address, what is asked of the engine, and the chips that say so. What can't be
 * read is told and left out, so that a mistyped address shows more, never nothing.
 */
import type { GraphQuery, Origin, Snapshot } from "../../../graph.ts";
import { isHiddenKey } from "./payload.ts";
import { ORIGINS } from "./run-summary.ts";
import { momentText } from "../format.ts";

type GraphStatus = Snapshot["status"];

export const STATUSES: readonly GraphStatus[] = ["pending", "running", "paused", "done", "failed"];

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Stretches that the form offers; an address may name any other. */
export const SINCE: readonly (readonly [value: string, label: string])[] = [
  ["15m", "last 15 minutes"],
  ["1h", "last hour"],
  ["24h", "last 24 hours"],
  ["7d", "last 7 days"],
  ["30d", "last 30 days"],
];

/** Beginning and end of a stretch, as ISO 8601. */
const MOMENTS = ["from", "until", "ended_from", "ended_until"] as const;
/** Lengths of time: `30s`. */
const LENGTHS = ["since", "ended", "longer", "shorter"] as const;
const TEXTS = ["worker", "tag", "summary", "error", "id", "parent"] as const;
/** Longer than any name, tag or message that is worth looking for. */
const MAX_LENGTH = 200;
export const PAGE_SIZE = 50;

export interface RunsFilter {
  status?: GraphStatus;
  worker?: string;
  tag?: string;
  summary?: string;
  origin?: Origin["kind"];
  error?: string;
  id?: string;
  parent?: string;
  /** Started at this time or later, and before: `2026-11-21T10:15:00.000Z`. */
  from?: string;
  until?: string;
  /** `24h`: reaches back from the moment it is asked. */
  since?: string;
  /** The same of their ends. */
  ended_from?: string;
  ended_until?: string;
  ended?: string;
  /** `30s`: took so long or longer, or has been under way so long; and less than so long. */
  longer?: string;
  shorter?: string;
}

/** What an address says of a list, apart from its page. */
export interface ListView extends RunsFilter {
  /** What runs are counted by above the list. */
  group?: "tag";
}

export interface Chip {
  label: string;
  value: string;
  /** Query of the list without it. */
  without: string;
}

export interface RunsQuery {
  filter: RunsFilter;
  /** The filter, and how it is looked at. */
  view: ListView;
  /** What could not be read, in words. */
  problems: string[];
  cursor: string | undefined;
}

/** @param redact keys whose values are not shown: where summaries are not, none is looked for by what it holds */
export function readRunsQuery(query: URLSearchParams, redact: readonly string[]): RunsQuery {
  const filter: RunsFilter = {};
  const problems: string[] = [];
  const status = query.get("status");
  const known = STATUSES.find((one) => one === status);
  if (known) filter.status = known;
  else if (status) problems.push(`There is no status "${status.slice(0, 40)}"; there are ${STATUSES.join(", ")}`);
  const origin = query.get("origin");
  const [kind] = ORIGINS.find(([one]) => one === origin) ?? [];
  if (kind) filter.origin = kind;
  else if (origin)
    problems.push(
      `Nothing is started by "${origin.slice(0, 40)}"; there are ${ORIGINS.map(([one]) => one).join(", ")}`,
    );
  for (const name of TEXTS) {
    const value = query.get(name)?.trim();
    if (value) filter[name] = value.slice(0, MAX_LENGTH);
  }
  if (filter.summary !== undefined && isHiddenKey("summary", redact)) {
    delete filter.summary;
    problems.push("Summaries are hidden here, so runs can't be looked for by what theirs holds");
  }
  for (const name of MOMENTS) {
    const given = query.get(name);
    if (given && !Number.isNaN(Date.parse(given))) filter[name] = new Date(given).toISOString();
    else if (given) problems.push(`"${given.slice(0, 40)}" is no time; write 2026-11-21T10:15Z`);
  }
  for (const name of LENGTHS) {
    const given = query.get(name)?.trim();
    if (given && lengthMsOf(given) !== undefined) filter[name] = given;
    else if (given) problems.push(`"${given.slice(0, 40)}" is no length of time; write 500ms, 30s, 15m, 24h or 7d`);
  }
  const group = query.get("group");
  if (group && group !== "tag") problems.push(`Runs are not grouped by "${group.slice(0, 40)}"; they are by tag`);
  const view: ListView = { ...filter, ...(group === "tag" && { group }) };
  return { filter, view, problems, cursor: query.get("cursor") || undefined };
}

/** @param nowMs what `since` and `ended` count from */
export function graphQueryOf(filter: RunsFilter, nowMs: number): Omit<GraphQuery, "limit" | "cursor"> {
  const { since, from, until, ended, ended_from, ended_until, id, longer, shorter, ...rest } = filter;
  const [backMs, endedMs, longerMs, shorterMs] = [since, ended, longer, shorter].map((text) => lengthMsOf(text));
  return {
    ...rest,
    ...(id !== undefined && { idPrefix: id }),
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

/** The same as the endpoint of the list takes it. */
export function endpointQueryOf(filter: RunsFilter, nowMs: number): Record<string, string> {
  const query = graphQueryOf(filter, nowMs);
  const { idPrefix, sinceMs, untilMs, longerMs, shorterMs, finishedSinceMs, finishedUntilMs, ...rest } = query;
  const all = {
    ...rest,
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

/** As it stands behind the `?`; empty for the whole list. */
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
  id: "id begins with",
  origin: "started by",
  from: "started from",
  until: "started before",
  ended: "ended in the last",
  ended_from: "ended from",
  ended_until: "ended before",
  longer: "took at least",
  shorter: "took less than",
};

function isMoment(name: keyof ListView): boolean {
  return MOMENTS.some((one) => one === name);
}

/** For the fields of a form. */
export const LENGTH_PATTERN = String.raw`(\d{1,6}(?:\.\d{1,3})?)(ms|s|m|h|d)`;
const LENGTH = new RegExp(`^${LENGTH_PATTERN}$`);

/** `1.5s` as milliseconds. */
export function lengthMsOf(text = ""): number | undefined {
  const [, count, unit] = LENGTH.exec(text) ?? [];
  return count === undefined || unit === undefined ? undefined : Math.round(Number(count) * (UNITS[unit] as number));
}

/** The shortest text of so many milliseconds that means just them. */
export function lengthText(ms: number): string {
  const fitting = Object.entries(UNITS).filter(([, unitMs]) => ms % unitMs === 0 && ms >= unitMs);
  const [unit, unitMs] = fitting.at(-1) ?? ["ms", 1];
  return `${ms / unitMs}${unit}`;
}
