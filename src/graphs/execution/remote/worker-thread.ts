/**
 * The inside of a thread in which isolated workers run: loads the module that declares one, calls it with a context whose
 * every method goes through the port, and says how it ended. One attempt at a time; isolation.ts is the outside.
 */
import { parentPort } from "node:worker_threads";
import { systemClock } from "../../../platform/shared/clock.ts";
import { onDeclared } from "../../definition/declared-workers.ts";
import type { Worker } from "../../definition/definition-types.ts";
import { Inside } from "./remote-context.ts";
import type { ToThread } from "./thread-messages.ts";
import { WorkerTools, type WorkerToolOptions } from "../attempt/worker-tools.ts";

const workers = new Map<string, Worker<never, unknown>>();
onDeclared((worker) => workers.set(worker.name, worker));

/** One of each thread: each engine tells its threads the same options. */
let workerTools: WorkerTools | undefined;
let toolOptions: WorkerToolOptions = {};

/** Of the attempt that runs. What code of one before it still does is for nobody: this thread may be another graph's by then. */
let inside: Inside | undefined;

function begin(): Inside {
  // Never aborted: a thread whose attempt is aborted is ended as a whole, and with it what it asked for.
  const { signal } = new AbortController();
  return new Inside({
    say: (message) => parentPort?.postMessage(message),
    signal,
    toolCalls: () => (workerTools ??= new WorkerTools(toolOptions, systemClock)).calls(signal),
  });
}

/** @throws FinalError-like where the module does not declare the worker: trying again can't help. */
async function load({ module, worker: name }: Extract<ToThread, { type: "run" }>): Promise<Worker<never, unknown>> {
  if (!workers.has(name)) await import(module);
  const worker = workers.get(name);
  if (worker) return worker;
  throw Object.assign(new Error(`The module ${module} declares no worker "${name}"`), { isFinal: true });
}

parentPort?.on("message", (message: ToThread) => {
  if (message.type !== "run") return inside?.hear(message);
  toolOptions = message.tools;
  const { input, context, state } = message;
  const its = (inside = begin());
  void its.perform(async () => (await load(message)).run(input as never, its.contextOf(context, state)));
});
