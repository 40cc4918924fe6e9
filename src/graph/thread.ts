/**
 * The inside of a thread in which isolated workers run: loads the module that declares one, calls it with a context whose
 * every method goes through the port, and says how it ended. One attempt at a time; isolation.ts is the outside.
 */
import { parentPort } from "node:worker_threads";
import { systemClock } from "../shared/clock.ts";
import type { Json } from "../shared/json.ts";
import type { TransactionHandle } from "../store/transaction.ts";
import { onDeclared } from "./declared.ts";
import {
  errorMessage,
  errorOf,
  type Asked,
  type FromThread,
  type Settlement,
  type Told,
  type ToThread,
} from "./thread-messages.ts";
import type { Worker } from "./definition-types.ts";
import type { WorkerContext } from "./worker-types.ts";
import { WorkerTools, type ToolCalls } from "./worker-tools.ts";

const workers = new Map<string, Worker<never, unknown>>();
onDeclared((worker) => workers.set(worker.name, worker));

type Waiting = (settlement: Settlement) => void;
type Step = (info: { idempotencyKey: string; signal: AbortSignal }) => unknown;
type Statements = (db: TransactionHandle) => unknown;
const waiting = new Map<number, Waiting>();
const steps = new Map<number, Step>();
const transactions = new Map<number, Statements>();
/** Statements that are yet to be answered, by their own numbers. */
const queries = new Map<number, Waiting>();
/** Never aborted: a thread whose attempt is aborted is ended as a whole. */
const { signal } = new AbortController();
let ids = 0;

function say(message: FromThread): void {
  parentPort?.postMessage(message);
}

function settling(resolve: (value: never) => void, reject: (error: Error) => void): Waiting {
  return (settlement) => {
    if ("error" in settlement) reject(errorOf(settlement.error));
    else resolve(settlement.value as never);
  };
}

/** The database, seen from here: it is in the thread of the server. */
function handleOf(id: number): TransactionHandle {
  return {
    query: (sql, values) =>
      new Promise((resolve, reject) => {
        const query = ids++;
        queries.set(query, settling(resolve, reject));
        say({ type: "query", id, query, sql, values });
      }),
    prepare: () => {
      throw new Error(
        "prepare answers at once, which a thread can't: use `await db.query(sql, [values])`, which is everywhere",
      );
    },
  };
}

/** @param own the function that is to run here, when it is its turn. */
function ask(method: Asked, args: unknown[], own?: { step: Step } | { transaction: Statements }) {
  const id = ids++;
  if (own && "step" in own) steps.set(id, own.step);
  else if (own) transactions.set(id, own.transaction);
  return new Promise<never>((resolve, reject) => {
    waiting.set(id, settling(resolve, reject));
    say({ type: "asked", method, id, args });
  });
}

const tell =
  (method: Told) =>
  (...args: unknown[]): void =>
    say({ type: "told", method, args });

/** One of each thread: each engine tells its threads the same options. */
let workerTools: WorkerTools | undefined;

function contextOf({ context, state: given, tools }: Extract<ToThread, { type: "run" }>): WorkerContext {
  const state = new Map(Object.entries((given ?? {}) as Record<string, Json>));
  const { graphId, nodeId, epoch } = context;
  const named = (worker: unknown): string => (worker as Worker).name;
  const emit = tell("emit");
  // An aborted attempt ends with its thread, and so does what it asked for.
  const calls = (): ToolCalls => (workerTools ??= new WorkerTools(tools, systemClock)).calls({ signal, emit });
  return {
    ...context,
    signal,
    idempotencyKey: (part) => [graphId, nodeId, epoch, ...(part === undefined ? [] : [part])].join("/"),
    heartbeat: tell("heartbeat"),
    log: tell("log"),
    emit,
    fetch: (url, init) => calls().fetch(url, init),
    get ai() {
      return calls().ai;
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

/** @throws FinalError-like where the module does not declare the worker: trying again can't help. */
async function load({ module, worker: name }: Extract<ToThread, { type: "run" }>): Promise<Worker<never, unknown>> {
  if (!workers.has(name)) await import(module);
  const worker = workers.get(name);
  if (worker) return worker;
  throw Object.assign(new Error(`The module ${module} declares no worker "${name}"`), { isFinal: true });
}

async function settle(run: () => unknown): Promise<Settlement> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

/** What a step or a transaction came to; one that can't be handed over is an error of it. */
function sayStepped(id: number, settlement: Settlement): void {
  try {
    say({ type: "stepped", id, settlement });
  } catch (error) {
    say({ type: "stepped", id, settlement: { error: { ...errorMessage(error), isFinal: true } } });
  }
}

async function perform(message: Extract<ToThread, { type: "run" }>): Promise<void> {
  const settlement = await settle(async () => (await load(message)).run(message.input as never, contextOf(message)));
  try {
    say({ type: "ended", settlement });
  } catch (error) {
    // The result holds what can't be handed over.
    say({ type: "ended", settlement: { error: { ...errorMessage(error), isFinal: true } } });
  }
}

parentPort?.on("message", (message: ToThread) => {
  if (message.type === "run") return void perform(message);
  if (message.type === "settled") {
    waiting.get(message.id)?.(message.settlement);
    steps.delete(message.id);
    transactions.delete(message.id);
    return void waiting.delete(message.id);
  }
  if (message.type === "answered") {
    queries.get(message.query)?.(message.settlement);
    return void queries.delete(message.query);
  }
  const { id } = message;
  const run = (): unknown =>
    message.type === "begun"
      ? transactions.get(id)?.(handleOf(id))
      : steps.get(id)?.({ idempotencyKey: message.idempotencyKey, signal });
  void settle(run).then((settlement) => sayStepped(id, settlement));
});
