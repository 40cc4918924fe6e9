/** Parses the webhook forms and creates the change they request. Pure. */
import type { Json } from "../../../graph.ts";

export const EVENTS = ["graph.done", "graph.failed", "graph.paused"] as const;

export interface Draft {
  url: string;
  events: readonly string[];
  description: string;
}

/** Everything that can be edited, except header values, which are never shown. */
export interface EditDraft extends Draft {
  /** Names of graphs or workers, separated by commas; empty: all. */
  workers: string;
  ordered: boolean;
  /** Whether to remove all existing headers. */
  dropsHeaders: boolean;
  /** Reason of the change. */
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

/** The draft as a query, which prefills the form again after a rejected change. Headers are left out, because they must not be in a URL. */
export function editQuery(draft: EditDraft): URLSearchParams {
  const { url, events, description, workers, ordered, dropsHeaders, note } = draft;
  const query = new URLSearchParams({ edited: "1", url, description, workers });
  for (const event of events) query.set(event, "1");
  if (ordered) query.set("ordered", "1");
  if (dropsHeaders) query.set("no_headers", "1");
  if (note !== "") query.set("note", note);
  return query;
}

/** Whether the form contains headers, which the visitor must enter again after a rejected change. */
export function hasHeaders(fields: Fields): boolean {
  return (fields["headers"] ?? "").trim() !== "";
}

/**
 * The request body of the change. Headers stay unchanged unless the form says otherwise: `headers` has one `Name: value` per line and
 * replaces all existing ones; `no_headers` removes them.
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

/** Without a colon the whole line becomes the name, which validation then rejects. */
function headerOf(line: string): [string, string] {
  const at = line.indexOf(":");
  return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}
