/**
 * Cost of whole pages: a counter, todos of 20 and 1,000 rows, and a table of 1,000 components, svc compared with others, built for
 * production and loaded in Chromium.
 *
 *   npm run bench:pages -- [--rounds N] [--only solid,svelte] [--json] [--update] [--quick]
 *
 * Method and noise: bench/README.md.
 */
import { rm } from "node:fs/promises";
import { chromium } from "playwright-core";
import { findChromium } from "svckit/testing";
import { serveSite } from "./lib/front.ts";
import { contenders, readOptions, roundsOf } from "./lib/options.ts";
import { measureAnswer, measureLoad, measureScript, type Loaded, type ScriptTimes } from "./lib/page-driver.ts";
import { buildSites, CONTENDERS, PAGES, TITLES, type Contender, type PageName } from "./lib/page-sites.ts";
import { progress, publish, type Table } from "./lib/report.ts";
import { median, shuffled } from "./lib/stats.ts";
import type { Sample } from "./lib/table-driver.ts";
import { measureOperations, operationsTable } from "./lib/table-page.ts";

/** Selector of the click target: the counter's button; the first open todo. */
const CLICKED: Record<PageName, string> = {
  counter: "main > button",
  todo: "li:nth-child(2) input",
  "todo-1000": "li:nth-child(2) input",
  "table-1000": "tr:nth-child(2) .lbl",
};
/** Number of pages that wait for a slow network in parallel; more would wait for the processor. */
const AT_ONCE = 4;

interface Measured extends Loaded {
  /** Milliseconds of each round; null for a lost click. */
  atRest: (number | null)[];
  early: (number | null)[];
  script: ScriptTimes[];
}

/** Pages measured on a slow network, and pages measured on a slow processor. */
const ON_SLOW_NETWORK: readonly PageName[] = ["counter", "todo"];
const ON_SLOW_PROCESSOR: readonly PageName[] = ["todo-1000", "table-1000"];

/**
 * Not run, because its server is a Rust crate: bytes of its published assets. An interactive page loads all three before any input.
 * Source: GoldevLab/resuma 1.2.16 (0186301), crates/resuma/assets: loader.js 1,025 B, core.js 8,281 B; a counter's chunk 127 B.
 */
const RESUMA = ["Resuma 1.2.16 (weighed, not run)", "", "9,433", "3", "9,433", "3", "", ""];

/** The least of a column is in bold. */
function column(values: readonly number[], text = (value: number): string => value.toLocaleString("en-US")): string[] {
  const least = Math.min(...values);
  return values.map((value) => (value === least ? `**${text(value)}**` : text(value)));
}

function answerOf(times: readonly (number | null)[]): number {
  const kept = times.filter((time): time is number => time !== null);
  return kept.length * 2 > times.length ? median(kept) : Number.POSITIVE_INFINITY;
}

function tableOf(page: PageName, measured: ReadonlyMap<Contender, Measured>): Table {
  const all = [...measured.values()];
  const ms = (value: number): string => (Number.isFinite(value) ? `${Math.round(value)} ms` : "lost");
  const columns = [
    [...measured.keys()].map((name) => TITLES[name]()),
    column(all.map(({ htmlBytes }) => htmlBytes)),
    column(all.map(({ scriptBytesBefore }) => scriptBytesBefore)),
    column(all.map(({ requestsBefore }) => requestsBefore)),
    column(all.map(({ scriptBytesAfter }) => scriptBytesAfter)),
    column(all.map(({ requestsAfter }) => requestsAfter)),
    column(
      all.map(({ early }) => answerOf(early)),
      ms,
    ),
    column(
      all.map(({ atRest }) => answerOf(atRest)),
      ms,
    ),
  ];
  const rows = columns[0]?.map((_, at) => columns.map((cells) => cells[at] ?? "")) ?? [];
  if (page === "counter" && all.length > 1) rows.push(RESUMA);
  return {
    title: page === "counter" ? "Counter" : "Todo of 20 rows, one toggled",
    note: "Bytes are gzip (level 9) of bodies; the least of each column is bold.",
    head: [
      "",
      "HTML",
      "scripts before input",
      "requests",
      "scripts after first click",
      "requests",
      "early click answered",
      "later click answered",
    ],
    rows,
  };
}

/** A long page: bytes and script time on a slow processor. */
function longTableOf(page: PageName, measured: ReadonlyMap<Contender, Measured>): Table {
  const all = [...measured.values()];
  const ms = (value: number): string => `${Math.round(value)} ms`;
  const time = (of: (times: ScriptTimes) => number): number[] => all.map(({ script }) => median(script.map(of)));
  const columns = [
    [...measured.keys()].map((name) => TITLES[name]()),
    column(all.map(({ htmlBytes }) => htmlBytes)),
    column(all.map(({ scriptBytesAfter }) => scriptBytesAfter)),
    column(
      time(({ load }) => load),
      ms,
    ),
    column(
      time(({ click }) => click),
      ms,
    ),
    column(
      time(({ load, click }) => load + click),
      ms,
    ),
  ];
  return {
    title: `${page === "todo-1000" ? "Todo of 1,000 rows, one toggled" : "Table of 1,000 rows that are components, one selected"}, on a processor four times slower`,
    head: ["", "HTML", "scripts", "script time of load", "of the first click", "together"],
    rows: columns[0]?.map((_, at) => columns.map((cells) => cells[at] ?? "")) ?? [],
  };
}

/** Runs all, a few at a time. */
async function runAll(jobs: readonly (() => Promise<void>)[]): Promise<void> {
  const left = [...jobs];
  const worker = async (): Promise<void> => {
    for (let job = left.shift(); job; job = left.shift()) await job();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const options = readOptions(3);
const names = contenders(CONTENDERS, options);
const { sites, dist, close } = await buildSites(names);
const launch = await findChromium();
const browser = await chromium.launch({ ...launch, args: [...launch.args, "--js-flags=--expose-gc"] });
const served = new Map(
  await Promise.all([...sites].map(async ([name, site]) => [name, await serveSite(site)] as const)),
);
try {
  const results = new Map<PageName, Map<Contender, Measured>>();
  for (const page of PAGES) {
    const mine = new Map<Contender, Measured>();
    results.set(page, mine);
    for (const [name, { url }] of served) {
      progress(`${name} ${page}: bytes`);
      mine.set(name, {
        ...(await measureLoad(browser, `${url}/${page}`, CLICKED[page])),
        atRest: [],
        early: [],
        script: [],
      });
    }
  }
  const operations = new Map<Contender, Sample[]>();
  for (const round of roundsOf(options)) {
    progress(`slow network, round ${round} of ${options.rounds}`);
    const jobs = [...served].flatMap(([name, { url }]) =>
      ON_SLOW_NETWORK.flatMap((page) =>
        (["atRest", "early"] as const).map((when) => async () => {
          const time = await measureAnswer(browser, `${url}/${page}`, CLICKED[page], when === "early");
          results
            .get(page)
            ?.get(name)
            ?.[when].push(time ?? null);
        }),
      ),
    );
    await runAll(shuffled(jobs));
    progress(`slow processor, round ${round} of ${options.rounds}`);
    for (const [name, { url }] of shuffled([...served])) {
      for (const page of ON_SLOW_PROCESSOR) {
        results
          .get(page)
          ?.get(name)
          ?.script.push(await measureScript(browser, `${url}/${page}`, CLICKED[page]));
      }
      const samples = await measureOperations(browser, `${url}/table-1000`);
      operations.set(name, [...(operations.get(name) ?? []), ...samples]);
    }
  }
  const tables = [...results].map(([page, mine]) => {
    return ON_SLOW_PROCESSOR.includes(page) ? longTableOf(page, mine) : tableOf(page, mine);
  });
  const inOrder = new Map(names.flatMap((name) => [[name, operations.get(name) ?? []] as const]));
  tables.push(operationsTable(inOrder));
  const data = {
    ...Object.fromEntries([...results].map(([page, mine]) => [page, Object.fromEntries(mine)])),
    operations: Object.fromEntries(operations),
  };
  await publish({ bench: "pages", tables, data }, options);
  // A separate bench with other contenders.
  if (!options.json && !options.quick) await import("./site.ts");
} finally {
  await browser.close();
  await Promise.all([...served.values()].map((each) => each.close()));
  await close();
  await rm(dist, { recursive: true, force: true });
}
