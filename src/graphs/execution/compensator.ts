/**
 * Calls `onCancel` and `compensate` of the nodes of graphs that unwind, and hands the machine what they came to. Which node,
 * and what it means, is compensation.ts. Each waits for a place among the attempts of its worker.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Failure, NodeRow } from "../../storage/contract/graph-rows.ts";
import type { Transition } from "../../storage/contract/unit.ts";
import { Abort } from "./attempt/abort.ts";
import { runAttempt, type Outcome } from "./attempt/attempt.ts";
import type { AttemptSink } from "./attempt/attempt-options.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { FinalError } from "../definition/final-error.ts";
import { Shutdown, type LiveGraph } from "./live-run.ts";
import { inputOf } from "./node-input.ts";
import type { Place } from "./queue/slot.ts";
import { verdict } from "./attempt/retry-decision.ts";
import type { Machine } from "../machine/machine.ts";
import type { Worker } from "../definition/definition-types.ts";
import type { UndoContext, WorkerContext } from "../definition/worker-types.ts";
import type { ValueLimits } from "../definition/value-limits.ts";
import type { WorkerTools } from "./attempt/worker-tools.ts";

export interface UndoerOptions {
  clock: Clock;
  /** For jitter: 0 to below 1. */
  random: () => number;
  isClosing: () => boolean;
  /** The engine's mirror of a graph that is under way. */
  live: (graphId: string) => LiveGraph | undefined;
  /** Decides and commits; never rejects. */
  go: (live: LiveGraph, decide: () => Transition | undefined) => void;
  /** Decides and commits; rejects when that fails, and the graph is read again. */
  apply: (live: LiveGraph, decide: () => Transition) => Promise<void>;
  dispatcher: Dispatcher;
  tools: WorkerTools;
  values: ValueLimits;
}

export class Undoer {
  readonly #options: UndoerOptions;

  constructor(options: UndoerOptions) {
    this.#options = options;
  }

  /** Goes on with the undoing of a graph, if it is being undone and that is committed. */
  proceed(live: LiveGraph): void {
    const { clock, isClosing } = this.#options;
    const node = live.machine.ending.undoing;
    if (!node || live.undoes === node.id || isClosing()) return;
    live.undoes = node.id;
    const waitMs = (node.dueMs ?? 0) - clock.now();
    if (waitMs > 0) live.after(waitMs, () => this.#enter(live, node));
    else this.#enter(live, node);
  }

  #enter(live: LiveGraph, node: NodeRow): void {
    const { worker } = live.machine.definitionOf(node.id);
    const { attempt } = node;
    const isCurrent = (): boolean =>
      this.#options.live(live.id) === live && live.machine.ending.undoing === node && node.attempt === attempt;
    this.#options.dispatcher.place(worker, (place) => void this.#run(live, node, place, isCurrent), isCurrent);
  }

  async #run(live: LiveGraph, node: NodeRow, place: Place, isCurrent: () => boolean): Promise<void> {
    const { clock, apply } = this.#options;
    // Committed before it is called: so the store knows what the process died with. A fault is logged, and mended, by who commits.
    const begin = apply(live, () => live.machine.ending.undoBegun(node, clock.now()));
    const hasBegun = await begin.then(
      () => true,
      () => false,
    );
    if (hasBegun && isCurrent()) await this.#attempt(live, node, isCurrent);
    place.leave();
  }

  async #attempt(live: LiveGraph, node: NodeRow, isCurrent: () => boolean): Promise<void> {
    const { clock, go, isClosing } = this.#options;
    const interrupt = (): void => go(live, () => live.machine.ending.undoInterrupted(node, clock.now()));
    if (isClosing()) return interrupt();
    const controller = new Abort();
    live.controllers.set(node.id, controller);
    const outcome = await this.#outcomeOf(live, node, controller, isCurrent);
    if (live.controllers.get(node.id) === controller) live.controllers.delete(node.id);
    if (!isCurrent()) return;
    if (outcome.kind !== "aborted") this.#settle(live, node, outcome);
    else if (controller.reason instanceof Shutdown) interrupt();
  }

  #settle(live: LiveGraph, node: NodeRow, outcome: Exclude<Outcome, { kind: "aborted" }>): void {
    const { clock, random, go } = this.#options;
    const { machine } = live;
    live.undoes = undefined;
    if (outcome.kind === "done") return go(live, () => machine.ending.undone(node, clock.now()));
    const { retry } = machine.definitionOf(node.id).worker.options;
    const { error, retryAtMs } = verdict(retry, node.attempt, outcome, random(), clock.now());
    go(live, () => machine.ending.undoFailed(node, error, retryAtMs, clock.now()));
  }

  async #outcomeOf(live: LiveGraph, node: NodeRow, controller: Abort, isCurrent: () => boolean): Promise<Outcome> {
    const { clock, go } = this.#options;
    const { machine } = live;
    const { worker, timeout = worker.options.timeout } = machine.definitionOf(node.id);
    const sink: AttemptSink = {
      event: (type, data) => {
        if (isCurrent()) go(live, () => machine.telling.told(type, node.id, data, clock.now()));
      },
      progress: () => undefined,
      summary: () => undefined,
    };
    try {
      const input = inputOf(machine, node) as Json;
      const undo = undoing(worker, node, machine);
      const { heartbeat } = worker.options;
      return await runAttempt({
        node: { ...node },
        worker: undo,
        timeout,
        heartbeat,
        input,
        deps: {},
        clock,
        controller,
        sink,
        tools: this.#options.tools,
        values: this.#options.values,
        // Its context does not offer them.
        durable: () => {
          throw new Error("What undoes has no steps");
        },
      });
    } catch (cause) {
      const error = new FinalError(`The input of "${node.id}" can't be made: ${(cause as Error).message}`);
      return { kind: "failed", error: { message: error.message, reason: "error", node: node.id }, cause: error };
    }
  }
}

/** A worker that undoes, in place of the one that did. What it returns is nobody's. */
function undoing(worker: Worker<never, unknown>, node: NodeRow, machine: Machine): Worker<never, unknown> {
  const { onCancel, compensate } = worker.options;
  const failure = machine.row.error as Failure;
  const isTold = node.status === "cancelling";
  // As its worker was called with it: what a schema made of it.
  const run = async (input: never, worker: WorkerContext): Promise<void> => {
    const { graphId, nodeId, attempt, epoch } = worker;
    const ctx: UndoContext = {
      graphId,
      nodeId,
      attempt,
      epoch,
      input,
      failure,
      heartbeat: () => worker.heartbeat(),
      fetch: (url, init) => worker.fetch(url, init),
      get ai() {
        return worker.ai;
      },
      log: (level, message) => worker.log(level, message),
      emit: (name, data) => worker.emit(name, data),
      get signal() {
        return worker.signal;
      },
      idempotencyKey: (part) => worker.idempotencyKey(part === undefined ? "undo" : `undo/${part}`),
    };
    // Its worker was called with that input, and gave that result.
    await (isTold
      ? onCancel?.(ctx as UndoContext<never>)
      : compensate?.(ctx as UndoContext<never>, node.result as never));
  };
  return { ...worker, run };
}
