/** The side of the run for a worker in a thread or another process; remote-context.ts is the other side. */
import type { Json } from "../../../platform/shared/json.ts";
import type { StepInfo, StepOptions } from "../../definition/context-types.ts";
import type { EventDefinition } from "../../definition/event-types.ts";
import type { Worker } from "../../definition/definition-types.ts";
import type { WorkerContext } from "../../definition/worker-types.ts";
import { AwayChecks } from "./remote-signal-checks.ts";
import {
  errorMessage,
  errorOf,
  type Asked,
  type FromThread,
  type Settlement,
  type ReportMethod,
  type ToThread,
} from "./thread-messages.ts";
import { runOutside } from "../attempt/enclosing-call.ts";
import { ThreadTransactions } from "./thread-transactions.ts";

type Heard = Exclude<FromThread, { type: "ended" }>;

/** Workers of this app by name: the registry. */
export interface KnownWorkers {
  worker(name: string): Worker<never, unknown> | undefined;
}

interface Try {
  attempt: number;
  settle: (settlement: Settlement, mayRetry: boolean) => void;
}

/** Executes the worker's calls of its context. */
export class RemoteHost {
  readonly #post: (message: ToThread) => void;
  readonly #ctx: WorkerContext;
  readonly #workers: KnownWorkers;
  readonly #transactions: ThreadTransactions;
  readonly #checks: AwayChecks;
  readonly #steps = new Map<number, Try>();

  /** @param post sends a message. @param workers workers that it may call. */
  constructor(post: (message: ToThread) => void, ctx: WorkerContext, workers: KnownWorkers) {
    this.#post = post;
    this.#ctx = ctx;
    this.#workers = workers;
    this.#transactions = new ThreadTransactions(post);
    this.#checks = new AwayChecks(post);
  }

  hear(message: Heard): void {
    if (message.type === "told") return this.#report(message.method, message.args as never[]);
    if (message.type === "query") return void this.#transactions.query(message);
    if (message.type === "checked") return this.#checks.checked(message.check, message.settlement);
    const { id } = message;
    if (message.type === "stepped") {
      if (!this.#transactions.ended(id, message.settlement)) this.#stepped(message);
      return;
    }
    const { method, args } = message;
    void settled(async () => this.#ask(method, id, args as never[])).then((settlement) =>
      this.#post({ type: "settled", id, settlement }),
    );
  }

  /** The other side is gone: open calls write nothing, and nobody waits for them. */
  close(): void {
    this.#transactions.close();
    this.#checks.close();
  }

  #ask(method: Asked, id: number, args: never[]): Promise<unknown> {
    const ctx = this.#ctx;
    const [first, second, third, fourth] = args as [never, never, never, never];
    if (method === "checkpoint") return ctx.checkpoint();
    if (method === "setAttributes") return ctx.setAttributes(first);
    if (method === "patched") return ctx.patched(first);
    if (method === "sleep") return ctx.sleep(first, second);
    if (method === "artifact") return ctx.artifact(first, second, third);
    if (method === "waitFor") {
      const schema = third && this.#checks.schemaOf(id);
      return ctx.waitFor(first, schema ? { ...(second as object), schema } : second);
    }
    if (method === "waitForEvent") {
      const event: EventDefinition = { kind: "event", name: first };
      return ctx.waitForEvent(third ? { ...event, schema: this.#checks.schemaOf(id) } : event, second);
    }
    if (method === "call") return ctx.call(first, this.#known(second), third, fourth);
    if (method === "tx") return ctx.tx(async (db) => runOutside(() => this.#transactions.begin(id, db)), first);
    if (method === "map") return ctx.map(first, second, this.#known(third), fourth);
    return this.#step(id, first, second, third);
  }

  /** @param hasRetryIf whether the other side decides which errors are retried. */
  #step(id: number, key: string, options: StepOptions, hasRetryIf: boolean): Promise<unknown> {
    const said = { mayRetry: true };
    const retry = hasRetryIf && { retry: { ...options.retry, retryIf: () => said.mayRetry } };
    // The worker's side finds nested calls. Messages that a try sends and receives are no part of it.
    const run = async (info: StepInfo): Promise<Json> => runOutside(() => this.#try(id, info, said) as Promise<Json>);
    return this.#ctx.step(key, run, { ...options, ...retry });
  }

  #known(name: string): never {
    const worker = this.#workers.worker(name);
    if (!worker)
      throw new Error(`The worker "${name}" is called by a thread or another process; list it in the app's workers`);
    return worker as never;
  }

  /** A try of a step, whose function runs on the other side. */
  #try(id: number, { idempotencyKey, attempt, signal }: StepInfo, said: { mayRetry: boolean }): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const late = (): void => this.#post({ type: "late", id, attempt, message: errorMessage(signal.reason).message });
      said.mayRetry = true;
      const settle = (settlement: Settlement, mayRetry: boolean): void => {
        said.mayRetry = mayRetry;
        signal.removeEventListener("abort", late);
        if ("error" in settlement) reject(errorOf(settlement.error));
        else resolve(settlement.value);
      };
      this.#steps.set(id, { attempt, settle });
      signal.addEventListener("abort", late, { once: true });
      this.#post({ type: "step", id, idempotencyKey, attempt });
    });
  }

  #stepped({ id, attempt, settlement, mayRetry }: Extract<Heard, { type: "stepped" }>): void {
    const step = this.#steps.get(id);
    // A message of an earlier try.
    if (step?.attempt !== attempt) return;
    this.#steps.delete(id);
    step.settle(settlement, mayRetry);
  }

  /** Passes on a report of the worker. */
  #report(method: ReportMethod, args: never[]): void {
    const ctx = this.#ctx;
    const [first, second] = args as [never, never];
    if (method === "heartbeat") ctx.heartbeat();
    else if (method === "log") ctx.log(first, second);
    else if (method === "emit") ctx.emit(first, second);
    else if (method === "progress") ctx.progress(first, second);
    else if (method === "summary") ctx.summary(first);
    else ctx.state.set(first, second);
  }
}

async function settled(run: () => Promise<unknown>): Promise<Settlement> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}
