/**
 * A process that `kill-run.ts` kills. It waits for an order on its input, opens the database, recovers its runs and starts more. It prints
 * lines: `up`, `+<number> <id>` for an acknowledged start, `fenced` for a commit that the store rejected, `refused <why>` if it can't open
 * the database, `finished` when the last process has completed all runs.
 */
import { openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { createEngine, openStore, systemClock, type Engine, type LifecycleEvent, type Store } from "svckit/graph";
import { definitionsOf, KINDS, kindOf, type Kind } from "./kill-load.ts";

export interface Order {
  file: string;
  /** File that records each call of a worker. */
  calls: string;
  /** Numbers of runs that were started but not acknowledged. */
  missing: number[];
  /** The first number that was never started. */
  next: number;
  graphs: number;
  /** Whether the process exits once all runs have ended. Otherwise it works until it is killed. */
  isLast: boolean;
}

/** Number of runs started and followed concurrently. */
const PARALLEL_STARTS = 24;
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
    await Promise.all(Array.from({ length: PARALLEL_STARTS }, () => this.#startLoop()));
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

  async #startLoop(): Promise<void> {
    for (;;) {
      const index = this.#order.missing.pop() ?? this.#next++;
      if (index >= this.#order.graphs) return;
      // If a zombie starts the same run, the store rejects one of the two, which then retries.
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
    await this.#control(kind, snapshot.graph_id);
    const { signal } = new AbortController();
    for await (const _event of this.#engine.subscribe(snapshot.graph_id, snapshot.last_seq, signal));
  }

  /** Controls a run according to its kind. A call is rejected if the run was faster, which is fine. */
  async #control(kind: Kind, id: string): Promise<void> {
    if (kind === "approval") await ask(this.#engine.signal(id, "approved", 1));
    if (kind === "cancelled") await ask(this.#engine.cancel(id));
    if (kind === "paused") {
      await ask(this.#engine.pause(id));
      await ask(this.#engine.resume(id));
    }
  }

  /** Controls the runs that a killed process has left behind. */
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

  /** Runs that failed but can be retried: broken ones, and those that happened to run during three kills. */
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

/** Whether the fence of a run rejected the commit, or another process has taken the whole file. */
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
  // An engine's timers do not keep the process alive, so nothing would between two retries.
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

// kill-run.ts imports this file too, for its types.
if (process.argv[2] === "wait-for-order") await main();
