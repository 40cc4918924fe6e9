/** Runs attempts whose start is committed, and posts their outcomes to their runs. */
import type { Clock } from "../../platform/shared/clock.ts";
import type { ArtifactRows } from "../../storage/contract/artifacts.ts";
import type { SentEventRows } from "../../storage/contract/sent-events.ts";
import type { NodeRow } from "../../storage/contract/graph-rows.ts";
import type { EngineState } from "../engine/engine-state.ts";
import { Abort, PauseAbort, Shutdown } from "./attempt/abort.ts";
import { runAttempt, type Outcome } from "./attempt/attempt.ts";
import { AttemptReporter } from "./attempt-reporter.ts";
import { Unfinished } from "./remote/remote-attempts.ts";
import { FinalError } from "../definition/final-error.ts";
import { messageOf } from "../definition/thrown.ts";
import { inputOf } from "./node-input.ts";
import type { RunTable } from "./run-table.ts";
import type { StartedAttempt } from "./started-attempt.ts";
import type { Starts } from "./start-throttle.ts";
import { decision } from "./attempt/retry-decision.ts";
import type { AttemptReport } from "../machine/report-types.ts";
import { suspendPolicy } from "../machine/suspension.ts";
import type { ValueLimits } from "../definition/value-limits.ts";
import type { WorkerBinding } from "./worker-binding.ts";
import type { WorkerTools } from "./attempt/worker-tools.ts";

export interface RunnerOptions {
  clock: Clock;
  /** For jitter: 0 to below 1. */
  random: () => number;
  state: EngineState;
  onAttempt: ((attempt: AttemptReport) => void) | undefined;
  runs: RunTable;
  binding: WorkerBinding;
  starts: Starts;
  artifacts: ArtifactRows;
  sentEvents: SentEventRows;
  tools: WorkerTools;
  values: ValueLimits;
}

export class Runner {
  readonly #options: RunnerOptions;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Starts attempts one after the other, with turns of the event loop after long ones. */
  begin(attempts: readonly StartedAttempt[]): void {
    for (const attempt of attempts) this.#options.starts.add(() => void this.#run(attempt));
  }

  async #run(attempt: StartedAttempt): Promise<void> {
    try {
      await this.#attempt(attempt);
    } catch (error) {
      attempt.run.fail(error);
    }
    attempt.slot.leave();
  }

  /** Settles once the attempt has ended and its outcome is decided, not yet committed. */
  async #attempt(attempt: StartedAttempt): Promise<void> {
    const { run, node } = attempt;
    const { clock, state, onAttempt } = this.#options;
    if (!attempt.isCurrent) return;
    if (!state.mayStart) return run.post({ type: "nodeInterrupted", node });
    const controller = new Abort();
    attempt.controller = controller;
    run.controllers.set(node.id, controller);
    attempt.slot.started();
    const [startedMs, beganMs] = [clock.now(), clock.elapsed()];
    const outcome =
      attempt.fault === undefined ? await this.#outcomeOf(attempt, controller) : refusal(attempt.fault, node);
    const lengthMs = clock.elapsed() - beganMs;
    onAttempt?.(reportOf(attempt, outcome, startedMs, startedMs + Math.round(lengthMs)));
    if (run.controllers.get(node.id) === controller) run.controllers.delete(node.id);
    if (attempt.isCurrent) this.#settle(attempt, outcome, controller);
    else if (outcome.kind === "done") this.#discard(node);
  }

  /** Not async, to pass on the attempt's promise. Never rejects. */
  #outcomeOf(attempt: StartedAttempt, controller: Abort): Promise<Outcome> {
    const { run, node, slot } = attempt;
    const { machine } = run;
    const definition = machine.definitionOf(node.id);
    const deps = machine.deps(definition);
    let input: unknown;
    try {
      input = inputOf(machine, node);
    } catch (error) {
      const message = `The input of "${node.id}" can't be computed: ${messageOf(error)}`;
      return Promise.resolve(refusal(message, node));
    }
    const { worker, timeout = worker.options.timeout } = definition;
    const { clock, random, binding, artifacts, sentEvents, tools, values } = this.#options;
    return runAttempt({
      node,
      worker: binding.bind(worker, node.state),
      timeout,
      heartbeat: worker.options.heartbeat,
      isQueued: binding.isRemote(worker),
      input,
      deps,
      clock,
      controller,
      sink: new AttemptReporter(attempt),
      durable: {
        attempt,
        slot,
        controller,
        clock,
        random,
        artifacts,
        sentEvents,
        values,
        suspend: suspendPolicy(worker),
      },
      tools,
      values,
    });
  }

  #settle({ run, node }: StartedAttempt, outcome: Outcome, controller: Abort): void {
    run.progress.flushSummary();
    if (outcome.kind === "done")
      return run.post({ type: "nodeDone", node, result: outcome.result, kept: outcome.kept });
    if (outcome.kind === "aborted") {
      const { reason } = controller;
      // A stored wait continues after the restart.
      const isLeft = reason instanceof Shutdown && node.status === "waiting";
      if (!isLeft && (reason instanceof Shutdown || reason instanceof PauseAbort))
        run.post({ type: "nodeInterrupted", node });
      return;
    }
    if (outcome.cause instanceof Unfinished) {
      const { hasCrashed } = outcome.cause;
      return run.post({ type: hasCrashed ? "nodeCrashed" : "nodeInterrupted", node });
    }
    const { clock, random } = this.#options;
    const { worker, retry } = run.machine.definitionOf(node.id);
    const policy = { ...worker.options.retry, ...retry };
    const { error, retryAtMs } = decision(policy, node.attempt, outcome, random(), clock.now());
    run.post({ type: "nodeFailed", node, error, retryAtMs, kept: outcome.kept });
  }

  /** The result arrived too late: the run logs it, whatever its state. */
  #discard({ graphId, id }: NodeRow): void {
    const run = this.#options.runs.get(graphId);
    run?.post({ type: "reported", event: "node.discarded", node: id, data: undefined });
  }
}

/** Outcome of a node that no attempt can help. */
function refusal(message: string, node: NodeRow): Outcome {
  return { kind: "failed", error: { message, reason: "error", node: node.id }, cause: new FinalError(message) };
}

function reportOf(
  { node, attempt, epoch }: StartedAttempt,
  outcome: Outcome,
  startedMs: number,
  endedMs: number,
): AttemptReport {
  const failure = outcome.kind === "failed" ? outcome.error : undefined;
  return {
    graphId: node.graphId,
    node: node.id,
    worker: node.worker,
    epoch,
    attempt,
    startedMs,
    endedMs,
    outcome: failure?.reason === "timeout" ? "timeout" : outcome.kind,
    message: failure?.message,
  };
}
