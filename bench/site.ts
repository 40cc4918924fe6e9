/**
 * Bytes and times of a site of three pages with one layout: the first page and each followed link. Compares svc with others, built for
 * production.
 *
 *   npm run bench:site -- [--rounds N] [--only next,astro] [--json] [--update] [--quick]
 *
 * Method: bench/README.md.
 */
import { chromium } from "playwright-core";
import { findChromium } from "svckit/testing";
import { contenders, readOptions } from "./lib/options.ts";
import { progress, publish, type Table } from "./lib/report.ts";
import { BASES, serveSiteOf, SITE_NAMES, TITLES, type SiteName } from "./lib/site-contenders.ts";
import { measureVisit, type Brought, type Visit } from "./lib/site-driver.ts";
import { measureTimes, type Times } from "./lib/site-times.ts";
import { median } from "./lib/stats.ts";

const text = (value: number): string => value.toLocaleString("en-US");

/** The least of a column is in bold. */
function column(all: readonly Brought[]): string[] {
  const least = Math.min(...all.map(({ bytes }) => bytes));
  return all.map(({ bytes, requests }) => `${bytes === least ? `**${text(bytes)}**` : text(bytes)} in ${requests}`);
}

function tableOf(visits: ReadonlyMap<SiteName, Visit>): Table {
  const all = [...visits.values()];
  const columns = [
    [...visits.keys()].map((name) => TITLES[name]()),
    column(all.map(({ html }) => html)),
    column(all.map(({ rest }) => rest)),
    column(all.map(({ click }) => click)),
    column(all.map(({ first }) => first)),
    column(all.map(({ second }) => second)),
    column(all.map(total)),
    all.map(({ isKept }) => (isKept ? "yes" : "no")),
  ];
  return {
    title: "Three pages with one layout",
    note: "Bytes are gzip (level 9) of bodies, with the number of responses; cached content is not counted.",
    head: [
      "",
      "HTML",
      "scripts and data before input",
      "first click in the layout",
      "link to the second page",
      "link to the third",
      "all together",
      "layout lives on",
    ],
    rows: columns[0]?.map((_, at) => columns.map((cells) => cells[at] ?? "")) ?? [],
  };
}

const TIMES = ["painted", "loaded", "first", "second"] as const;

/** Medians; the least of a column is in bold. */
function timeTable(times: ReadonlyMap<SiteName, readonly Times[]>, rounds: number): Table {
  const columns = TIMES.map((key) => {
    const all = [...times.values()].map((visits) => Math.round(median(visits.map((visit) => visit[key]))));
    return all.map((value) => (value === Math.min(...all) ? `**${value}**` : String(value)));
  });
  return {
    title: "The same in milliseconds",
    note: `Median of ${rounds} visits by new visitors, at a quarter of the processor's speed and 40 ms from the server; the pointer is on a link for 100 ms before the click.`,
    head: ["", "first page painted", "first page loaded", "link to the second page", "link to the third"],
    rows: [...times.keys()].map((name, at) => [TITLES[name](), ...columns.map((cells) => cells[at] ?? "")]),
  };
}

function total({ html, rest, click, first, second }: Visit): Brought {
  const parts = [html, rest, click, first, second];
  return {
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    requests: parts.reduce((sum, { requests }) => sum + requests, 0),
  };
}

const options = readOptions(9);
// svc has two variants.
const names = contenders(SITE_NAMES, options);
if (options.quick) names.push("svc-enhanced");
const browser = await chromium.launch(await findChromium());
try {
  const visits = new Map<SiteName, Visit>();
  const times = new Map<SiteName, Times[]>();
  for (const name of names) {
    const site = await serveSiteOf(name);
    try {
      progress(name);
      visits.set(name, await measureVisit(browser, site.url + BASES[name]));
      const all: Times[] = [];
      for (let round = 0; round < options.rounds; round++)
        all.push(await measureTimes(browser, site.url + BASES[name]));
      times.set(name, all);
    } finally {
      await site.close();
    }
  }
  await publish(
    {
      bench: "site",
      tables: [tableOf(visits), timeTable(times, options.rounds)],
      data: Object.fromEntries([...visits].map(([name, visit]) => [name, { ...visit, times: times.get(name) }])),
    },
    options,
  );
} finally {
  await browser.close();
}
