/**
 * Latency of a page while the same process runs graphs at full rate.
 *
 *   npm run bench:latency -- [--rounds N] [--json] [--update] [--quick]
 *
 * Method and noise: bench/README.md.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Order, Report } from "./lib/latency-server.ts";
import { readOptions, roundsOf } from "./lib/options.ts";
import { root } from "./lib/places.ts";
import { progress, publish, type Table } from "./lib/report.ts";
import { median, quantile, shuffled, spread } from "./lib/stats.ts";

const VARIANTS = {
  idle: { title: "no graphs", hasGraphs: false },
  graphs: { title: "graphs at full rate", hasGraphs: true },
};
type Variant = keyof typeof VARIANTS;

interface Sample {
  p50Ms: number;
  p99Ms: number;
  graphsPerSecond: number;
}

const options = readOptions(10);
const PAGES_PER_SECOND = 100;
const SECONDS = options.quick ? 1 : 5;
/** The first seconds of graphs compile their code. */
const WARM_UP_SECONDS = options.quick ? 0.2 : 3;

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

async function ask(server: ChildProcess, order: Order): Promise<Report> {
  const answer = once(server, "message") as Promise<[Report]>;
  server.send(order);
  return (await answer)[0];
}

/** @returns when the whole page has arrived. @throws for any status other than 200 */
function fetchPage(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the page answers ${response.statusCode}`));
      response.on("error", reject).on("end", resolve).resume();
    });
    request.on("error", reject);
  });
}

/** Requests at a steady rate. Each latency counts from the time at which its request was due, so a server that stalls hides nothing. */
async function loadPages(url: string, seconds: number): Promise<number[]> {
  const beginMs = performance.now();
  const count = PAGES_PER_SECOND * seconds;
  const latencies: Promise<number>[] = [];
  const timed = async (dueMs: number): Promise<number> => {
    await fetchPage(url);
    return performance.now() - dueMs;
  };
  while (latencies.length < count) {
    const dueMs = beginMs + (latencies.length * 1000) / PAGES_PER_SECOND;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    // A timer that fires late here is no delay of the server.
    latencies.push(timed(waitMs > 0 ? performance.now() : dueMs));
  }
  return Promise.all(latencies);
}

async function measure(variant: Variant): Promise<Sample> {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-latency-"));
  const { hasGraphs } = VARIANTS[variant];
  const server = fork(join(root, "out/bench/lib/latency-server.js"), [folder]);
  try {
    const [{ url }] = (await once(server, "message")) as [Report];
    if (hasGraphs) await ask(server, "start graphs");
    await loadPages(url, WARM_UP_SECONDS);
    const before = await ask(server, "report");
    const beginMs = performance.now();
    const latencies = await loadPages(url, SECONDS);
    const seconds = (performance.now() - beginMs) / 1000;
    const { graphs } = await ask(server, "stop graphs");
    const graphsPerSecond = (graphs - before.graphs) / seconds;
    return { p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99), graphsPerSecond };
  } finally {
    server.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function tableOf(samples: ReadonlyMap<Variant, Sample[]>): Table {
  const rows = [...samples].map(([variant, of]) => {
    const middle = (key: keyof Sample): number => median(of.map((sample) => sample[key]));
    const noise = Math.round(spread(of.map(({ p99Ms }) => p99Ms)) * 100);
    const cells = [middle("p50Ms").toFixed(1), middle("p99Ms").toFixed(1), `${noise} %`];
    return [VARIANTS[variant].title, ...cells, middle("graphsPerSecond").toFixed(0)];
  });
  return {
    title: `Latency of a page, ${PAGES_PER_SECOND} requests a second`,
    head: ["", "p50 ms", "p99 ms", "± of p99", "graphs/s"],
    rows,
  };
}

const variants = Object.keys(VARIANTS) as Variant[];
const samples = new Map<Variant, Sample[]>(variants.map((variant) => [variant, []]));
for (const round of roundsOf(options)) {
  progress(`round ${round}`);
  for (const variant of shuffled(variants)) samples.get(variant)?.push(await measure(variant));
}
agent.destroy();
await publish({ bench: "latency", tables: [tableOf(samples)], data: Object.fromEntries(samples) }, options);
