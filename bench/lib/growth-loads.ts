/** The loads of bench:growth: each creates what it needs, then measures one operation at a size. */
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createApp } from "svckit";
import { createEngine, graph, openStore, systemClock, worker, type Clock, type Engine, type Store } from "svckit/graph";
import { startPostgres, withoutPostgres } from "svckit/testing";

export interface GrowthSample {
  cpuMs: number;
  /** Longest time without a turn of the event loop. */
  blockMs: number;
  /** Growth of the heap; without `--expose-gc` with garbage. */
  heapMb: number;
}

export interface GrowthLoad {
  name: string;
  sizes: { quick: readonly number[]; check: readonly number[]; full: readonly number[] };
  run: (size: number, folder: string) => Promise<GrowthSample>;
}

const HOUR_MS = 3_600_000;
const API_KEY = "a-key-for-the-benchmark-of-growth";
/** Requests and starts at once. */
const CONCURRENCY = 64;
/** Nodes of the run that is followed, which cause two events each. */
const FOLLOWED_NODES = 50;

const wait = worker("wait", async (_: number, ctx) => ctx.waitFor("go"));
const sleep = worker("sleep", async (_: number, ctx) => ctx.sleep("30m"));
const one = worker("one", (n: number) => n);
const list = worker("list", (count: number) => Array.from({ length: count }, (_, at) => at));
const wide = graph<number, number[]>("wide", (g) => g.map("item", one, g.node("list", list), (all) => all));

/** Sizes that PostgreSQL needs are left out if there is none. @param isQuick leaves it out in any case, for a fast test. */
export async function growthLoads(isQuick: boolean): Promise<GrowthLoad[]> {
  const loads = [recovery, wakingSleepers, nodesInOneRun, followersOfOneRun];
  if (isQuick) return loads;
  const missing = await withoutPostgres();
  if (missing === false) return [...loads, startsOverHttp];
  console.error(`Starts over HTTP on PostgreSQL are left out: ${missing}`);
  return loads;
}

/** Measures work, with the longest block of the event loop meanwhile. */
async function measured(work: () => Promise<unknown>): Promise<GrowthSample> {
  globalThis.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  delay.disable();
  globalThis.gc?.();
  const heapMb = Math.max(0, process.memoryUsage().heapUsed - heapBefore) / 1e6;
  return { cpuMs: (user + system) / 1000, blockMs: delay.max / 1e6, heapMb };
}

/** Calls `start` with each number below `count`, several at once. */
async function startAll(count: number, start: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const starter = async (): Promise<void> => {
    while (next < count) await start(next++);
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, count) }, starter));
}

async function withStore<T>(folder: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(`sqlite:${join(folder, `${process.hrtime.bigint()}.db`)}`);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

const recovery: GrowthLoad = {
  name: "recover() with waiting runs",
  sizes: { quick: [20, 40], check: [500, 4000], full: [1000, 10_000, 100_000] },
  run: (size, folder) =>
    withStore(folder, async (store) => {
      const before = createEngine({ store, clock: systemClock, workers: [wait] });
      await startAll(size, (at) => before.start("wait", at));
      await before.idle();
      await before.close();
      const engine = createEngine({ store, clock: systemClock, workers: [wait] });
      const sample = await measured(async () => {
        const count = await engine.recover();
        if (count !== size) throw new Error(`${count} of ${size} runs were recovered`);
        await engine.idle();
      });
      await engine.close();
      return sample;
    }),
};

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

const wakingSleepers: GrowthLoad = {
  name: "sleepers that wake together",
  sizes: { quick: [20, 40], check: [500, 4000], full: [1000, 10_000, 40_000] },
  run: (size, folder) =>
    withStore(folder, async (store) => {
      const clock = new JumpClock();
      const engine = createEngine({ store, clock, workers: [sleep] });
      await startAll(size, (at) => engine.start("sleep", at));
      await engine.idle();
      const sample = await measured(async () => {
        clock.pass(HOUR_MS);
        await allDone(store, size);
      });
      await engine.close();
      return sample;
    }),
};

async function allDone(store: Store, size: number): Promise<void> {
  while (((await store.graphs.countByStatus()).done ?? 0) < size) await new Promise((next) => setTimeout(next, 20));
}

const nodesInOneRun: GrowthLoad = {
  name: "nodes in one run",
  sizes: { quick: [10, 20], check: [250, 2000], full: [1000, 5000, 20_000] },
  run: (size, folder) =>
    withStore(folder, async (store) => {
      const engine = createEngine({ store, clock: systemClock, graphs: [wide] });
      const sample = await measured(() => resultOf(engine, size));
      await engine.close();
      return sample;
    }),
};

async function resultOf(engine: Engine, nodes: number): Promise<void> {
  const run = await engine.start(wide, nodes);
  const result = await run.result();
  if (result.length !== nodes) throw new Error(`${result.length} of ${nodes} items have a result`);
}

const followersOfOneRun: GrowthLoad = {
  name: "followers of one run",
  sizes: { quick: [2, 4], check: [20, 160], full: [50, 200, 1000] },
  run: async (size, folder) => {
    const app = createApp({
      graphs: [wide],
      env: environment(`sqlite:${join(folder, `f${process.hrtime.bigint()}.db`)}`, folder),
    });
    await app.boot();
    try {
      const { id } = await app.engine.start(wide, FOLLOWED_NODES, { delay: "1s" });
      const streams = await Promise.all(
        Array.from({ length: size }, () => app.fetch(requestOf(`/_svc/graphs/${id}/events`))),
      );
      return await measured(async () => {
        const ends = await Promise.all(streams.map((stream) => stream.text()));
        for (const text of ends)
          if (!text.includes("graph.done")) throw new Error(`A follower got no end: ${text.slice(0, 200)}`);
      });
    } finally {
      await app.close();
    }
  },
};

const startsOverHttp: GrowthLoad = {
  name: "starts over HTTP on PostgreSQL",
  sizes: { quick: [10, 20], check: [250, 2000], full: [1000, 4000, 16_000] },
  run: async (size, folder) => {
    const server = await postgres();
    const schema = `growth_${process.hrtime.bigint()}`;
    const app = createApp({ workers: [one], env: environment(`${server.url}?schema=${schema}`, folder) });
    await app.boot();
    try {
      return await measured(() =>
        startAll(size, async (at) => {
          const response = await app.fetch(requestOf("/_svc/graphs", { worker: "one", input: at }));
          if (response.status !== 202) throw new Error(`A start was answered with ${response.status}`);
        }),
      );
    } finally {
      await app.close();
    }
  },
};

let started: ReturnType<typeof startPostgres> | undefined;

/** One server for all samples. It ends with this process. */
function postgres(): ReturnType<typeof startPostgres> {
  started ??= startPostgres({ isDurable: true });
  return started;
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
