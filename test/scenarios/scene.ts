/** An engine in memory with a clock that the scenario moves: what every scenario of this folder needs. */
import assert from "node:assert/strict";
import { afterEach } from "node:test";
import {
  createEngine,
  openStore,
  SimulatedClock,
  type Engine,
  type EngineOptions,
  type Json,
  type LogFields,
  type Store,
} from "svckit/graph";

export const SECOND = 1000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

/** Attempts of a worker whose failure is meant to be the last one. */
export const once = { retry: { max: 1 } };

/** Enough for fifty runs to begin, one after the other. */
const TURNS_TO_BEGIN = 50;
/** Turns of the event loop after which a state that a scenario waits for will not come. */
const MOST_TURNS = 500;

const opened: Store[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

type Options = Partial<Omit<EngineOptions, "store" | "clock">>;

export class Scene {
  readonly store: Store;
  /** Messages that the engine has logged. */
  readonly logs: string[] = [];
  readonly #options: Options;
  clock: SimulatedClock;
  engine: Engine;

  constructor(store: Store, options: Options, startMs: number) {
    this.store = store;
    this.#options = options;
    this.clock = new SimulatedClock(startMs);
    this.engine = this.#create({});
  }

  #create(others: Options): Engine {
    const log = (fields: LogFields, message: string): void =>
      void this.logs.push(`${message} ${String(fields["err"])}`);
    return createEngine({
      random: () => 1,
      log: { debug: log, info: log, warn: log, error: log },
      ...this.#options,
      ...others,
      store: this.store,
      clock: this.clock,
    });
  }

  /** Lets work begin, moves the clock, then waits until nothing runs. */
  async pass(ms: number): Promise<void> {
    for (let turn = 0; turn < TURNS_TO_BEGIN; turn++) await this.clock.advance(0);
    await this.clock.advance(ms);
    await this.engine.idle();
  }

  /** Waits for a fact while attempts are running, without moving the clock. */
  async until(isTrue: () => unknown): Promise<void> {
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      if (await isTrue()) return;
      await this.clock.advance(0);
    }
    assert.fail(`This did not become true: ${isTrue.toString()}`);
  }

  /** The process dies, and a new one continues with what is stored. Timers of the dead process never fire. */
  async crash(others: Options = {}): Promise<void> {
    this.clock = new SimulatedClock(this.clock.now());
    this.engine = this.#create(others);
    await this.engine.recover();
  }

  /** `["done", result]`, or `["failed" | "cancelled", message]`, or the state and null. */
  async outcome({ id }: { id: string }): Promise<[state: string, value: Json]> {
    const run = await this.engine.snapshot(id);
    assert.ok(run, `no run ${id}`);
    if (run.status === "done") return ["done", run.result];
    if (run.status !== "failed") return [run.is_queued ? "queued" : run.phase, null];
    return [run.error?.reason === "cancelled" ? "cancelled" : "failed", run.error?.message ?? null];
  }

  /** States of the run's nodes by id. */
  async nodes({ id }: { id: string }): Promise<Record<string, string>> {
    return Object.fromEntries(((await this.engine.snapshot(id))?.nodes ?? []).map((node) => [node.id, node.status]));
  }

  /** Input and outcome of each run of a graph or worker, oldest first. */
  async runs(name: string): Promise<[input: Json, state: string, value: Json][]> {
    const { items } = await this.engine.list({ worker: name, limit: 100 });
    const runs = items.toSorted((a, b) => a.created_ms - b.created_ms || a.graph_id.localeCompare(b.graph_id));
    return Promise.all(
      runs.map(async (run) => [run.input, ...(await this.outcome({ id: run.graph_id }))] as const),
    ).then((all) => all.map(([input, state, value]) => [input, state, value]));
  }
}

/** Midnight (UTC) at which the next scene begins: ids of runs never go back in time within a process, so clocks do not either. */
let nextStartMs = Date.UTC(2026, 0, 1);
/** No scenario takes longer. */
const LONGEST_MS = 100 * DAY;

/** @param startMs the time at the beginning, if it matters. */
export async function scene(options: Options, startMs = (nextStartMs += LONGEST_MS)): Promise<Scene> {
  const store = await openStore("memory:");
  opened.push(store);
  return new Scene(store, options, startMs);
}

/** A promise that the scenario resolves. */
export function gate<T = void>(): { promise: Promise<T>; open: (value: T) => void } {
  let open!: (value: T) => void;
  const promise = new Promise<T>((resolve) => (open = resolve));
  return { promise, open };
}

/** Work that ends only when its signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
}
