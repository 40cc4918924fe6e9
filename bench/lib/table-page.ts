/** The table of bench:pages, whose 1,000 rows are components and come with the page: its operations after the first click. */
import type { Browser } from "playwright-core";
import { TITLES, type Contender } from "./page-sites.ts";
import type { Table } from "./report.ts";
import { quantile, spread } from "./stats.ts";
import { runTable, type Sample } from "./table-driver.ts";

const REPEATS = 3;
/** The best fifth: other work on the machine only adds time. */
const AT = 0.2;

/** @returns samples of each operation, after a warm-up of all. */
export async function measureOperations(browser: Browser, url: string): Promise<Sample[]> {
  const context = await browser.newContext();
  const page = await context.newPage();
  try {
    await page.goto(url, { waitUntil: "networkidle" });
    return await page.evaluate<Sample[]>(`(${runTable.toString()})(${REPEATS}, false, true)`);
  } finally {
    await context.close();
  }
}

/** Times until the rows exist, with the ratio to Solid's. */
export function operationsTable(all: ReadonlyMap<Contender, readonly Sample[]>): Table {
  const names = [...all.keys()];
  const times = (name: Contender, operation: string): number[] =>
    (all.get(name) ?? []).filter((sample) => sample.operation === operation).map(({ script }) => script);
  const operations = [...new Set((all.get("svc") ?? []).map(({ operation }) => operation))];
  const rows = operations.map((operation) => {
    const solid = quantile(times("solid", operation), AT);
    const cells = names.map((name) => {
      const ms = quantile(times(name, operation), AT);
      return `${ms.toFixed(2)}${Number.isNaN(solid) ? "" : ` (${(ms / solid).toFixed(2)})`}`;
    });
    const noise = Math.max(...names.map((name) => spread(times(name, operation))));
    return [operation, ...cells, `${Math.round(noise * 100)} %`];
  });
  return {
    title: "Table of 1,000 rows that are components, from the click until the rows exist",
    note: "Milliseconds, of the best fifth; in brackets the ratio to Solid. Qwik works in later tasks, whose wait is included.",
    head: ["", ...names.map((name) => TITLES[name]()), "±"],
    rows,
  };
}
