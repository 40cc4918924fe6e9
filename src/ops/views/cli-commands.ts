/** Formats the content and the actions of a screen as shell commands. Pure. */
import { PATHS, VARIABLES } from "../../internal.ts";
import type { Json } from "../../graph.ts";

export interface Commands {
  curl: string;
  /** undefined if the CLI cannot express it. */
  cli: string | undefined;
}

/** The variable that holds the key. Copied commands must not contain the key itself. */
const KEY = `$${VARIABLES.execApiKey}`;

/** @param origin `https://example.com` @param path of an endpoint, with its query */
export function commandsOf(origin: string, method: "GET" | "POST", path: string, cli?: string, body?: Json): Commands {
  const parts = ["curl", ...(method === "GET" ? [] : ["-X", method]), "-H", `"Authorization: Bearer ${KEY}"`];
  if (body !== undefined)
    parts.push("-H", quoted("Content-Type: application/json"), "-d", quoted(JSON.stringify(body)));
  return { curl: [...parts, quoted(origin + path)].join(" "), cli };
}

/** Quotes a text as one shell word. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Filters that the CLI supports, and the flags that have another name. */
const WORDS: Readonly<Record<string, string>> = { ended: "finished-since", attributes: "attribute" };
const FLAGS = [
  ...Object.keys(WORDS),
  "worker",
  "status",
  "tag",
  "since",
  "longer",
  "shorter",
  "summary",
  "origin",
  "error",
  "id",
  "parent",
];

/** undefined if the CLI does not support one of the filters. */
function flagsOf(filter: Readonly<Record<string, string>>): string[] | undefined {
  const entries = Object.entries(filter);
  if (!entries.every(([name]) => FLAGS.includes(name))) return undefined;
  return entries.map(([name, value]) => `--${WORDS[name] ?? name} ${quoted(value)}`);
}

/**
 * Commands of a bulk action: one per selected run, or a single one for all runs that match at that time. @param ids undefined: all runs
 * that match the filter @param asked the same filter, as query parameters of the endpoint
 */
export function bulkCommands(
  origin: string,
  { step, ids, filter }: { step: string; ids: readonly string[] | undefined; filter: Readonly<Record<string, string>> },
  asked: Readonly<Record<string, string>>,
): Commands {
  if (ids)
    return {
      curl: ids
        .map((id) => commandsOf(origin, "POST", `${PATHS.graphs}/${encodeURIComponent(id)}/${step}`).curl)
        .join("\n"),
      cli: ids.map((id) => `svc graph ${step} ${quoted(id)}`).join("\n"),
    };
  const flags = flagsOf(filter);
  // The CLI requires a filter. This one matches every run.
  const cli = flags && `svc graph bulk ${step} ${flags.length === 0 ? "--since 1970-01-01" : flags.join(" ")} --yes`;
  return commandsOf(origin, "POST", PATHS.graphsBulk, cli, { action: step, filter: { ...asked } });
}

/** Commands for the runs list. @param asked the same filter, as query parameters of the endpoint */
export function listCommands(
  origin: string,
  filter: Readonly<Record<string, string>>,
  asked: Readonly<Record<string, string>>,
): Commands {
  const query = new URLSearchParams(asked).toString();
  const flags = flagsOf(filter);
  return commandsOf(
    origin,
    "GET",
    PATHS.graphs + (query === "" ? "" : `?${query}`),
    flags && ["svc graph ls", ...flags].join(" "),
  );
}
