/** The loads of bench:growth: each creates what it needs, then measures one operation at a size, in a process of its own. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createApp, type App } from "svckit";
import { createEngine, graph, openStore, systemClock, worker, type Clock, type Engine, type Store } from "svckit/graph";
import type { Load, LoadOrder } from "./http-load.ts";
import { root } from "./places.ts";

export interface GrowthSample {
  cpuMs: number;
  /** Longest time without a turn of the event loop. */
  blockMs: number;
  /** Growth of the heap; without `--expose-gc` with garbage. */
  heapMb: number;
  /** Most memory of the process meanwhile (resident set). */
  peakMb: number;
  /** Units per second, of loads with a goal for it. */
  perSecond?: number;
  /** Bytes of a response, of loads with a goal for it. */
  bytes?: number;
}

/** What a load measures by itself. */
type OwnFigures = Pick<GrowthSample, "perSecond" | "bytes">;

/** Place of a sample. */
export interface GrowthPlace {
  /** Empty before `prepare`. */
  folder: string;
  /** URL of a server; undefined if there is none. */
  postgres: string | undefined;
}

export interface GrowthLoad {
  name: string;
  sizes: { quick: readonly number[]; check: readonly number[]; full: readonly number[] };
  /** Runs before, in another process, whose memory does not count. */
  prepare?: (size: number, place: GrowthPlace) => Promise<void>;
  run: (size: number, place: GrowthPlace) => Promise<GrowthSample>;
}

const HOUR_MS = 3_600_000;
const API_KEY = "a-key-for-the-benchmark-of-growth";
/** Requests and starts at once. */
const CONCURRENCY = 64;
/** Nodes of the run that is followed, which cause two events each. */
const FOLLOWED_NODES = 50;

const wait = worker("wait", async (_: number, ctx) => ctx.waitFor("go"));
const sleep = worker("sleep", async (_: number, ctx) => ctx.sleep("30m"));
const waitKept = worker("wait-kept", { suspend: false }, async (_: number, ctx) => ctx.waitFor("go"));
const sleepSuspended = worker("sleep-suspended", { suspend: true }, async (_: number, ctx) => ctx.sleep("30m"));
const one = worker("one", (n: number) => n);
const list = worker("list", (count: number) => Array.from({ length: count }, (_, at) => at));
const wide = graph<number, number[]>("wide", (g) => g.map("item", one, g.node("list", list), (all) => all));

/** @param hasPostgres without a server, starts over HTTP are left out */
export function growthLoads(hasPostgres: boolean): GrowthLoad[] {
  const recoveries = [recovery, recoveryOfKept, recoveryOfDelayed];
  const loads = [...recoveries, wakingSleepers, wakingSuspended, nodesInOneRun, followersOfOneRun];
  return hasPostgres ? [...loads, startsOverHttp] : loads;
}

const LOOK_MS = 10;

/** Measures work, with the longest block of the event loop and the most memory meanwhile. */
async function measured(work: () => Promise<OwnFigures | void>): Promise<GrowthSample> {
  globalThis.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  let peak = 0;
  const look = (): void => void (peak = Math.max(peak, process.memoryUsage.rss()));
  const looking = setInterval(look, LOOK_MS);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const before = process.cpuUsage();
  const own = await work();
  const { user, system } = process.cpuUsage(before);
  delay.disable();
  clearInterval(looking);
  look();
  globalThis.gc?.();
  const heapMb = Math.max(0, process.memoryUsage().heapUsed - heapBefore) / 1e6;
  return { cpuMs: (user + system) / 1000, blockMs: delay.max / 1e6, heapMb, peakMb: peak / 1e6, ...own };
}

/** Calls `start` with each number below `count`, several at once. */
async function startAll(count: number, start: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const starter = async (): Promise<void> => {
    while (next < count) await start(next++);
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, count) }, starter));
}

async function withStore<T>({ folder }: GrowthPlace, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(databaseIn(folder));
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

function databaseIn(folder: string): string {
  return `sqlite:${join(folder, "growth.db")}`;
}

/** Recovers runs that another process has started. @param start starts one of them. */
function recoveryOf(
  name: string,
  start: (engine: Engine, at: number) => Promise<unknown>,
  full: readonly number[] = [1000, 10_000, 100_000],
): GrowthLoad {
  const engineOf = (store: Store): Engine =>
    createEngine({ store, clock: systemClock, workers: [wait, waitKept, one] });
  return {
    name,
    sizes: { quick: [20, 40], check: [500, 4000], full },
    prepare: (size, place) =>
      withStore(place, async (store) => {
        const engine = engineOf(store);
        await startAll(size, (at) => start(engine, at));
        await allAtRest(engine);
        await engine.close();
      }),
    run: (size, place) =>
      withStore(place, async (store) => {
        const engine = engineOf(store);
        const sample = await measured(async () => {
          const count = await engine.recover();
          if (count !== size) throw new Error(`${count} of ${size} runs were recovered`);
          await engine.idle();
        });
        await engine.close();
        return sample;
      }),
  };
}

/** Each run had an attempt that waited. */
const recovery = recoveryOf("recover() with waiting runs", (engine, at) => engine.start("wait", at));
/** The worker of each run is called again. Without 100,000, which would need more than a gigabyte. */
const recoveryOfKept = recoveryOf(
  "recover() with suspend: false",
  (engine, at) => engine.start("wait-kept", at),
  [1000, 10_000],
);
/** No run has an attempt. */
const recoveryOfDelayed = recoveryOf("recover() with delayed runs", (engine, at) =>
  engine.start("one", at, { delay: "30d" }),
);

/** Longer than an attempt waits before that is recorded. */
const AT_REST_MS = 2500;

async function allAtRest(engine: Engine): Promise<void> {
  await engine.idle();
  await new Promise((resolve) => setTimeout(resolve, AT_REST_MS));
  await engine.idle();
}

/** A clock whose timers of more than a minute fire together, when `pass` is called. */
class JumpClock implements Clock {
  #aheadMs = 0;
  readonly #late = new Set<() => void>();

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  elapsed(): number {
    return performance.now() + this.#aheadMs;
  }

  schedule(delayMs: number, run: () => void): { cancel: () => void } {
    if (delayMs < 5000) return systemClock.schedule(delayMs, run);
    this.#late.add(run);
    return { cancel: () => void this.#late.delete(run) };
  }

  pass(ms: number): void {
    this.#aheadMs += ms;
    const due = [...this.#late];
    this.#late.clear();
    for (const run of due) run();
  }
}

function wakingOf(name: string, sleeper: typeof sleep): GrowthLoad {
  return {
    name,
    sizes: { quick: [20, 40], check: [500, 4000], full: [1000, 10_000, 40_000] },
    run: (size, place) =>
      withStore(place, async (store) => {
        const clock = new JumpClock();
        const engine = createEngine({ store, clock, workers: [sleeper] });
        await startAll(size, (at) => engine.start(sleeper.name, at));
        await allAtRest(engine);
        const sample = await measured(async () => {
          clock.pass(HOUR_MS);
          await allDone(store, size);
        });
        await engine.close();
        return sample;
      }),
  };
}

const wakingSleepers = wakingOf("sleepers that wake together", sleep);
const wakingSuspended = wakingOf("suspended sleepers that wake together", sleepSuspended);

async function allDone(store: Store, size: number): Promise<void> {
  while (((await store.graphs.countByStatus()).done ?? 0) < size) await new Promise((next) => setTimeout(next, 20));
}

const nodesInOneRun: GrowthLoad = {
  name: "nodes in one run",
  sizes: { quick: [10, 20], check: [250, 2000], full: [1000, 5000, 20_000] },
  run: (size, place) =>
    withApp(place, databaseIn(place.folder), (app) =>
      measured(async () => {
        const run = await app.engine.start(wide, size);
        const result = await run.result();
        if (result.length !== size) throw new Error(`${result.length} of ${size} items have a result`);
        const snapshot = await app.fetch(requestOf(`/_svc/graphs/${run.id}`));
        return { bytes: (await snapshot.arrayBuffer()).byteLength };
      }),
    ),
};

async function withApp<T>({ folder }: GrowthPlace, database: string, use: (app: App) => Promise<T>): Promise<T> {
  const app = createApp({ graphs: [wide], workers: [one], env: environment(database, folder) });
  await app.boot();
  try {
    return await use(app);
  } finally {
    await app.close();
  }
}

const followersOfOneRun: GrowthLoad = {
  name: "followers of one run",
  sizes: { quick: [2, 4], check: [20, 160], full: [50, 200, 1000] },
  run: (size, place) =>
    withApp(place, databaseIn(place.folder), async (app) => {
      const { id } = await app.engine.start(wide, FOLLOWED_NODES, { delay: "1s" });
      const streams = await Promise.all(
        Array.from({ length: size }, () => app.fetch(requestOf(`/_svc/graphs/${id}/events`))),
      );
      return measured(async () => {
        const ends = await Promise.all(streams.map((stream) => stream.text()));
        for (const text of ends)
          if (!text.includes("graph.done")) throw new Error(`A follower got no end: ${text.slice(0, 200)}`);
      });
    }),
};

const startsOverHttp: GrowthLoad = {
  name: "starts over HTTP on PostgreSQL",
  sizes: { quick: [10, 20], check: [256, 2048], full: [1024, 4096, 16_384] },
  run: async (size, { folder, postgres = "" }) => {
    const database = `${postgres}?schema=growth_${process.hrtime.bigint()}`;
    const app = createApp({ workers: [one], env: environment(database, folder) });
    const started = await app.start({ port: 0, host: "127.0.0.1" });
    try {
      return await measured(async () => {
        const { count, seconds } = await startOverHttp(Number(new URL(started.url).port), size);
        return { perSecond: count / seconds };
      });
    } finally {
      await started.close();
    }
  },
};

/** From the load generator of bench:http, so that the figures are those of the server alone. */
async function startOverHttp(port: number, size: number): Promise<Load> {
  const generator = fork(join(root, "out/bench/lib/http-load.js"));
  const connections = Math.min(CONCURRENCY, size);
  const request = (at: number): string => {
    const body = JSON.stringify({ worker: "one", input: at });
    return `POST /_svc/graphs HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${API_KEY}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };
  const requests = Array.from({ length: connections }, (_, at) => request(at));
  const order: LoadOrder = { port, requests, status: 202, times: Math.ceil(size / connections) };
  generator.send(order);
  const [load] = (await once(generator, "message")) as [Load];
  generator.kill();
  if (load.error !== undefined) throw new Error(load.error);
  return load;
}

function environment(databaseUrl: string, folder: string): Record<string, string> {
  return {
    SVC_DATABASE_URL: databaseUrl,
    SVC_DATA_DIR: folder,
    SVC_EXEC_API_KEY: API_KEY,
    SVC_SECRET: "s".repeat(32),
    SVC_LOG_LEVEL: "error",
    NODE_ENV: "test",
  };
}

function requestOf(path: string, body?: object): Request {
  return new Request(new URL(path, "http://localhost"), {
    headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
}
