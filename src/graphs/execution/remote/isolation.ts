/**
 * Isolated workers run in threads of their own: their use of processor and memory does not affect the server, and an attempt that times
 * out or is cancelled ends for certain. A thread runs one attempt at a time. An aborted thread is replaced; an idle one is kept for the
 * next attempt.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Worker as Thread } from "node:worker_threads";
import type { Json } from "../../../platform/shared/json.ts";
import { threadExecArgv } from "../../../platform/shared/thread-exec-argv.ts";
import { refused } from "../../definition/definition-checks.ts";
import { RemoteHost, type KnownWorkers } from "./remote-host.ts";
import { errorOf, type FromThread, type ToThread } from "./thread-messages.ts";
import type { Worker } from "../../definition/definition-types.ts";
import type { IsolateOptions, WorkerContext } from "../../definition/worker-types.ts";
import type { WorkerToolOptions } from "../attempt/worker-tools.ts";

/** Most idle threads of a worker; more are ended. */
const MAX_IDLE = 4;

export class Isolation {
  readonly #workers: KnownWorkers;
  readonly #tools: WorkerToolOptions;
  readonly #idle = new Map<string, Thread[]>();
  #isClosed = false;

  /** @param workers workers that isolated ones may call. @param tools options of the engine's own workers. */
  constructor(workers: KnownWorkers, tools: WorkerToolOptions) {
    this.#workers = workers;
    this.#tools = tools;
  }

  /** The worker to call: through a thread if it is isolated. */
  bind(worker: Worker<never, unknown>, state: Json | undefined): Worker<never, unknown> {
    const { isolate } = worker.options;
    if (!isolate) return worker;
    return { ...worker, run: (input: never, ctx) => this.#run(worker.name, isolate, input, ctx, state) };
  }

  /** Ends all idle threads. */
  close(): void {
    this.#isClosed = true;
    for (const threads of this.#idle.values()) for (const thread of threads) void thread.terminate();
    this.#idle.clear();
  }

  async #run(name: string, isolate: IsolateOptions, input: unknown, ctx: WorkerContext, state: Json | undefined) {
    const thread = this.#idle.get(name)?.pop() ?? (await startThread(isolate));
    thread.ref();
    let isOver = false;
    // Later messages would reach the next attempt of the thread.
    const outside = new RemoteHost((message) => isOver || post(thread, message), ctx, this.#workers);
    return new Promise<unknown>((resolve, reject) => {
      const end = (settle: () => void, isReusable: boolean): void => {
        isOver = true;
        // By name, because Node's own listeners open and close the port.
        for (const name of ["message", "error", "exit"]) thread.removeAllListeners(name);
        outside.close();
        ctx.signal.removeEventListener("abort", onAbort);
        if (isReusable) this.#keep(name, thread);
        else void thread.terminate();
        settle();
      };
      // The caller knows the reason of its abort.
      const onAbort = (): void => end(() => reject(ctx.signal.reason as Error), false);
      thread.on("message", (message: FromThread) => {
        if (message.type !== "ended") return outside.hear(message);
        const { settlement } = message;
        if ("error" in settlement) end(() => reject(errorOf(settlement.error)), true);
        else end(() => resolve(settlement.value), true);
      });
      thread.on("error", (error) => end(() => reject(inWords(error, name, isolate)), false));
      thread.on("exit", (code) =>
        end(() => reject(new Error(`The thread of "${name}" ended with code ${code}`)), false),
      );
      ctx.signal.addEventListener("abort", onAbort, { once: true });
      if (ctx.signal.aborted) return onAbort();
      const { graphId, nodeId, attempt, epoch, deps } = ctx;
      const context = { graphId, nodeId, attempt, epoch, deps: { ...deps }, idempotencyKey: ctx.idempotencyKey() };
      const module = String(isolate.module);
      post(thread, { type: "run", module, worker: name, input, context, state, tools: this.#tools });
    });
  }

  #keep(name: string, thread: Thread): void {
    const idle = this.#idle.get(name) ?? [];
    if (this.#isClosed || idle.length >= MAX_IDLE) return void thread.terminate();
    this.#idle.set(name, idle);
    idle.push(thread);
    thread.unref();
    // A thread that dies meanwhile is not used again.
    thread.once("exit", () => idle.includes(thread) && idle.splice(idle.indexOf(thread), 1));
    thread.on("error", () => undefined);
  }
}

async function startThread({ memoryMb }: IsolateOptions): Promise<Thread> {
  // Loaded here: most processes have no isolated worker.
  const { Worker: Thread } = await import("node:worker_threads");
  const limits = memoryMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } };
  return new Thread(new URL("./worker-thread.js", import.meta.url), { ...limits, ...threadExecArgv(process.execArgv) });
}

function post(thread: Thread, message: ToThread): void {
  thread.postMessage(message);
}

function inWords(error: Error, name: string, { memoryMb }: IsolateOptions): Error {
  if ((error as { code?: string }).code !== "ERR_WORKER_OUT_OF_MEMORY") return error;
  const limit = memoryMb === undefined ? "there is" : `its ${memoryMb} MB`;
  return new Error(`The worker "${name}" used more memory than ${limit}`, { cause: error });
}

/** @throws SvcError `SVC_DEFINITION` if a thread can't load the module of an isolated worker. */
export function requireModule({ name, options: { isolate } }: Worker<never, unknown>): void {
  if (!isolate) return;
  const url = String(isolate.module);
  const what = `The worker "${name}" is isolated in ${url}`;
  if (!url.startsWith("file:"))
    throw refused(`${what}; use a file: URL, such as import.meta.url of the module that declares it`);
  if (!existsSync(fileURLToPath(url)))
    throw refused(`${what}, but this file does not exist; name the declaring module at its path at run time`);
  if (/\.[mc]?js$/.test(url.split("?", 1)[0] as string)) return;
  const canStrip = Boolean((process as { features?: { typescript?: unknown } }).features?.typescript);
  if (!/\.m?ts$/.test(url) || !canStrip)
    throw refused(`${what}, which a thread of this Node can't load; declare it, and all that it imports, in .js files`);
}
