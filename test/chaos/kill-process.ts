/**
 * A process that `kill-run.ts` kills. It loads, waits for an order on its input, opens the database, goes on with what is
 * there and starts more. Tells in lines: `up`, `+<number> <graph>` for a start that was acknowledged, `fenced` for a commit
 * the store refused, `refused <why>` when it can't have the database, `finished` when an order to finish is carried out.
 */
import { openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { createEngine, openStore, systemClock, type Engine, type LifecycleEvent, type Store } from "svckit/graph";
import { definitionsOf, KINDS, kindOf, type Kind } from "./kill-load.ts";

export interface Order {
  file: string;
  /** Where each call of a worker is told. */
  calls: string;
  /** Numbers of graphs that nobody has acknowledged so far, and from which on none was started. */
  missing: number[];
  next: number;
  graphs: number;
  /** Ends by itself once all graphs have come to their end; else it works until it is killed. */
  isLast: boolean;
}

/** Graphs started and waited for at once. */
const LANES = 24;
const SWEEP_MS = 60;

function say(line: string): void {
  writeSync(1, `${line}\n`);
}

class Load {
  readonly #order: Order;
  readonly #store: Store;
  readonly #engine: Engine;
  #next: number;

  constructor(order: Order, store: Store) {
    this.#order = order;
    this.#store = store;
    this.#next = order.next;
    const log = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (details: object, text?: string) => say(isFenced(details) ? "fenced" : `trouble ${text}`),
    };
    this.#engine = createEngine({
      store,
      clock: systemClock,
      graphs: definitionsOf(openSync(order.calls, "a")),
      outboxRows: (event) => [outboxRow(event)],
      log,
    });
  }

  async run(): Promise<void> {
    await this.#engine.recover();
    say("up");
    const sweeping = setInterval(() => void this.#sweep(), SWEEP_MS);
    await this.#sweep();
    await Promise.all(Array.from({ length: LANES }, () => this.#taskQueue()));
    if (!this.#order.isLast) return;
    while (!(await this.#isOver())) await new Promise((done) => setTimeout(done, 10));
    clearInterval(sweeping);
    await this.#engine.idle();
    await this.#engine.close(0);
    await this.#store.close();
    say("finished");
    process.exit(0);
  }

  async #isOver(): Promise<boolean> {
    const { pending, running, paused } = await this.#store.graphs.countByStatus();
    return pending + running + paused === 0 && (await this.#allFailed()).length === 0;
  }

  async #taskQueue(): Promise<void> {
    for (;;) {
      const index = this.#order.missing.pop() ?? this.#next++;
      if (index >= this.#order.graphs) return;
      // What a zombie started as well is refused to one of the two, which asks again.
      await this.#one(index).catch((error: Error) => {
        say(isRefusal(error) ? "fenced" : `trouble ${error.message}`);
        this.#order.missing.push(index);
      });
    }
  }

  async #one(index: number): Promise<void> {
    const kind = kindOf(index);
    const delayMs = kind === "delayed" ? 20 : 0;
    const { snapshot } = await this.#engine.start(kind, index, { idempotencyKey: `key-${index}`, delay: delayMs });
    say(`+${index} ${snapshot.graph_id}`);
    await this.#steer(kind, snapshot.graph_id);
    const { signal } = new AbortController();
    for await (const _event of this.#engine.subscribe(snapshot.graph_id, snapshot.last_seq, signal));
  }

  /** What an operator does to a graph of this kind; where the graph was faster it is refused, which is fine. */
  async #steer(kind: Kind, id: string): Promise<void> {
    if (kind === "approval") await ask(this.#engine.signal(id, "approved", 1));
    if (kind === "cancelled") await ask(this.#engine.cancel(id));
    if (kind === "paused") {
      await ask(this.#engine.pause(id));
      await ask(this.#engine.resume(id));
    }
  }

  /** Steers what an operator that was killed has left behind. */
  async #sweep(): Promise<void> {
    const steps: Promise<unknown>[] = [];
    for (const id of await this.#allFailed()) steps.push(ask(this.#engine.retry(id)));
    for (const { id } of (await this.#store.graphs.list({ worker: "paused", status: "paused", limit: 200 })).items)
      steps.push(ask(this.#engine.resume(id)));
    for (const { id } of (await this.#store.graphs.list({ worker: "approval", status: "running", limit: 200 })).items)
      steps.push(ask(this.#engine.signal(id, "approved", 1)));
    await Promise.all(steps);
  }

  async #allFailed(): Promise<string[]> {
    return (await Promise.all(KINDS.map((kind) => this.#failed(kind)))).flat();
  }

  /** Failed, and not for good: broken ones, and those that by chance ran at three kills. */
  async #failed(kind: Kind): Promise<string[]> {
    if (kind === "cancelled") return [];
    return (await this.#store.graphs.list({ worker: kind, status: "failed", limit: 200 })).items.map(({ id }) => id);
  }
}

async function ask(call: Promise<unknown>): Promise<void> {
  await call.catch((error: { code?: string; message: string }) => {
    if (error.code !== "SVC_TRANSITION") say(`trouble ${error.message}`);
  });
}

/** By the fence of a graph, or since another process has the whole file. */
function isRefusal({ message }: Error): boolean {
  return message.includes("another state") || message.includes("opened by another process");
}

function isFenced(details: { err?: unknown }): boolean {
  return details.err instanceof Error && isRefusal(details.err);
}

function outboxRow({ graphId, event, epoch, pauseNo, timestampMs }: LifecycleEvent) {
  const id = `msg_${[graphId, event.replace(".", "_"), epoch, pauseNo, process.pid].join("_")}`;
  const dueMs = timestampMs + 3_600_000;
  return { id, registrationId: "wh_1", graphId, event, epoch, pauseNo, body: "", createdMs: timestampMs, dueMs };
}

async function main(): Promise<void> {
  // The timers of an engine do not keep a process alive, so between two retries nothing would.
  setInterval(() => {}, 60_000);
  const input = createInterface({ input: process.stdin });
  const [line] = (await new Promise((resolve) => input.once("line", (text) => resolve([text])))) as [string];
  const order = JSON.parse(line) as Order;
  try {
    await new Load(order, await openStore(`sqlite:${order.file}`)).run();
  } catch (error) {
    say(`refused ${(error as Error).message.replaceAll("\n", " ")}`);
    process.exit(1);
  }
}

// Imported by kill-run.ts, too, for its types.
if (process.argv[2] === "wait-for-order") await main();
