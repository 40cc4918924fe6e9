/**
 * Cost of a request: svc compared with node:http that sends the same bytes, and with other frameworks.
 *
 *   npm run bench:http -- [--rounds N] [--only fastify,hono] [--json] [--update] [--quick] [--check]
 *
 * Method and noise: bench/README.md.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { measureStart, type Started } from "./lib/http-start.ts";
import { Loader, Server, type Command } from "./lib/http-servers.ts";
import {
  buildHttpSite,
  commandOf,
  hasWorkload,
  HTTP_NAMES,
  isWhole,
  ownCall,
  prepare,
  TITLES,
  type HttpName,
} from "./lib/http-sites.ts";
import { capture, statusOf, WORKLOADS, type Requests, type Workload } from "./lib/http-workloads.ts";
import { contenders, readOptions } from "./lib/options.ts";
import { buildDir } from "./lib/places.ts";
import { progress, publish, type Table } from "./lib/report.ts";
import { median, shuffled, spread } from "./lib/stats.ts";

/** Requests per connection in a server's turn. A fixed duration would leave servers cold on a busy machine. */
const TURN = 125;
const WARM_UP = 600;
const QUICK = 3;
/** Turns of a check, which only detects a missed goal and measures no distance. */
const CHECK = { turn: 50, warmUp: 400, rounds: 9 };

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
  unchanged: "The same, cached by the browser: 304",
  action: "A server action: POST of JSON",
  counter: "A page that resumes, all defaults on, first visit",
  return: "The same, a returning visitor",
};

/** @param requests one per connection */
async function turn(
  server: Server,
  loader: Loader,
  requests: readonly string[],
  workload: Workload,
  times: number,
): Promise<Sample> {
  const before = await server.usage();
  const order = { port: server.port, requests, status: statusOf(workload), times };
  const load = await loader.run(order);
  const after = await server.usage();
  return { cpuUs: (after.cpuUs - before.cpuUs) / load.count, perSecond: load.count / load.seconds, p99Ms: load.p99Ms };
}

/** Processor time of raw divided by that of `name`: the median over rounds, each compared within itself. */
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

function cpuRatio(samples: Samples, name: HttpName, workload: Workload): number {
  return ratio(samples, name, workload, (raw, mine) => raw.cpuUs / mine.cpuUs);
}

function tableOf(samples: Samples, workload: Workload): Table {
  const names = [...samples.keys()].filter((name) => hasWorkload(name, workload));
  const cpu = (name: HttpName): number => cpuRatio(samples, name, workload);
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

/** The goals of DESIGN: processor time of raw divided by svc's. */
const GOALS: Partial<Record<Workload, number>> = {
  page: 0.92,
  stream: 0.9,
  asset: 0.9,
  unchanged: 0.9,
  counter: 0.5,
  action: 0.75,
};
/**
 * Current ratios of svc, which `--check` enforces. Each is the median of twelve checks of one build on two cores.
 * Some are above 1, because node:http alone passes each request through a stream.
 */
const REACHED: Partial<Record<Workload, number>> = {
  page: 1.06,
  stream: 0.94,
  asset: 1.04,
  unchanged: 0.93,
  counter: 0.48,
  action: 0.76,
};
const CHECKED = Object.keys(REACHED) as readonly Workload[];
/** Tolerance for other work on the machine. */
const SLACK = 0.12;

/** With more load than processors, the result depends on other work and says nothing about svc. */
const isBusy = (): boolean => (loadavg()[0] ?? 0) > cpus().length + 1;

const STARTS = 7;

/** Path of the first request: the page that resumes, or the handwritten page for frameworks without pages. */
function firstPath(name: HttpName): string {
  return hasWorkload(name, "counter") ? "/counter?name=Ann" : "/page";
}

async function startTable(commands: readonly (readonly [HttpName, Command])[], servers: Servers): Promise<Table> {
  const times = new Map<HttpName, Started[]>(commands.map(([name]) => [name, []]));
  for (let at = 0; at < STARTS; at++) {
    for (const [name, command] of shuffled(commands))
      times.get(name)?.push(await measureStart(command, firstPath(name)));
  }
  const rows: string[][] = [];
  const cpu = (all: readonly Started[]): number => median(all.map(({ cpuMs }) => cpuMs));
  for (const [name, all] of [...times].sort(([, a], [, b]) => cpu(a) - cpu(b))) {
    const usage = await servers.get(name)?.usage();
    const ms = (of: (each: Started) => number): string => median(all.map(of)).toFixed(0);
    rows.push([
      TITLES[name](),
      ms(({ firstMs }) => firstMs),
      cpu(all).toFixed(0),
      ((usage?.rssBytes ?? 0) / 1024 / 1024).toFixed(0),
    ]);
  }
  const head = ["", "first answer, ms", "CPU until then, ms", "MB in memory after the load"];
  return { title: "Start and memory", head, rows };
}

type Servers = Map<HttpName, Server>;

function requestsOf(requests: Requests, name: HttpName, workload: Workload): readonly string[] {
  const own = workload === "action" ? ownCall(name) : undefined;
  return own === undefined ? requests[workload] : requests[workload].map(() => own);
}

/** For slow frameworks an eighth of the requests warms the server as well and takes as long. */
function timesOf(name: HttpName, times: number): number {
  return Math.ceil(isWhole(name) ? times / 8 : times);
}

/** Measures all contenders in turns, round after round. */
async function measure(
  servers: Servers,
  loader: Loader,
  requests: Requests,
  workloads: readonly Workload[],
): Promise<Samples> {
  const samples: Samples = new Map();
  const run = (name: HttpName, server: Server, workload: Workload, times: number): Promise<Sample> =>
    turn(server, loader, requestsOf(requests, name, workload), workload, timesOf(name, times));
  for (const name of servers.keys()) {
    samples.set(name, { page: [], stream: [], asset: [], unchanged: [], action: [], counter: [], return: [] });
  }
  const [turns, warmUp] = options.check ? [CHECK.turn, CHECK.warmUp] : [TURN, WARM_UP];
  // Before Node 24 an AsyncLocalStorage, once used, slows all that follows: actions use one, so they come last.
  for (const workload of workloads) {
    const taking = [...servers].filter(([name]) => hasWorkload(name, workload));
    for (const [name, server] of taking) await run(name, server, workload, options.quick ? QUICK : warmUp);
    for (let round = 1; round <= options.rounds; round++) {
      progress(`${workload}, round ${round} of ${options.rounds}`);
      for (const [name, server] of shuffled(taking)) {
        samples.get(name)?.[workload].push(await run(name, server, workload, options.quick ? QUICK : turns));
      }
    }
  }
  return samples;
}

/** A slow figure is measured again: other work on the machine slows one round down, a slower svc slows down all. */
const CHECK_TRIES = 3;

/** @returns a line for each workload that is slower than before in every try. */
async function lostGround(servers: Servers, loader: Loader, requests: Requests, samples: Samples): Promise<string[]> {
  const found: string[] = [];
  for (const workload of CHECKED) {
    const least = (REACHED[workload] ?? 0) - SLACK;
    let figure = cpuRatio(samples, "svc", workload);
    for (let tried = 1; figure < least && tried < CHECK_TRIES; tried++)
      figure = Math.max(figure, cpuRatio(await measure(servers, loader, requests, [workload]), "svc", workload));
    if (figure < least)
      found.push(`${workload}: ${figure.toFixed(2)}, it was ${REACHED[workload]}; the goal is ${GOALS[workload]}`);
  }
  return found;
}

const isCheck = process.argv.includes("--check");
const options = readOptions(isCheck ? CHECK.rounds : 16);
const workloads = isCheck ? CHECKED : WORKLOADS;
const asked = options.check ? (["svc"] as const) : contenders(HTTP_NAMES, options);
const names = [...new Set<HttpName>([...asked, "raw"])];
const folders = await buildHttpSite();
const capturesFile = join(buildDir, `http-captures-${process.pid}.json`);
const servers: Servers = new Map();
const loader = new Loader();
try {
  // This process answers every request once for the captures; another process is measured.
  const asking = await Server.start(commandOf("svc", capturesFile));
  const { captures, requests } = await capture(asking.port).finally(() => asking.stop());
  mkdirSync(buildDir, { recursive: true });
  writeFileSync(capturesFile, JSON.stringify(captures));
  for (const name of names) {
    await prepare(name);
    servers.set(name, await Server.start(commandOf(name, capturesFile)));
  }
  const samples = await measure(servers, loader, requests, workloads);
  const tables = workloads.map((workload) => tableOf(samples, workload));
  if (!options.quick && !options.check) {
    tables.push(
      await startTable(
        names
          .filter((name) => hasWorkload(name, "page") || isWhole(name))
          .map((name) => [name, commandOf(name, capturesFile)]),
        servers,
      ),
    );
  }
  await publish({ bench: "http", tables, data: Object.fromEntries(samples) }, options);
  const lost = options.check ? await lostGround(servers, loader, requests, samples) : [];
  if (lost.length > 0) {
    console.error(`Slower by more than ${SLACK} of raw than before:\n${lost.join("\n")}`);
    if (isBusy()) console.error("The machine has other work to do, so this is no verdict.");
    else process.exitCode = 1;
  }
} finally {
  for (const server of servers.values()) server.stop();
  loader.stop();
  for (const folder of [...folders, capturesFile]) await rm(folder, { recursive: true, force: true });
}
