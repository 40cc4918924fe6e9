/** What a form says of a webhook, and the change that it asks for. Pure. */
import type { Json } from "../../../graph.ts";

export const EVENTS = ["graph.done", "graph.failed", "graph.paused"] as const;

export interface Draft {
  url: string;
  events: readonly string[];
  description: string;
}

/** All of what can be changed but header values, which are never shown. */
export interface EditDraft extends Draft {
  /** Names of graphs or workers, with commas between them; empty: all. */
  workers: string;
  ordered: boolean;
  /** Whether those that there are go. */
  dropsHeaders: boolean;
  /** Why it is changed. */
  note: string;
}

type Fields = Readonly<Record<string, string | undefined>>;

export function editDraftOf(fields: Fields): EditDraft {
  return {
    url: fields["url"]?.trim() ?? "",
    events: EVENTS.filter((event) => fields[event] !== undefined),
    description: fields["description"] ?? "",
    workers: fields["workers"] ?? "",
    ordered: fields["ordered"] !== undefined,
    dropsHeaders: fields["no_headers"] !== undefined,
    note: fields["note"] ?? "",
  };
}

/** The same as a query, with which the form begins where what it asked for was refused. Headers have no place in an address. */
export function editQuery(draft: EditDraft): URLSearchParams {
  const { url, events, description, workers, ordered, dropsHeaders, note } = draft;
  const query = new URLSearchParams({ edited: "1", url, description, workers });
  for (const event of events) query.set(event, "1");
  if (ordered) query.set("ordered", "1");
  if (dropsHeaders) query.set("no_headers", "1");
  if (note !== "") query.set("note", note);
  return query;
}

/** Whether the form gives headers, which have to be given again where it is refused. */
export function hasHeaders(fields: Fields): boolean {
  return (fields["headers"] ?? "").trim() !== "";
}

/**
 * The body of the change. Headers are left as they are unless the form says otherwise: `headers` a line each, `Name: value`, in place of
 * all that there are; `no_headers` takes them away.
 */
export function changeOf(fields: Fields): { [key: string]: Json } {
  const { url, events, description, workers, ordered } = editDraftOf(fields);
  const names = workers.split(",").map((name) => name.trim());
  const headers = headersOf(fields);
  return {
    url,
    events: [...events],
    description,
    workers: names.filter((name) => name !== ""),
    ordered,
    ...(headers !== undefined && { headers }),
  };
}

function headersOf(fields: Fields): { [name: string]: Json } | undefined {
  const lines = (fields["headers"] ?? "").split("\n").filter((line) => line.trim() !== "");
  if (fields["no_headers"] !== undefined) return {};
  if (lines.length === 0) return undefined;
  return Object.fromEntries(lines.map(headerOf));
}

/** Without a colon all of it is the name, which is refused as one then. */
function headerOf(line: string): [string, string] {
  const at = line.indexOf(":");
  return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}
