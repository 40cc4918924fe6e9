/** What a screen shows or does, as a command: for scripts, tickets and whoever would rather type. Pure. */
import { PATHS, VARIABLES } from "../../internal.ts";
import type { Json } from "../../graph.ts";

export interface Commands {
  curl: string;
  /** undefined where the command line has no word for it. */
  cli: string | undefined;
}

/** The variable, for the shell to fill in: keys have no place in what is copied. */
const KEY = `$${VARIABLES.execApiKey}`;

/** @param origin `https://example.com` @param path of an endpoint, with its query */
export function commandsOf(origin: string, method: "GET" | "POST", path: string, cli?: string, body?: Json): Commands {
  const parts = ["curl", ...(method === "GET" ? [] : ["-X", method]), "-H", `"Authorization: Bearer ${KEY}"`];
  if (body !== undefined)
    parts.push("-H", quoted("Content-Type: application/json"), "-d", quoted(JSON.stringify(body)));
  return { curl: [...parts, quoted(origin + path)].join(" "), cli };
}

/** As a shell reads it back: one word, whatever is in it. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Filters of the list that the command line has; the same in its words, where these are others. */
const WORDS: Readonly<Record<string, string>> = { ended: "finished-since" };
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

/** undefined where the command line does not know one of them. */
function flagsOf(filter: Readonly<Record<string, string>>): string[] | undefined {
  const entries = Object.entries(filter);
  if (!entries.every(([name]) => FLAGS.includes(name))) return undefined;
  return entries.map(([name, value]) => `--${WORDS[name] ?? name} ${quoted(value)}`);
}

/**
 * Of a step for many: those that were ticked one by one, else all that fit when it runs.
 * @param ids undefined: all that the filter fits @param asked the same filter, as the endpoint takes it
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
  // The command line does nothing to all without a word of which; what began at any time are all.
  const cli = flags && `svc graph bulk ${step} ${flags.length === 0 ? "--since 1970-01-01" : flags.join(" ")} --yes`;
  return commandsOf(origin, "POST", PATHS.graphsBulk, cli, { action: step, filter: { ...asked } });
}

/** Of the list of runs. @param asked the same filter, as the endpoint takes it in its query */
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
