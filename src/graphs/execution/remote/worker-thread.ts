/**
 * The code of a thread for isolated workers: loads the worker's module, calls it with a context whose methods send messages, and reports
 * the outcome. One attempt at a time; isolation.ts is the other side.
 */
import { parentPort } from "node:worker_threads";
import { systemClock } from "../../../platform/shared/clock.ts";
import { onDeclared } from "../../definition/declared-workers.ts";
import type { Worker } from "../../definition/definition-types.ts";
import { RemoteContext } from "./remote-context.ts";
import type { ToThread } from "./thread-messages.ts";
import { WorkerTools, type WorkerToolOptions } from "../attempt/worker-tools.ts";

const workers = new Map<string, Worker<never, unknown>>();
onDeclared((worker) => workers.set(worker.name, worker));

/** One for each thread, because an engine gives all its threads the same options. */
let workerTools: WorkerTools | undefined;
let toolOptions: WorkerToolOptions = {};

/** Context of the current attempt. Code of an earlier attempt is ignored, because the thread may work for another run by now. */
let inside: RemoteContext | undefined;

function begin(): RemoteContext {
  // Never aborted: an aborted attempt ends the whole thread with its requests.
  const { signal } = new AbortController();
  return new RemoteContext({
    say: (message) => parentPort?.postMessage(message),
    signal,
    toolCalls: () => (workerTools ??= new WorkerTools(toolOptions, systemClock)).calls(signal),
  });
}

/** @throws FinalError if the module does not declare the worker, because a retry cannot help. */
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
