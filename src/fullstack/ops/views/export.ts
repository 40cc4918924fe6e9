/** The list of runs as a file, written page by page, however long it is. */
import type { Snapshot } from "../../../graph.ts";

export const EXPORTS = ["csv", "ndjson"] as const;
export type ExportFormat = (typeof EXPORTS)[number];

interface RunsPage {
  items: Snapshot[];
  nextCursor: string | undefined;
}

const COLUMNS: readonly (readonly [name: string, of: (run: Snapshot) => string])[] = [
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
];

/** @param pageFrom reads a page of the list; undefined is the first */
export async function* exportBody(
  format: ExportFormat,
  pageFrom: (cursor: string | undefined) => Promise<RunsPage>,
): AsyncGenerator<string> {
  if (format === "csv") yield `${COLUMNS.map(([name]) => name).join(",")}\r\n`;
  let cursor: string | undefined;
  do {
    const page = await pageFrom(cursor);
    if (page.items.length > 0) yield page.items.map((run) => lineOf(format, run)).join("");
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** Of the list, not of what runs were given: an export is passed around. */
function lineOf(format: ExportFormat, run: Snapshot): string {
  if (format === "csv") return `${COLUMNS.map(([, of]) => cell(of(run))).join(",")}\r\n`;
  const { graph_id, worker, status, phase, epoch, created_ms, started_ms, finished_ms, tags, error } = run;
  return `${JSON.stringify({ graph_id, worker, status, phase, epoch, created_ms, started_ms, finished_ms, tags, error })}\n`;
}

function timeOf(ms: number | null): string {
  return ms === null ? "" : new Date(ms).toISOString();
}

/** RFC 4180. A cell that spreadsheets would take for a formula begins with an apostrophe. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
