/**
 * What a request costs: svc beside node:http that sends the same bytes, and beside other frameworks.
 *
 *   npm run bench:http -- [--rounds N] [--only fastify,hono] [--json] [--update] [--quick]
 *
 * Method and noise: bench/README.md.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Loader, Server } from "./lib/http-servers.ts";
import { buildHttpSite, commandOf, hasWorkload, HTTP_NAMES, prepare, TITLES, type HttpName } from "./lib/http-sites.ts";
import { capture, statusOf, WORKLOADS, type Requests, type Workload } from "./lib/http-workloads.ts";
import { contenders, readOptions, roundsOf } from "./lib/options.ts";
import { buildDir } from "./lib/places.ts";
import { progress, publish, type Table } from "./lib/report.ts";
import { median, shuffled, spread } from "./lib/stats.ts";

/** How long a server is kept busy in its turn. */
const TURN_MS = 200;
const WARM_UP_MS = 1200;

interface Sample {
  /** Microseconds of processor time for one request. */
  cpuUs: number;
  perSecond: number;
  p99Ms: number;
}

type Samples = Map<HttpName, Record<Workload, Sample[]>>;

const WORKLOAD_TITLES: Record<Workload, string> = {
  page: "A page of 10 KB with a nonce and its security headers",
  stream: "The same in three parts",
  asset: "A public file, compressed at build",
  unchanged: "The same, which the browser has: 304",
  action: "A server action: POST of JSON",
  counter: "A page that resumes, all defaults on, first visit",
  return: "The same, a visitor who was here before",
};

async function turn(
  server: Server,
  loader: Loader,
  requests: Requests,
  workload: Workload,
  ms: number,
): Promise<Sample> {
  const before = await server.usage();
  const order = { port: server.port, requests: requests[workload], status: statusOf(workload), ms };
  const load = await loader.run(order);
  const after = await server.usage();
  return { cpuUs: (after.cpuUs - before.cpuUs) / load.count, perSecond: load.count / load.seconds, p99Ms: load.p99Ms };
}

/** How much of a processor raw needs for what takes `name` one: the median of rounds, each with itself. */
function ratio(
  samples: Samples,
  name: HttpName,
  workload: Workload,
  of: (raw: Sample, mine: Sample) => number,
): number {
  const raw = samples.get("raw")?.[workload] ?? [];
  const mine = samples.get(name)?.[workload] ?? [];
  return median(mine.flatMap((each, at) => (raw[at] ? [of(raw[at], each)] : [])));
}

function tableOf(samples: Samples, workload: Workload): Table {
  const names = [...samples.keys()].filter((name) => hasWorkload(name, workload));
  const cpu = (name: HttpName): number => ratio(samples, name, workload, (raw, mine) => raw.cpuUs / mine.cpuUs);
  const rows = names
    .sort((a, b) => cpu(b) - cpu(a))
    .map((name) => {
      const mine = samples.get(name)?.[workload] ?? [];
      return [
        TITLES[name](),
        median(mine.map(({ cpuUs }) => cpuUs)).toFixed(1),
        cpu(name).toFixed(2),
        `${Math.round(spread(mine.map(({ cpuUs }) => cpuUs)) * 100)} %`,
        ratio(samples, name, workload, (raw, each) => each.perSecond / raw.perSecond).toFixed(2),
        median(mine.map(({ p99Ms }) => p99Ms)).toFixed(1),
      ];
    });
  const head = ["", "CPU µs a request", "ratio to raw", "±", "requests/s to raw", "p99 ms"];
  return { title: WORKLOAD_TITLES[workload], head, rows };
}

const options = readOptions(16);
const asked = contenders(HTTP_NAMES, options);
const names = asked.includes("raw") ? asked : ([...asked, "raw"] as HttpName[]);
const site = await buildHttpSite();
const capturesFile = join(buildDir, `http-captures-${process.pid}.json`);
const servers = new Map<HttpName, Server>();
const loader = new Loader();
try {
  const svc = await Server.start(commandOf("svc", capturesFile));
  servers.set("svc", svc);
  const { captures, requests } = await capture(svc.port);
  mkdirSync(buildDir, { recursive: true });
  writeFileSync(capturesFile, JSON.stringify(captures));
  for (const name of names) {
    if (name === "svc") continue;
    await prepare(name);
    servers.set(name, await Server.start(commandOf(name, capturesFile)));
  }
  const samples: Samples = new Map();
  for (const [name, server] of servers) {
    samples.set(name, { page: [], stream: [], asset: [], unchanged: [], action: [], counter: [], return: [] });
    for (const workload of WORKLOADS) {
      if (hasWorkload(name, workload)) await turn(server, loader, requests, workload, options.quick ? 50 : WARM_UP_MS);
    }
  }
  for (const round of roundsOf(options)) {
    progress(`round ${round} of ${options.rounds}`);
    for (const workload of WORKLOADS) {
      for (const [name, server] of shuffled([...servers])) {
        if (!hasWorkload(name, workload)) continue;
        const ms = options.quick ? 50 : TURN_MS;
        samples.get(name)?.[workload].push(await turn(server, loader, requests, workload, ms));
      }
    }
  }
  const tables = WORKLOADS.map((workload) => tableOf(samples, workload));
  await publish({ bench: "http", tables, data: Object.fromEntries(samples) }, options);
} finally {
  for (const server of servers.values()) server.stop();
  loader.stop();
  await rm(site, { recursive: true, force: true });
  await rm(capturesFile, { force: true });
}
