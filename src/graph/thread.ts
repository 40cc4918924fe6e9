/**
 * The inside of a thread in which isolated workers run: loads the module that declares one, calls it with a context whose
 * every method goes through the port, and says how it ended. One attempt at a time; isolation.ts is the outside.
 */
import { parentPort } from "node:worker_threads";
import { systemClock } from "../shared/clock.ts";
import type { Json } from "../shared/json.ts";
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
const waiting = new Map<number, Waiting>();
const steps = new Map<number, (info: { idempotencyKey: string; signal: AbortSignal }) => unknown>();
/** Never aborted: a thread whose attempt is aborted is ended as a whole. */
const { signal } = new AbortController();
let ids = 0;

function say(message: FromThread): void {
  parentPort?.postMessage(message);
}

function ask(
  method: Asked,
  args: unknown[],
  step?: (info: { idempotencyKey: string; signal: AbortSignal }) => unknown,
) {
  const id = ids++;
  if (step) steps.set(id, step);
  return new Promise<never>((resolve, reject) => {
    waiting.set(id, (settlement) => {
      if ("error" in settlement) reject(errorOf(settlement.error));
      else resolve(settlement.value as never);
    });
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
      ask("step", [key, options], run as Parameters<typeof ask>[2]),
    sleep: (until, options) => ask("sleep", [until, options]),
    // A transaction is a function called with the database, in the thread that has it.
    tx: () => Promise.reject(new Error("ctx.tx is not there in a thread; do it in a worker without `isolate`")),
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
    return void waiting.delete(message.id);
  }
  const { id, idempotencyKey } = message;
  void settle(() => steps.get(id)?.({ idempotencyKey, signal })).then((settlement) =>
    say({ type: "stepped", id, settlement }),
  );
});
