/** Exports the runs list as a file, page by page, of any length. */
import type { Snapshot } from "../../../graph.ts";
import { shownAttributes } from "./run-attributes.ts";
import { summaryText, triesOf } from "./run-summary.ts";

export const EXPORTS = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof EXPORTS)[number];

interface RunsPage {
  items: Snapshot[];
  nextCursor: string | undefined;
}

const COLUMNS: readonly (readonly [name: string, of: (run: Snapshot, redact: readonly string[]) => string])[] = [
  ["graph_id", ({ graph_id: id }) => id],
  ["worker", ({ worker }) => worker],
  ["status", ({ status }) => status],
  ["phase", ({ phase }) => phase],
  ["epoch", ({ epoch }) => String(epoch)],
  ["created", ({ created_ms: ms }) => timeOf(ms)],
  ["started", ({ started_ms: ms }) => timeOf(ms)],
  ["finished", ({ finished_ms: ms }) => timeOf(ms)],
  ["tags", ({ tags }) => tags.join(" ")],
  ["error", ({ error }) => error?.message ?? ""],
  ["summary", summaryText],
  ["origin", ({ origin }) => [origin?.kind ?? "", ...(origin?.name ? [origin.name] : [])].join(" ")],
  ["attempts", (run) => String(triesOf(run).all)],
  ["attributes", (run, redact) => JSON.stringify(shownAttributes(run, redact))],
];

/** @param redact keys whose values are hidden @param pageFrom reads a page of the list; undefined: the first one */
export async function* exportBody(
  format: ExportFormat,
  redact: readonly string[],
  pageFrom: (cursor: string | undefined) => Promise<RunsPage>,
): AsyncGenerator<string> {
  if (format === "csv") yield `${COLUMNS.map(([name]) => name).join(",")}\r\n`;
  let cursor: string | undefined;
  do {
    const page = await pageFrom(cursor);
    if (page.items.length > 0) yield page.items.map((run) => lineOf(format, run, redact)).join("");
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** Contains the list's fields, without inputs and results: exports are shared. */
function lineOf(format: ExportFormat, run: Snapshot, redact: readonly string[]): string {
  if (format === "csv") return `${COLUMNS.map(([, of]) => cell(of(run, redact))).join(",")}\r\n`;
  const { graph_id, worker, status, phase, epoch, created_ms, started_ms, finished_ms, tags, error, origin } = run;
  const fields = { graph_id, worker, status, phase, epoch, created_ms, started_ms, finished_ms, tags, error };
  const summary = summaryText(run, redact) || null;
  const attributes = shownAttributes(run, redact);
  return `${JSON.stringify({ ...fields, summary, origin, attempts: triesOf(run).all, attributes })}\n`;
}

function timeOf(ms: number | null): string {
  return ms === null ? "" : new Date(ms).toISOString();
}

/** Quotes per RFC 4180. An apostrophe keeps spreadsheets from reading a cell as a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
