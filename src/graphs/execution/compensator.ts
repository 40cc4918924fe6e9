/**
 * Calls `onCancel` and `compensate` of nodes that are compensated, and posts the outcome to their run. compensation.ts decides which node
 * is next and what an outcome means. Each call waits for a slot among the attempts of its worker.
 */
import type { Clock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Failure, NodeRow } from "../../storage/contract/graph-rows.ts";
import type { EngineState } from "../engine/engine-state.ts";
import { Abort, Shutdown } from "./attempt/abort.ts";
import type { ActiveRun } from "./active-run.ts";
import { runAttempt, type Outcome } from "./attempt/attempt.ts";
import type { AttemptSink } from "./attempt/attempt-options.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { FinalError } from "../definition/final-error.ts";
import { messageOf } from "../definition/thrown.ts";
import { inputOf } from "./node-input.ts";
import type { SlotUser } from "./queue/queued-attempt.ts";
import { decision } from "./attempt/retry-decision.ts";
import type { Machine } from "../machine/machine.ts";
import type { Worker } from "../definition/definition-types.ts";
import type { UndoContext, WorkerContext } from "../definition/worker-types.ts";
import type { ValueLimits } from "../definition/value-limits.ts";
import type { WorkerTools } from "./attempt/worker-tools.ts";

export interface CompensatorOptions {
  clock: Clock;
  /** For jitter: 0 to below 1. */
  random: () => number;
  state: EngineState;
  dispatcher: Dispatcher;
  tools: WorkerTools;
  values: ValueLimits;
}

/** One attempt to compensate a node. */
class Compensation implements SlotUser, AttemptSink {
  readonly run: ActiveRun;
  readonly node: NodeRow;
  readonly #attempt: number;

  constructor(run: ActiveRun, node: NodeRow) {
    this.run = run;
    this.node = node;
    this.#attempt = node.attempt;
  }

  get isWanted(): boolean {
    const { run, node } = this;
    return run.isActive && run.machine.ending.compensating === node && node.attempt === this.#attempt;
  }

  event(type: "log" | "custom", data: Json): void {
    if (this.isWanted) this.run.post({ type: "reported", event: type, node: this.node.id, data });
  }

  progress(): void {
    // This context has no such call.
  }

  summary(): void {
    // This context has no such call.
  }
}

export class Compensator {
  readonly #options: CompensatorOptions;

  constructor(options: CompensatorOptions) {
    this.#options = options;
  }

  /** Continues the compensation of a run, once its state is committed. */
  proceed(run: ActiveRun): void {
    const { clock, state } = this.#options;
    const node = run.machine.ending.compensating;
    if (!node || run.compensating === node.id || !state.mayStart) return;
    run.compensating = node.id;
    const waitMs = (node.dueMs ?? 0) - clock.now();
    if (waitMs > 0) run.after(waitMs, () => this.#enter(run, node));
    else this.#enter(run, node);
  }

  #enter(run: ActiveRun, node: NodeRow): void {
    this.#compensate(run, node).catch((error: unknown) => run.fail(error));
  }

  async #compensate(run: ActiveRun, node: NodeRow): Promise<void> {
    const compensation = new Compensation(run, node);
    const slot = await this.#options.dispatcher.slot(run.machine.definitionOf(node.id).worker, compensation);
    // Committed before the call, so that the store knows which call the process died in. The committer logs a failure.
    const hasBegun = await run.request({ type: "compensationStarted", node }).then(
      () => true,
      () => false,
    );
    if (hasBegun && compensation.isWanted) await this.#attempt(compensation);
    slot.leave();
  }

  async #attempt(compensation: Compensation): Promise<void> {
    const { run, node } = compensation;
    if (!this.#options.state.mayStart) return run.post({ type: "compensationInterrupted", node });
    const controller = new Abort();
    run.controllers.set(node.id, controller);
    const outcome = await this.#outcomeOf(compensation, controller);
    if (run.controllers.get(node.id) === controller) run.controllers.delete(node.id);
    if (!compensation.isWanted) return;
    if (outcome.kind !== "aborted") this.#settle(run, node, outcome);
    else if (controller.reason instanceof Shutdown) run.post({ type: "compensationInterrupted", node });
  }

  #settle(run: ActiveRun, node: NodeRow, outcome: Exclude<Outcome, { kind: "aborted" }>): void {
    const { clock, random } = this.#options;
    run.compensating = undefined;
    if (outcome.kind === "done") return run.post({ type: "compensationDone", node });
    const { retry } = run.machine.definitionOf(node.id).worker.options;
    const { error, retryAtMs } = decision(retry, node.attempt, outcome, random(), clock.now());
    run.post({ type: "compensationFailed", node, error, retryAtMs });
  }

  async #outcomeOf(compensation: Compensation, controller: Abort): Promise<Outcome> {
    const { run, node } = compensation;
    const { clock, tools, values } = this.#options;
    const { machine } = run;
    const { worker, timeout = worker.options.timeout } = machine.definitionOf(node.id);
    try {
      return await runAttempt({
        node: { ...node },
        worker: undoing(worker, node, machine),
        timeout,
        heartbeat: worker.options.heartbeat,
        input: inputOf(machine, node) as Json,
        deps: {},
        clock,
        controller,
        sink: compensation,
        tools,
        values,
        // This context has no durable calls.
        durable: undefined,
      });
    } catch (cause) {
      const error = new FinalError(`The input of "${node.id}" can't be computed: ${messageOf(cause)}`);
      return { kind: "failed", error: { message: error.message, reason: "error", node: node.id }, cause: error };
    }
  }
}
/** A worker that runs the compensation of another one. Its result is ignored. */
function undoing(worker: Worker<never, unknown>, node: NodeRow, machine: Machine): Worker<never, unknown> {
  const { onCancel, compensate } = worker.options;
  const failure = machine.row.error as Failure;
  const isReported = node.status === "cancelling";
  // The same input as the worker's, after its schema.
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
      log: (level, message) => worker.log(level, message),
      emit: (name, data) => worker.emit(name, data),
      get signal() {
        return worker.signal;
      },
      idempotencyKey: (part) => worker.idempotencyKey(part === undefined ? "undo" : `undo/${part}`),
    };
    // The worker was called with this input and returned this result.
    await (isReported
      ? onCancel?.(ctx as UndoContext<never>)
      : compensate?.(ctx as UndoContext<never>, node.result as never));
  };
  return { ...worker, run };
}
