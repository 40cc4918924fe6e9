/** The state of the run screen in its URL: selected node, tab, view and filters. Pure. */
import type { TimeRange } from "./time-scale.ts";
import { rangeEntries, readRange } from "./zoom.ts";

export const RUN_TABS = ["input", "output", "error", "artifacts", "raw"] as const;
export const NODE_TABS = ["input", "output", "error", "attempts", "logs", "events", "artifacts", "raw"] as const;
export const RUN_VIEWS = ["timeline", "events", "audit", "past"] as const;

/** Levels of log events. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

export type Tab = (typeof NODE_TABS)[number];
export type View = (typeof RUN_VIEWS)[number];

export interface RunQuery {
  node: string | undefined;
  tab: Tab;
  view: View;
  /** Filters of events: contained text, type, and the sequence number after which to start. */
  text: string;
  type: string;
  /** Only log events of this level; empty: all events. */
  level: string;
  after: number;
  /** Search text in the payload. */
  find: string;
  /** Whether the timeline hides finished nodes. */
  hidesDone: boolean;
  /** Range of the timeline; undefined: the whole run. */
  range: TimeRange | undefined;
  /** Sealed token that permits showing hidden values. */
  reveal: string | undefined;
}

export function readRunQuery(query: URLSearchParams): RunQuery {
  const node = query.get("node") || undefined;
  const tabs: readonly Tab[] = node === undefined ? RUN_TABS : NODE_TABS;
  const after = query.get("after") ?? "";
  return {
    node,
    tab: tabs.find((tab) => tab === query.get("tab")) ?? "input",
    view: RUN_VIEWS.find((view) => view === query.get("view")) ?? "timeline",
    text: (query.get("text") ?? "").slice(0, 200),
    type: (query.get("type") ?? "").slice(0, 40),
    level: LOG_LEVELS.find((level) => level === query.get("level")) ?? "",
    after: /^\d{1,9}$/.test(after) ? Number(after) : 0,
    find: (query.get("find") ?? "").slice(0, 200),
    hidesDone: query.get("hide") === "done",
    range: readRange(query),
    reveal: query.get("reveal") || undefined,
  };
}

type Change = Partial<Record<"node" | "tab" | "view" | "after" | "hide" | "find" | "from" | "to", string>>;

/** URL of the same screen with changes: fields that are not given stay, and empty ones are removed. */
export function runQueryText(query: RunQuery, change: Change): string {
  const entries = runQueryEntries(query, change);
  return entries.length === 0 ? "" : `?${new URLSearchParams(entries).toString()}`;
}

/** The same as name/value pairs, for hidden form fields. */
export function runQueryEntries(query: RunQuery, change: Change): [name: string, value: string][] {
  const { node = "", tab, view, text, type, level, find, hidesDone, range, reveal = "" } = query;
  const whole = {
    node,
    tab,
    view,
    ...(view === "events" && { text, type, level }),
    find,
    hide: hidesDone ? "done" : "",
    ...rangeEntries(range),
    reveal,
    ...change,
  };
  const isPlain = (name: string, value: string): boolean =>
    value === "" || (name === "tab" && value === "input") || (name === "view" && value === "timeline");
  return Object.entries(whole).filter(([name, value]) => !isPlain(name, value));
}
