/**
 * Speed of the browser runtime: the table workload of js-framework-benchmark, svc compared with others in one Chromium.
 *
 *   npm run bench:dom -- [--rounds N] [--only solid,svelte] [--json] [--update] [--quick]
 *
 * Method and noise: bench/README.md.
 */
import { join } from "node:path";
import { chromium, type Browser } from "playwright-core";
import { findChromium } from "svckit/testing";
import { timeEvents, type EventTimes } from "./lib/event-driver.ts";
import { contenders, readOptions, roundsOf } from "./lib/options.ts";
import { buildPeer, install, plugins, versionOf } from "./lib/peers.ts";
import { buildDir } from "./lib/places.ts";
import { progress, publish, type Table } from "./lib/report.ts";
import { serveFiles } from "./lib/static-server.ts";
import { quantile, shuffled, spread } from "./lib/stats.ts";
import { serveBenchApp, type Served } from "./lib/svc-app.ts";
import { runTable, type Sample } from "./lib/table-driver.ts";

const NAMES = ["svc", "solid", "preact", "svelte", "vanilla"] as const;
type Name = (typeof NAMES)[number];

const PEERS: Record<Exclude<Name, "svc">, { entry: string; title: () => string }> = {
  solid: { entry: "dom/solid.jsx", title: () => `Solid ${versionOf("solid-js")}` },
  preact: {
    entry: "dom/preact.jsx",
    title: () => `Preact ${versionOf("preact")} + signals ${versionOf("@preact/signals")}`,
  },
  svelte: { entry: "dom/svelte.js", title: () => `Svelte ${versionOf("svelte")}` },
  vanilla: { entry: "dom/vanilla.js", title: () => "by hand" },
};

const REPEATS = 4;
/** The best fifth: other work on the machine only adds time, and a page can't measure processor time. */
const AT = 0.2;

async function servePeers(names: readonly Exclude<Name, "svc">[]): Promise<Served> {
  await install();
  const pages = new Map<string, string>();
  for (const name of names) {
    progress(`building ${name}`);
    await buildPeer(PEERS[name].entry, join(buildDir, "dom", name), { plugins: await plugins(false) });
    const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name}</title></head><body><script type="module" src="/${name}/entry.js"></script></body></html>`;
    pages.set(`/${name}`, html);
  }
  return serveFiles(join(buildDir, "dom"), pages);
}

interface Measured {
  samples: Sample[];
  events: EventTimes;
}

async function measure(browser: Browser, url: string, withMany: boolean): Promise<Measured> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.goto(url);
  await page.waitForSelector("#run");
  try {
    const events = await page.evaluate(timeEvents);
    return { samples: await page.evaluate<Sample[]>(`(${runTable.toString()})(${REPEATS}, ${withMany})`), events };
  } catch (error) {
    throw new Error([url, ...faults].join("; "), { cause: error });
  } finally {
    await context.close();
  }
}

type Samples = Map<Name, Map<string, Sample[]>>;

function keep(all: Samples, name: Name, samples: readonly Sample[]): void {
  const mine = all.get(name) ?? new Map<string, Sample[]>();
  all.set(name, mine);
  for (const sample of samples) mine.set(sample.operation, [...(mine.get(sample.operation) ?? []), sample]);
}

function tableOf(all: Samples, what: "script" | "total", title: string, note: string): Table {
  const names = [...all.keys()].sort((a, b) => NAMES.indexOf(a) - NAMES.indexOf(b));
  const figures = (name: Name, operation: string): number[] =>
    (all.get(name)?.get(operation) ?? []).map((sample) => sample[what]);
  const operations = [...(all.get("svc")?.keys() ?? [])];
  const rows = operations.map((operation) => {
    const figure = (name: Name): number => quantile(figures(name, operation), AT);
    const solid = figure("solid");
    const cells = names.map((name) => {
      const ratio = Number.isNaN(solid) ? "" : ` (${(figure(name) / solid).toFixed(2)})`;
      return `${figure(name).toFixed(2)}${ratio}`;
    });
    const noise = Math.max(...names.map((name) => spread(figures(name, operation))));
    return [operation, ...cells, `${Math.round(noise * 100)} %`];
  });
  const head = ["", ...names.map((name) => (name === "svc" ? "svc" : PEERS[name].title())), "±"];
  return { title, note, head, rows };
}

function eventTable(events: ReadonlyMap<Name, EventTimes[]>): Table {
  const names = [...events.keys()].sort((a, b) => NAMES.indexOf(a) - NAMES.indexOf(b));
  const cell = (name: Name, of: (times: EventTimes) => number): string =>
    quantile(events.get(name)?.map(of) ?? [], AT).toFixed(2);
  const row = (title: string, of: (times: EventTimes) => number): string[] => [
    title,
    ...names.map((name) => cell(name, of)),
  ];
  return {
    title: "An event without handlers, 30 levels deep",
    note: "Microseconds of the best fifth, including creation and dispatch.",
    head: ["", ...names.map((name) => (name === "svc" ? "svc" : PEERS[name].title()))],
    rows: [
      row("of a type without listeners in any page", ({ unheard }) => unheard),
      row("of a type with handlers elsewhere", ({ heard }) => heard),
      row("`pointerover`", ({ pointer }) => pointer),
    ],
  };
}

const options = readOptions(6);
const names = contenders(NAMES, options);
const peers = names.filter((name): name is Exclude<Name, "svc"> => name !== "svc");
const served: Served[] = [await serveBenchApp()];
if (peers.length > 0) served.push(await servePeers(peers));
const [svc, others] = served;
const urlOf = (name: Name): string => (name === "svc" ? `${svc?.url}/table` : `${others?.url}/${name}`);

const launch = await findChromium();
const browser = await chromium.launch({ ...launch, args: [...launch.args, "--js-flags=--expose-gc"] });
try {
  const all: Samples = new Map();
  const events = new Map<Name, EventTimes[]>();
  for (const round of roundsOf(options)) {
    for (const name of shuffled(names)) {
      progress(`round ${round} of ${options.rounds}: ${name}`);
      const { samples, events: times } = await measure(browser, urlOf(name), !options.quick);
      keep(all, name, samples);
      events.set(name, [...(events.get(name) ?? []), times]);
    }
  }
  const note = "Milliseconds, of the best fifth; in brackets the ratio to Solid.";
  await publish(
    {
      bench: "dom",
      tables: [
        tableOf(all, "script", "Script of one click", note),
        tableOf(all, "total", "The same with style and layout", note),
        eventTable(events),
      ],
      data: Object.fromEntries([...all].map(([name, mine]) => [name, Object.fromEntries(mine)])),
    },
    options,
  );
} finally {
  await browser.close();
  await Promise.all(served.map((each) => each.close()));
}
