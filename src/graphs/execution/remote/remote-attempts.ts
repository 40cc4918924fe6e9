/**
 * Nodes of workers that this process does not run: their attempts are under way here, where their graph is, while the worker runs in
 * another process. Its context's calls come as messages (remote-context.ts, remote-host.ts), so that only the process which holds the graph writes it.
 */
import type { Json } from "../../../platform/shared/json.ts";
import type { Worker } from "../../definition/definition-types.ts";
import { Inside, type AwayContext } from "./remote-context.ts";
import { Outside, type KnownWorkers } from "./remote-host.ts";
import type { Slot } from "../queue/slot.ts";
import { errorOf, type FromThread, type ToThread } from "./thread-messages.ts";
import type { WorkerTools } from "../attempt/worker-tools.ts";
import type { WorkerContext } from "../../definition/worker-types.ts";

/** An attempt that some other process is to run. */
export interface NodeOrder {
  worker: string;
  /** As JSON has it. */
  input: unknown;
  context: AwayContext;
  state: Json | undefined;
}

/** The end of an attempt's messages where its graph is. */
export interface CallEnd {
  say(message: Exclude<ToThread, { type: "run" }>): void;
  /** Nothing more is wanted of it: whoever runs it stops. */
  end(): void;
}

export interface CallListener {
  hear: (message: FromThread) => void;
  /** It will never end: the other process is gone, or has left off. */
  lost: (error: Error) => void;
}

/** What an engine needs of the processes beside it. */
export interface Elsewhere {
  /** Whether nodes of this worker run in this process. */
  runsHere(worker: string): boolean;
  /** Has some process run it. */
  call(order: NodeOrder, listener: CallListener): CallEnd;
}

/** Whether another process runs the nodes of this worker. A node that is a graph is started here, wherever that graph runs. */
export function runsElsewhere({ name, graph }: Worker<never, unknown>, elsewhere: Elsewhere | undefined): boolean {
  return graph === undefined && elsewhere?.runsHere(name) === false;
}

/** The way back to the graph. */
export interface Channel {
  say: (message: FromThread) => void;
  /** Aborts when nobody wants it any more. */
  signal: AbortSignal;
}

/** Where a worker runs for a graph that is elsewhere. */
export interface Performance {
  /** What its graph's process says. */
  hear(message: Exclude<ToThread, { type: "run" }>): void;
  /** When it has ended, and said so. */
  ended: Promise<void>;
  /** When it has no place any more: it has ended, or waits. */
  freed: Promise<void>;
}

/** An attempt did not end: the process that ran it died, or is stopping. The node runs again. */
export class Unfinished extends Error {
  readonly hasCrashed: boolean;

  constructor(hasCrashed: boolean) {
    super(hasCrashed ? "The process that ran it is gone" : "The process that ran it is stopping");
    this.name = "Unfinished";
    this.hasCrashed = hasCrashed;
  }
}

/** The worker as it is called, where it runs elsewhere. */
export function boundElsewhere(
  worker: Worker<never, unknown>,
  state: Json | undefined,
  elsewhere: Pick<Elsewhere, "call">,
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
      // Whoever aborted has its reason already.
      const onAbort = (): void => end(() => reject(ctx.signal.reason as Error));
      const hear = (message: FromThread): void => {
        if (isOver) return;
        if (message.type !== "ended") return outside.hear(message);
        const { settlement } = message;
        if ("error" in settlement)
          end(() => reject(settlement.error.name === "Unfinished" ? new Unfinished(false) : errorOf(settlement.error)));
        else end(() => resolve(settlement.value));
      };
      const context = { graphId, nodeId, attempt, epoch, deps: { ...deps } };
      const order = { worker: worker.name, input, context, state };
      const call = elsewhere.call(order, { hear, lost: (error) => end(() => reject(error)) });
      const say = (message: ToThread): void => {
        if (message.type !== "run") call.say(message);
      };
      const outside = new Outside(say, ctx, workers);
      ctx.signal.addEventListener("abort", onAbort, { once: true });
      if (ctx.signal.aborted) onAbort();
    });
  return { ...worker, run };
}

/** Runs a worker for a graph that is elsewhere. @param worker as it is called here. @param slot that it has here. */
export function perform(
  worker: Worker<never, unknown>,
  { input, context, state }: NodeOrder,
  tools: WorkerTools,
  { say, signal }: Channel,
  slot: Slot,
): Performance {
  const inside = new Inside({ say, signal, toolCalls: () => tools.calls(signal), slot });
  // It has begun: from now on its time counts.
  say({ type: "told", method: "heartbeat", args: [] });
  const ended = inside.perform(async () => worker.run(input as never, inside.contextOf(context, state)));
  return { hear: (message) => inside.hear(message), ended, freed: slot.freed() };
}
