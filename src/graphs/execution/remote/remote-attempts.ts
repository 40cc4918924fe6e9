/**
 * Nodes of workers that other processes run. Their attempts are here, with their run, while the worker runs in another process. Calls of
 * its context arrive as messages (remote-context.ts, remote-host.ts), so only the process that holds the run writes it.
 */
import type { Json } from "../../../platform/shared/json.ts";
import type { Worker } from "../../definition/definition-types.ts";
import { RemoteContext, type AwayContext } from "./remote-context.ts";
import { RemoteHost, type KnownWorkers } from "./remote-host.ts";
import type { Slot } from "../queue/slot.ts";
import { errorOf, type FromThread, type ToThread } from "./thread-messages.ts";
import type { WorkerTools } from "../attempt/worker-tools.ts";
import type { WorkerContext } from "../../definition/worker-types.ts";

/** An attempt that another process runs. */
export interface NodeOrder {
  worker: string;
  /** As JSON. */
  input: unknown;
  context: AwayContext;
  state: Json | undefined;
}

/** Connection to an attempt, on the side of its run. */
export interface CallEnd {
  say(message: Exclude<ToThread, { type: "run" }>): void;
  /** The attempt is no longer needed: the other side stops. */
  end(): void;
}

export interface CallListener {
  hear: (message: FromThread) => void;
  /** The attempt will never end: the other process is gone or has stopped. */
  lost: (error: Error) => void;
}

/** The engine's view of the other processes. */
export interface RemoteNodes {
  /** Whether nodes of this worker run in this process. */
  runsHere(worker: string): boolean;
  /** Runs the attempt in another process. */
  call(order: NodeOrder, listener: CallListener): CallEnd;
}

/** Whether another process runs the nodes of this worker. A node that is a graph is started here, wherever its run is executed. */
export function runsRemotely({ name, graph }: Worker<never, unknown>, remoteNodes: RemoteNodes | undefined): boolean {
  return graph === undefined && remoteNodes?.runsHere(name) === false;
}

/** Connection back to the run. */
export interface Channel {
  say: (message: FromThread) => void;
  /** Aborts when the attempt is no longer needed. */
  signal: AbortSignal;
}

/** A worker that runs for a run of another process. */
export interface Performance {
  /** Receives a message of the run's process. */
  hear(message: Exclude<ToThread, { type: "run" }>): void;
  /** Resolves when it has ended and reported its outcome. */
  ended: Promise<void>;
  /** Resolves when it has no slot: it has ended, or waits. */
  freed: Promise<void>;
}

/** An attempt did not end: its process died or is stopping. The node runs again. */
export class Unfinished extends Error {
  readonly hasCrashed: boolean;

  constructor(hasCrashed: boolean) {
    super(hasCrashed ? "The process that ran it is gone" : "The process that ran it is stopping");
    this.name = "Unfinished";
    this.hasCrashed = hasCrashed;
  }
}

/** The worker to call, if it runs in another process. */
export function boundRemotely(
  worker: Worker<never, unknown>,
  state: Json | undefined,
  remoteNodes: Pick<RemoteNodes, "call">,
  workers: KnownWorkers,
): Worker<never, unknown> {
  const run = (input: unknown, ctx: WorkerContext): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const { graphId, nodeId, attempt, epoch, deps } = ctx;
      let isOver = false;
      const end = (settle: () => void): void => {
        if (isOver) return;
        isOver = true;
        ctx.signal.removeEventListener("abort", onAbort);
        outside.close();
        call.end();
        settle();
      };
      // The caller knows the reason of its abort.
      const onAbort = (): void => end(() => reject(ctx.signal.reason as Error));
      const hear = (message: FromThread): void => {
        if (isOver) return;
        if (message.type !== "ended") return outside.hear(message);
        const { settlement } = message;
        if ("error" in settlement)
          end(() => reject(settlement.error.name === "Unfinished" ? new Unfinished(false) : errorOf(settlement.error)));
        else end(() => resolve(settlement.value));
      };
      const context = { graphId, nodeId, attempt, epoch, deps: { ...deps }, idempotencyKey: ctx.idempotencyKey() };
      const order = { worker: worker.name, input, context, state };
      const call = remoteNodes.call(order, { hear, lost: (error) => end(() => reject(error)) });
      const say = (message: ToThread): void => {
        if (message.type !== "run") call.say(message);
      };
      const outside = new RemoteHost(say, ctx, workers);
      ctx.signal.addEventListener("abort", onAbort, { once: true });
      if (ctx.signal.aborted) onAbort();
    });
  return { ...worker, run };
}

/** Runs a worker for a run of another process. @param worker as this process calls it. @param slot its slot here. */
export function perform(
  worker: Worker<never, unknown>,
  { input, context, state }: NodeOrder,
  tools: WorkerTools,
  { say, signal }: Channel,
  slot: Slot,
): Performance {
  const inside = new RemoteContext({ say, signal, toolCalls: () => tools.calls(signal), slot });
  // It has started: its time counts from now on.
  say({ type: "told", method: "heartbeat", args: [] });
  const ended = inside.perform(async () => worker.run(input as never, inside.contextOf(context, state)));
  return { hear: (message) => inside.hear(message), ended, freed: slot.freed() };
}
