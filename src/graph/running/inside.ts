/**
 * A worker that runs away from its graph, in a thread or in another process: its context's every method is a message. The other end, where
 * the graph is, is outside.ts.
 */
import type { Json } from "../../shared/json.ts";
import type { TransactionHandle } from "../../store/transaction.ts";
import type { Worker } from "../definition/definition-types.ts";
import {
  errorMessage,
  errorOf,
  type Asked,
  type FromThread,
  type Settlement,
  type Told,
  type ToThread,
} from "./thread-messages.ts";
import type { ToolCalls } from "./worker-tools.ts";
import type { WorkerContext } from "../definition/worker-types.ts";

type Waiting = (settlement: Settlement) => void;
type Step = (info: { idempotencyKey: string; signal: AbortSignal }) => unknown;
type Statements = (db: TransactionHandle) => unknown;

/** What an attempt is, wherever it runs. */
export interface AwayContext {
  graphId: string;
  nodeId: string;
  attempt: number;
  epoch: number;
  deps: Record<string, Json>;
}

export interface InsideOptions {
  say: (message: FromThread) => void;
  signal: AbortSignal;
  /** What `ctx.fetch` and `ctx.ai` are made of. */
  toolCalls: (emit: WorkerContext["emit"]) => ToolCalls;
}

export class Inside {
  readonly #options: InsideOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #steps = new Map<number, Step>();
  readonly #transactions = new Map<number, Statements>();
  /** Statements that are yet to be answered, by their own numbers. */
  readonly #queries = new Map<number, Waiting>();
  #ids = 0;

  constructor(options: InsideOptions) {
    this.#options = options;
  }

  /** What the other end says. */
  hear(message: Exclude<ToThread, { type: "run" }>): void {
    if (message.type === "settled") {
      this.#waiting.get(message.id)?.(message.settlement);
      this.#steps.delete(message.id);
      this.#transactions.delete(message.id);
      return void this.#waiting.delete(message.id);
    }
    if (message.type === "answered") {
      this.#queries.get(message.query)?.(message.settlement);
      return void this.#queries.delete(message.query);
    }
    const { id } = message;
    const run = (): unknown =>
      message.type === "begun"
        ? this.#transactions.get(id)?.(this.#handleOf(id))
        : this.#steps.get(id)?.({ idempotencyKey: message.idempotencyKey, signal: this.#options.signal });
    void settle(run).then((settlement) => this.#sayStepped(id, settlement));
  }

  /** Says how it ended. */
  async perform(run: () => unknown): Promise<void> {
    const settlement = await settle(run);
    try {
      this.#options.say({ type: "ended", settlement });
    } catch (error) {
      // The result holds what can't be handed over.
      this.#options.say({ type: "ended", settlement: { error: { ...errorMessage(error), isFinal: true } } });
    }
  }

  contextOf(context: AwayContext, given: Json | undefined): WorkerContext {
    const state = new Map(Object.entries((given ?? {}) as Record<string, Json>));
    const { graphId, nodeId, epoch } = context;
    const { say, signal, toolCalls } = this.#options;
    const named = (worker: unknown): string => (worker as Worker).name;
    const tell =
      (method: Told) =>
      (...args: unknown[]): void =>
        say({ type: "told", method, args });
    const emit = tell("emit");
    const ask = this.#ask.bind(this);
    return {
      ...context,
      signal,
      idempotencyKey: (part) => [graphId, nodeId, epoch, ...(part === undefined ? [] : [part])].join("/"),
      heartbeat: tell("heartbeat"),
      log: tell("log"),
      emit,
      fetch: (url, init) => toolCalls(emit).fetch(url, init),
      get ai() {
        return toolCalls(emit).ai;
      },
      progress: tell("progress"),
      state: {
        get: (key: string) => state.get(key),
        set: (key: string, value: Json) => {
          state.set(key, value);
          say({ type: "told", method: "setState", args: [key, value] });
        },
      },
      checkpoint: () => ask("checkpoint", []),
      step: (key: string, run: (info: never) => unknown, options?: unknown) =>
        ask("step", [key, options], { step: run as Step }),
      sleep: (until, options) => ask("sleep", [until, options]),
      tx: (run: Statements, options?: unknown) => ask("tx", [options], { transaction: run }),
      artifact: (name, data, type) =>
        typeof data === "string" || data instanceof Uint8Array
          ? ask("artifact", [name, data, type])
          : Promise.reject(new Error(`ctx.artifact("${name}", …) takes text or bytes in a thread, no stream`)),
      waitFor: (name: string, options?: unknown) => ask("waitFor", [name, options]),
      call: (key: string, worker: unknown, input: unknown, options?: unknown) =>
        ask("call", [key, named(worker), input, options]),
      map: (key: string, items: readonly unknown[], worker: unknown, options?: unknown) =>
        ask("map", [key, items, named(worker), options]),
    };
  }

  /** The database, seen from here: it is where the graph is. */
  #handleOf(id: number): TransactionHandle {
    return {
      query: (sql, values) =>
        new Promise((resolve, reject) => {
          const query = this.#ids++;
          this.#queries.set(query, settling(resolve, reject));
          this.#options.say({ type: "query", id, query, sql, values });
        }),
      prepare: () => {
        throw new Error(
          "prepare answers at once, which a thread can't: use `await db.query(sql, [values])`, which is everywhere",
        );
      },
    };
  }

  /** @param own the function that is to run here, when it is its turn. */
  #ask(method: Asked, args: unknown[], own?: { step: Step } | { transaction: Statements }): Promise<never> {
    const id = this.#ids++;
    if (own && "step" in own) this.#steps.set(id, own.step);
    else if (own) this.#transactions.set(id, own.transaction);
    return new Promise<never>((resolve, reject) => {
      this.#waiting.set(id, settling(resolve, reject));
      this.#options.say({ type: "asked", method, id, args });
    });
  }

  /** What a step or a transaction came to; one that can't be handed over is an error of it. */
  #sayStepped(id: number, settlement: Settlement): void {
    try {
      this.#options.say({ type: "stepped", id, settlement });
    } catch (error) {
      this.#options.say({ type: "stepped", id, settlement: { error: { ...errorMessage(error), isFinal: true } } });
    }
  }
}

function settling(resolve: (value: never) => void, reject: (error: Error) => void): Waiting {
  return (settlement) => {
    if ("error" in settlement) reject(errorOf(settlement.error));
    else resolve(settlement.value as never);
  };
}

async function settle(run: () => unknown): Promise<Settlement> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}
