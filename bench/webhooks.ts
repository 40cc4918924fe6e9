/**
 * Cost of a delivered webhook: compares svc, which writes each event and each attempt to disk, with a bare loop over undici that posts
 * the same bytes to the same receivers.
 *
 *   npm run bench:webhooks -- [--rounds N] [--json] [--update] [--quick] [--check]
 *
 * Method and noise: bench/README.md.
 */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "./lib/options.ts";
import { root } from "./lib/places.ts";
import { progress, publish, type Table } from "./lib/report.ts";
import { median, spread } from "./lib/stats.ts";
import type { Done, Order } from "./lib/webhook-driver.ts";
import type { SinkReady, SinkReport } from "./lib/webhook-sink.ts";

const ENDPOINTS = 8;
const MANY_ENDPOINTS = 100;
/** The goals: ratio to the bare loop, deliveries per second, p99 at a steady rate, memory growth. */
const GOALS = { ratio: 0.7, perSecond: 5000, p99Ms: 100, growthBytes: 50 * 1024 * 1024, slowed: 2 };
/** Fraction of a goal that counts as reached on a busy machine. */
const SLACK = 0.6;

const options = readOptions(5);
const COUNT = options.quick ? 500 : 10_000;
const WAITING = options.quick ? 2000 : 100_000;
const SECONDS = options.quick ? 1 : 10;
const RATE = options.quick ? 100 : 500;

function start(script: string, args: readonly string[] = []): ChildProcess {
  return fork(join(root, "out/bench/lib", script), [...args], { execArgv: ["--expose-gc"] });
}

/** @returns the next message. @throws if the process ends first */
async function answerOf<T>(child: ChildProcess): Promise<T> {
  const answered = new AbortController();
  const { signal } = answered;
  const ended = once(child, "exit", { signal }).then(() => {
    throw new Error("a process of the bench has ended");
  });
  const [message] = (await Promise.race([once(child, "message", { signal }), ended])) as [T];
  ended.catch(() => undefined); // Nothing awaits this promise any more.
  answered.abort();
  return message;
}

function ask<T>(child: ChildProcess, order: Order | "report"): Promise<T> {
  const answer = answerOf<T>(child);
  child.send(order);
  return answer;
}

const folders: string[] = [];
const children: ChildProcess[] = [];

/** A separate sender process with an empty database. */
async function openSender(ports: readonly number[]): Promise<ChildProcess> {
  const driver = start("webhook-driver.js");
  children.push(driver);
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-webhooks-"));
  folders.push(folder);
  await ask<Done>(driver, { kind: "open", folder, ports });
  return driver;
}

interface Sample {
  perSecond: number;
  cpuUs: number;
}

const sampleOf = ({ seconds, cpuUs }: Done): Sample => ({ perSecond: COUNT / seconds, cpuUs: cpuUs / COUNT });

type Samples = Record<"svc" | "bare" | "signed", Sample[]>;

/** One burst of svc. @throws unless every delivery arrived exactly once */
async function burst(driver: ChildProcess, sink: ChildProcess): Promise<Done> {
  await ask<SinkReport>(sink, "report");
  const done = await ask<Done>(driver, { kind: "burst", count: COUNT });
  const { count, repeated } = await ask<SinkReport>(sink, "report");
  if (count !== COUNT || repeated > 0) throw new Error(`${count} of ${COUNT} arrived, ${repeated} more than once`);
  return done;
}

/** Bursts of all contenders in turns. */
async function throughput(sink: ChildProcess, ports: readonly number[]): Promise<Samples> {
  const svc = await openSender(ports);
  const bare = start("webhook-driver.js");
  children.push(bare);
  const samples: Samples = { svc: [], bare: [], signed: [] };
  for (let round = 0; round <= options.rounds; round++) {
    progress(`round ${round} of ${options.rounds}`);
    const turn: Record<keyof Samples, Done> = {
      bare: await ask<Done>(bare, { kind: "bare", ports, count: COUNT, isSigned: false }),
      signed: await ask<Done>(bare, { kind: "bare", ports, count: COUNT, isSigned: true }),
      svc: await burst(svc, sink),
    };
    // The first round is the warm-up.
    if (round > 0) for (const name of Object.keys(turn) as (keyof Samples)[]) samples[name].push(sampleOf(turn[name]));
  }
  for (const driver of [svc, bare]) driver.kill();
  return samples;
}

/** Ages of deliveries at a steady rate. */
async function steady(sink: ChildProcess, ports: readonly number[], count: number): Promise<SinkReport> {
  const driver = await openSender(ports);
  await ask<Done>(driver, { kind: "paced", perSecond: RATE, seconds: 1 });
  await ask<SinkReport>(sink, "report");
  await ask<Done>(driver, { kind: "paced", perSecond: RATE, seconds: SECONDS });
  const report = await ask<SinkReport>(sink, "report");
  driver.kill();
  if (report.count < count) throw new Error(`${report.count} of ${count} arrived`);
  return report;
}

interface Growth {
  all: number;
  secondHalf: number;
}

/** Memory growth of a process with waiting deliveries: in total, and during the second half, when its heap is stable. */
async function growth(ports: readonly number[], deadPort: number): Promise<Growth> {
  const driver = await openSender(ports);
  await ask<Done>(driver, { kind: "waiting", port: deadPort, count: Math.min(1000, WAITING) });
  const first = await ask<Done>(driver, { kind: "waiting", port: deadPort, count: WAITING / 2 });
  const second = await ask<Done>(driver, { kind: "waiting", port: deadPort, count: WAITING / 2 });
  driver.kill();
  return { all: first.rssGrowth + second.rssGrowth, secondHalf: second.rssGrowth };
}

function tablesOf(samples: Samples, latency: SinkReport[], grown: Growth): Table[] {
  const perSecond = (of: Sample[]): number => median(of.map((sample) => sample.perSecond));
  const cpu = (of: Sample[]): number => median(of.map((sample) => sample.cpuUs));
  const row = (title: string, of: Sample[]): string[] => [
    title,
    Math.round(perSecond(of)).toLocaleString("en"),
    ratioOf(samples, of).toFixed(2),
    cpu(of).toFixed(0),
    `${Math.round(spread(of.map((sample) => sample.perSecond)) * 100)} %`,
  ];
  const mb = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
  const [alone, many, holed] = latency;
  const ms = (report: SinkReport | undefined): string[] => [`${report?.p50Ms}`, `${report?.p99Ms}`];
  return [
    {
      title: `Deliveries per second, ${ENDPOINTS} receivers, 64 connections`,
      head: ["", "per second", "ratio to the barest loop", "CPU µs each", "±"],
      rows: [
        row("svc: event and attempt on disk, signed twice", samples.svc),
        row("undici alone, each body made and signed twice", samples.signed),
        row("undici alone, the same body again and again", samples.bare),
      ],
    },
    {
      title: `From the event to its arrival, at ${RATE} events a second`,
      head: ["", "p50 ms", "p99 ms"],
      rows: [
        [`${ENDPOINTS} receivers`, ...ms(alone)],
        [`${MANY_ENDPOINTS} receivers`, ...ms(many)],
        [`the same, one of them a black hole: the others`, ...ms(holed)],
      ],
    },
    {
      title: "Memory",
      head: ["", "MB"],
      rows: [
        [`growth with ${WAITING.toLocaleString("en")} waiting for a dead receiver`, mb(grown.all)],
        ["of it by the second half of them", mb(grown.secondHalf)],
      ],
    },
  ];
}

/** Compares within each round. */
function ratioOf({ bare }: { bare: Sample[] }, of: Sample[]): number {
  return median(of.map((sample, at) => sample.perSecond / (bare[at]?.perSecond ?? Number.NaN)));
}

const sink = start("webhook-sink.js", [String(MANY_ENDPOINTS)]);
children.push(sink);
try {
  const { ports, holePort } = await answerOf<SinkReady>(sink);
  const few = ports.slice(0, ENDPOINTS);
  const samples = await throughput(sink, few);
  progress("steady");
  const due = RATE * SECONDS;
  const alone = await steady(sink, few, due);
  const many = await steady(sink, ports, due);
  const holed = await steady(
    sink,
    [...ports.slice(1), holePort],
    Math.floor((due * (MANY_ENDPOINTS - 1)) / MANY_ENDPOINTS),
  );
  progress("waiting");
  const grown = await growth(few, holePort);
  const data = { ...samples, alone, many, holed, grown };
  await publish({ bench: "webhooks", tables: tablesOf(samples, [alone, many, holed], grown), data }, options);
  const missed = [
    [ratioOf(samples, samples.svc), GOALS.ratio * SLACK],
    [median(samples.svc.map(({ perSecond }) => perSecond)), GOALS.perSecond * SLACK],
    [GOALS.growthBytes, grown.all * SLACK],
  ].filter(([figure = 0, goal = 0]) => figure < goal);
  if (options.check && missed.length > 0) {
    console.error(`Below the goal: ${JSON.stringify(missed)}`);
    process.exitCode = 1;
  }
} finally {
  for (const child of children) child.kill();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
}
