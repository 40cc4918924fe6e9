/** An engine on a simulated clock, for the tests of this layer. */
import type { BucketConfig } from "../../storage/bucket/bucket-url.ts";
import { ENCRYPTED, TEST_KEY } from "../../storage/contract/opened-store.testkit.ts";
import { after } from "node:test";
import { durationMs, SimulatedClock } from "../../platform/shared/clock.ts";
import type { Store } from "../../storage/contract/contract.ts";
import type { GraphEvent, NodeRow, SignalRow } from "../../storage/contract/graph-rows.ts";
import type { OutboxRow } from "../../storage/contract/webhook-rows.ts";
import { openStore } from "../../storage/open-store.ts";
import { recordLog } from "../../testing/log.ts";
import { testDatabase, type TestDatabase } from "../../testing/test-database.ts";
import { Beside } from "./remote.testkit.ts";
import { createEngine, type EngineOptions } from "./engine.ts";
import type { Engine } from "./engine-types.ts";
import type { LifecycleEvent } from "../machine/report-types.ts";

/** Stores for the engine tests. With `SVC_TEST_POSTGRES_ENGINE`, as in a step of `.ci/run`, PostgreSQL only. */
export const STORES = process.env["SVC_TEST_POSTGRES_ENGINE"] ? ["postgres:"] : ["sqlite:"];

/** A store whose engine runs all nodes in another engine. */
export const REMOTE = "elsewhere:";
/** For tests of a worker's context, which must work locally, in threads and remotely. */
export const PLACES = [...STORES, REMOTE];

/** One database for this process, with a schema for each store. */
let database: Promise<TestDatabase> | undefined;
let schemas = 0;
after(async () => {
  await (await database)?.drop();
});

/** Calls of a store that are not answered yet. */
class Pending {
  #count = 0;

  /** The same store, with its calls counted. */
  through<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (from, key) => {
        const value: unknown = Reflect.get(from, key);
        if (typeof value === "function") return (...given: unknown[]) => this.#counted(value.apply(from, given));
        return typeof value === "object" && value !== null ? this.through(value) : value;
      },
    });
  }

  #counted(answer: unknown): unknown {
    if (!(answer instanceof Promise)) return answer;
    this.#count++;
    const end = (): void => void this.#count--;
    answer.then(end, end);
    return answer;
  }

  during(work: Promise<unknown>): void {
    this.#counted(work);
  }

  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 5; quiet = this.#count > 0 ? 0 : quiet + 1)
      await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** @param given URL of a store, maybe `encrypted`; `sqlite:` and `postgres:` create new ones. */
async function openTestStore(given: string, bucket?: BucketConfig): Promise<Store> {
  const isEncrypted = given.startsWith(ENCRYPTED);
  const [url, payloadKeys] = isEncrypted ? [given.slice(ENCRYPTED.length), [TEST_KEY]] : [given, []];
  if (url === "sqlite:" || url === REMOTE) return openStore("sqlite::memory:", { payloadKeys, bucket });
  if (url !== "postgres:") return openStore(url, { payloadKeys, bucket });
  database ??= testDatabase();
  return openStore(`${(await database).url}?schema=bench_${++schemas}`, { payloadKeys, bucket });
}

/** A clock that a blocked event loop moves, without firing timers meanwhile. */
export class HeldClock extends SimulatedClock {
  heldMs = 0;

  override elapsed(): number {
    return super.elapsed() + this.heldMs;
  }
}

export interface Bench {
  store: Store;
  /** Clock of the current engine. */
  clock: SimulatedClock;
  logs: readonly string[];
  engine: Engine;
  /** Moves the clock and waits until nothing runs. */
  pass: (ms: number) => Promise<void>;
  /** Simulates a crash: another engine recovers on the same store. */
  crash: (options?: Partial<EngineOptions>) => Promise<void>;
  /** Stops the process without time to drain, and starts it again. */
  restart: () => Promise<void>;
}

let days = 0;

/** Later than in other tests of this process: ids never decrease, and retention compares their times. A test may create runs for three days. */
export function laterClock(): SimulatedClock {
  days += 3;
  return new SimulatedClock(Date.now() + durationMs(`${days}d`));
}

export async function bench(
  options: Partial<EngineOptions>,
  url: string,
  clock = new SimulatedClock(),
  bucket?: BucketConfig,
): Promise<Bench> {
  const opened = await openTestStore(url, bucket);
  const pending = new Pending();
  const store = pending.through(opened);
  clock.settled = () => pending.settled();
  const log = recordLog();
  const all: EngineOptions = {
    store,
    clock,
    outboxRows: (event) => [outboxRow(event)],
    random: () => 1,
    log,
    ...options,
  };
  let beside: Beside | undefined;
  const create = (given: EngineOptions): Engine => {
    if (url !== REMOTE) return createEngine(given);
    beside?.die();
    beside = new Beside(pending);
    return beside.create(given);
  };
  const self: Bench = {
    store,
    clock,
    logs: log.texts,
    engine: create(all),
    pass: async (ms) => {
      await self.clock.advance(ms);
      await pending.settled();
      await self.engine.idle();
    },
    crash: async (others = {}) => {
      // Timers of the crashed engine never fire.
      self.clock = new SimulatedClock(self.clock.now());
      self.clock.settled = () => pending.settled();
      self.engine = create({ ...all, clock: self.clock, ...others });
      await self.engine.recover();
    },
    restart: async () => {
      const closed = self.engine.close(0);
      await self.clock.advance(0);
      await closed;
      await self.crash();
    },
  };
  return self;
}

export function outboxRow(event: LifecycleEvent): OutboxRow {
  const { graphId, epoch, pauseNo } = event;
  return {
    id: `msg_${graphId}${event.event}${epoch}.${pauseNo}`,
    registrationId: "wh_1",
    graphId,
    event: event.event,
    epoch,
    pauseNo,
    body: JSON.stringify(event),
    createdMs: event.timestampMs,
    dueMs: event.timestampMs,
  };
}

/** A promise and a function that resolves it. */
export function gate<T = void>(): { promise: Promise<T>; open: (value: T) => void } {
  let open!: (value: T) => void;
  const promise = new Promise<T>((resolve) => (open = resolve));
  return { promise, open };
}

export const typesOf = (events: readonly GraphEvent[]): string[] =>
  events.map((event) => (event.node ? `${event.type} ${event.node}` : event.type));

/** Rows of a run's nodes by id. */
export const nodesOf = async ({ graphs }: Store, graphId: string): Promise<NodeRow[]> =>
  (await graphs.load([graphId]))[0]?.nodes ?? [];

/** Signals that no node has received. */
export const signalsOf = async ({ graphs }: Store, graphId: string): Promise<SignalRow[]> =>
  (await graphs.load([graphId]))[0]?.signals ?? [];

export const webhooksOf = async (store: Store, graphId: string): Promise<string[]> =>
  (await store.webhooks.listDeliveries({ graphId })).items.map((row) => row.event).sort();
