/**
 * The context of a worker that runs in a thread or another process: each method sends a message. remote-host.ts is the other side, with
 * the run.
 */
import { setMaxListeners } from "node:events";
import type { Json } from "../../../platform/shared/json.ts";
import type { TransactionHandle } from "../../../storage/contract/transaction.ts";
import {
  errorMessage,
  errorOf,
  type Asked,
  type FromThread,
  type Settlement,
  type ReportMethod,
  type ToThread,
} from "./thread-messages.ts";
import type { StandardSchema } from "../../../platform/shared/schema.ts";
import { AttemptTimeout } from "../attempt/attempt-limits.ts";
import { beginCall, handled } from "../attempt/begin-call.ts";
import { callName, requireOutside, runEnclosed, type CallOwner } from "../attempt/enclosing-call.ts";
import { validateCall } from "../attempt/validate-call.ts";
import type { Slot } from "../queue/slot.ts";
import type { ToolCalls } from "../attempt/worker-tools.ts";
import { requireEvent } from "../../definition/event.ts";
import type { EventDefinition } from "../../definition/event-types.ts";
import type {
  CallOptions,
  EventWaitOptions,
  HandleUpdateOptions,
  MapCallOptions,
  StepInfo,
  StepOptions,
  WaitOptions,
} from "../../definition/context-types.ts";
import { waitArguments } from "../../definition/signal-definition.ts";
import type { SignalName, UpdateDefinition } from "../../definition/signal-types.ts";
import { handleUpdate, type UpdateCounts } from "../../definition/update-definition.ts";
import type { RetryPolicy } from "../../definition/retry.ts";
import type { WorkerContext } from "../../definition/worker-types.ts";

type Waiting = (settlement: Settlement) => void;
type Own = { step: Omit<Step, "limit"> } | { transaction: Statements } | { schema: StandardSchema };
type Statements = (db: TransactionHandle) => unknown;

/** A function of the worker, which runs at its turn. */
interface Step {
  key: string;
  run: (info: StepInfo) => unknown;
  retryIf: RetryPolicy["retryIf"];
  /** Aborts the current try. */
  limit: AbortController;
}

/** Calls that wait without a slot. */
const WAITS: ReadonlySet<Asked> = new Set<Asked>(["sleep", "waitFor", "waitForEvent", "call", "map"]);

/** Facts about an attempt, wherever it runs. */
export interface AwayContext {
  graphId: string;
  nodeId: string;
  attempt: number;
  epoch: number;
  deps: Record<string, Json>;
  /** Idempotency key of the node. Absent in messages of older processes: it has the epoch. */
  idempotencyKey?: string;
}

export interface RemoteContextOptions {
  say: (message: FromThread) => void;
  signal: AbortSignal;
  /** Makes `ctx.fetch`, when a worker first uses it. */
  toolCalls: () => ToolCalls;
  /** The slot of its worker here. Undefined if the run's process assigns slots. */
  slot?: Slot | undefined;
}

export class RemoteContext {
  readonly #options: RemoteContextOptions;
  readonly #owner: CallOwner = {};
  readonly #waiting = new Map<number, Waiting>();
  readonly #steps = new Map<number, Step>();
  readonly #transactions = new Map<number, Statements>();
  readonly #schemas = new Map<number, StandardSchema>();
  /** Open calls and statements. */
  readonly #refusals = new Map<number, (reason: Error) => void>();
  /** Calls that wait. */
  readonly #waits = new Set<number>();
  /** Open statements by number. */
  readonly #queries = new Map<number, Waiting>();
  #ids = 0;
  /** Whether the worker has ended. Code that it left running belongs to no run. */
  #isOver = false;

  constructor(options: RemoteContextOptions) {
    this.#options = options;
    const { signal } = options;
    // As in abort.ts.
    setMaxListeners(Infinity, signal);
    signal.addEventListener("abort", () => this.#abort(signal.reason as Error), { once: true });
  }

  /** Receives a message of the other side. */
  hear(message: Exclude<ToThread, { type: "run" }>): void {
    if (message.type === "settled") return void this.#settled(message.id, message.settlement);
    if (message.type === "answered") {
      this.#queries.get(message.query)?.(message.settlement);
      this.#refusals.delete(message.query);
      return void this.#queries.delete(message.query);
    }
    const { id } = message;
    if (message.type === "late") return this.#steps.get(id)?.limit.abort(new AttemptTimeout(message.message));
    if (message.type === "check") return void this.#check(id, message.check, message.payload);
    if (message.type === "step") return this.#step(message);
    const run = (): unknown =>
      runEnclosed(this.#owner, callName("tx", undefined), () => this.#transactions.get(id)?.(this.#handleOf(id)));
    void settle(run).then((settlement) => this.#sayStepped(id, 0, settlement));
  }

  /** Settles a call. A worker that waited gets a slot before it continues. */
  async #settled(id: number, settlement: Settlement): Promise<void> {
    const { slot } = this.#options;
    if (this.#waits.delete(id) && this.#waits.size === 0 && slot) {
      await slot.takeAgain();
      // Its time counts again.
      this.#say({ type: "told", method: "heartbeat", args: [] });
    }
    this.#waiting.get(id)?.(settlement);
    this.#refusals.delete(id);
    this.#waiting.delete(id);
    this.#steps.delete(id);
    this.#transactions.delete(id);
    this.#schemas.delete(id);
  }

  #step({ id, idempotencyKey, attempt }: Extract<ToThread, { type: "step" }>): void {
    const step = this.#steps.get(id);
    if (!step) return;
    step.limit = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, step.limit.signal]);
    setMaxListeners(Infinity, signal);
    let mayRetry = true;
    const tried = async (): Promise<unknown> => {
      try {
        return await runEnclosed(this.#owner, callName("step", step.key), () =>
          step.run({ idempotencyKey, attempt, signal }),
        );
      } catch (error) {
        // An error of `retryIf` becomes the step's error.
        mayRetry = false;
        mayRetry = step.retryIf?.(error, attempt) !== false;
        throw error;
      }
    };
    void settle(tried).then((settlement) => this.#sayStepped(id, attempt, settlement, mayRetry));
  }

  async #check(id: number, check: number, payload: Json): Promise<void> {
    const schema = this.#schemas.get(id);
    const settlement = await settle(async () => schema?.["~standard"].validate(payload) ?? { value: payload });
    try {
      this.#say({ type: "checked", check, settlement });
    } catch (error) {
      this.#say({ type: "checked", check, settlement: { error: errorMessage(error) } });
    }
  }

  /** Rejects open and later calls, so that the worker can clean up. */
  #abort(reason: Error): void {
    for (const refuse of this.#refusals.values()) refuse(reason);
    this.#refusals.clear();
  }

  /** Reports the outcome, and nothing afterwards: the other side may have another attempt by then. */
  async perform(run: () => unknown): Promise<void> {
    const settlement = await settle(run);
    const { say } = this.#options;
    this.#isOver = true;
    try {
      say({ type: "ended", settlement });
    } catch (error) {
      // The result can't be serialized.
      say({ type: "ended", settlement: { error: { ...errorMessage(error), isFinal: true } } });
    }
  }

  #say(message: FromThread): void {
    if (!this.#isOver) this.#options.say(message);
  }

  /** Why calls are rejected. */
  get #end(): Error | undefined {
    const { signal } = this.#options;
    if (signal.aborted) return signal.reason as Error;
    return this.#isOver
      ? new Error("The worker has ended. Await all calls of its context before it returns.")
      : undefined;
  }

  contextOf({ idempotencyKey: key, ...context }: AwayContext, given: Json | undefined): WorkerContext {
    const state = new Map(Object.entries((given ?? {}) as Record<string, Json>));
    const { graphId, nodeId, epoch } = context;
    const nodeKey = key ?? [graphId, nodeId, epoch].join("/");
    const { signal, toolCalls } = this.#options;
    const report =
      (method: ReportMethod) =>
      (...args: unknown[]): void =>
        this.#say({ type: "told", method, args });
    const ask = (method: Asked, args: unknown[], own?: Own): Promise<never> => handled(this.#ask(method, args, own));
    const updates: UpdateCounts = new Map();
    const made: WorkerContext = {
      ...context,
      signal,
      idempotencyKey: (part) => (part === undefined ? nodeKey : `${nodeKey}/${part}`),
      heartbeat: report("heartbeat"),
      log: report("log"),
      emit: report("emit"),
      fetch: (url, init) => beginCall(() => toolCalls().fetch(url, init)),
      progress: report("progress"),
      summary: report("summary"),
      state: {
        get: (key: string) => state.get(key),
        set: (key: string, value: Json) => {
          state.set(key, value);
          this.#say({ type: "told", method: "setState", args: [key, value] });
        },
      },
      checkpoint: () => ask("checkpoint", []),
      step: (key: string, run: (info: StepInfo) => unknown, options: StepOptions = {}) => {
        const { retryIf, ...retry } = options.retry ?? {};
        const given = { ...options, ...(options.retry && { retry }) };
        return ask("step", [key, given, retryIf !== undefined], { step: { key, run, retryIf } });
      },
      sleep: (until, options) => ask("sleep", [until, options]),
      tx: (run: Statements, options?: unknown) => ask("tx", [options], { transaction: run }),
      artifact: (name, data, type) =>
        typeof data === "string" || data instanceof Uint8Array
          ? ask("artifact", [name, data, type])
          : Promise.reject(new Error(`ctx.artifact("${name}", …) takes text or bytes in a thread, not a stream`)),
      waitFor: (signal: SignalName, given: WaitOptions<StandardSchema> | undefined) => {
        const [name, { schema, ...options }] = waitArguments(signal, given);
        return ask("waitFor", [name, options, schema !== undefined], schema && { schema });
      },
      waitForEvent: (event: EventDefinition, options?: EventWaitOptions) =>
        beginCall(() => {
          const { name, schema } = requireEvent(event);
          return ask("waitForEvent", [name, options, schema !== undefined], schema && { schema });
        }),
      handleUpdate: (
        update: UpdateDefinition<unknown, unknown, unknown>,
        handler: never,
        options?: HandleUpdateOptions,
      ) =>
        beginCall(() => {
          requireOutside(this.#owner, callName("handleUpdate", update.name));
          return handleUpdate(made, updates, { update, handler, options });
        }),
      setAttributes: (changes) => ask("setAttributes", [changes]),
      patched: (name) => ask("patched", [name]),
      call: (key: string, worker: unknown, input: unknown, options?: CallOptions) =>
        beginCall(() =>
          ask("call", [key, validateCall("call", key, worker).name, input, asData("call", key, options)]),
        ),
      map: (key: string, items: readonly unknown[], worker: unknown, options?: MapCallOptions) =>
        beginCall(() => ask("map", [key, items, validateCall("map", key, worker).name, asData("map", key, options)])),
    };
    return made;
  }

  /** The database handle: statements are sent to the process with the run. */
  #handleOf(id: number): TransactionHandle {
    return {
      query: (sql, values) =>
        new Promise((resolve, reject) => {
          if (this.#end) return reject(this.#end);
          const query = this.#ids++;
          this.#queries.set(query, settling(resolve, reject));
          this.#refusals.set(query, reject);
          this.#say({ type: "query", id, query, sql, values });
        }),
      prepare: () => {
        throw new Error("prepare is synchronous and not available in a thread. Use `await db.query(sql, [values])`.");
      },
    };
  }

  /** @param own function to run here at its turn. */
  #ask(method: Asked, args: unknown[], own?: Own): Promise<never> {
    if (this.#end) return Promise.reject(this.#end);
    try {
      requireOutside(this.#owner, callName(method, method === "sleep" ? undefined : args[0]));
    } catch (error) {
      return Promise.reject(error as Error);
    }
    const id = this.#ids++;
    if (own && "step" in own) this.#steps.set(id, { ...own.step, limit: new AbortController() });
    else if (own && "schema" in own) this.#schemas.set(id, own.schema);
    else if (own) this.#transactions.set(id, own.transaction);
    return new Promise<never>((resolve, reject) => {
      this.#waiting.set(id, settling(resolve, reject));
      this.#refusals.set(id, reject);
      this.#say({ type: "asked", method, id, args });
      if (!WAITS.has(method)) return;
      this.#waits.add(id);
      this.#options.slot?.free();
    });
  }

  /** Reports the outcome of a step or transaction. One that can't be serialized is an error. */
  #sayStepped(id: number, attempt: number, settlement: Settlement, mayRetry = true): void {
    try {
      this.#say({ type: "stepped", id, attempt, settlement, mayRetry });
    } catch (cause) {
      const error = { ...errorMessage(cause), isFinal: true };
      this.#say({ type: "stepped", id, attempt, settlement: { error }, mayRetry: false });
    }
  }
}

/** The side with the run retries calls, and it cannot call a function from here. */
function asData<Options extends CallOptions>(method: Asked, key: string, options: Options | undefined) {
  if (!options?.retry?.retryIf) return options;
  throw new Error(
    `ctx.${method}("${key}", …) has a retryIf, but its worker runs in a thread or another process; declare retryIf on the called worker`,
  );
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
