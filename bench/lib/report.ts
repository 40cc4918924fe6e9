/** Output of the benches: progress on a terminal, tables or JSON, and their section of docs/benchmarks.md. */
import { readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import type { BenchOptions } from "./options.ts";
import { root } from "./places.ts";

/** One table. */
export interface Table {
  title: string;
  note?: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

export interface Report {
  /** Name of the section of docs/benchmarks.md. */
  bench: "dom" | "ssr" | "pages" | "site" | "http" | "types" | "graphs" | "growth" | "cluster" | "webhooks" | "latency";
  tables: readonly Table[];
  /** Everything measured, for --json. */
  data: unknown;
}

export function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`  ${line}\n`);
}

function markdown({ title, note, head, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, at) => (at === 0 ? "---" : "---:"));
  const table = [line(head), `|${rule.join("|")}|`, ...rows.map(line)].join("\n");
  return `**${title}**\n\n${note === undefined ? "" : `${note}\n\n`}${table}\n`;
}

/** The machine and the day, because figures of different ones are not comparable. */
function circumstances(): string {
  const [cpu] = cpus();
  const day = new Date().toISOString().slice(0, 10);
  return `Measured ${day} with Node ${process.version} on ${cpus().length} × ${cpu?.model.trim() ?? "unknown CPU"}.`;
}

/** Prints the tables, and with --update writes the bench's section of docs/benchmarks.md. */
export async function publish({ bench, tables, data }: Report, { json, update }: BenchOptions): Promise<void> {
  if (json) console.log(JSON.stringify(data, null, 2));
  else console.log(tables.map(markdown).join("\n"));
  if (!update) return;
  const file = join(root, "docs/benchmarks.md");
  const text = await readFile(file, "utf8");
  const [start, end] = [`<!-- ${bench}:start -->`, `<!-- ${bench}:end -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/benchmarks.md has no ${start} … ${end}`);
  const part = `${start}\n\n${circumstances()}\n\n${tables.map(markdown).join("\n")}\n`;
  await writeFile(file, text.slice(0, from) + part + text.slice(to));
}
