/** Runs attempts whose start is committed, and hands the machine what they came to. */
import type { Clock } from "../../platform/shared/clock.ts";
import type { ArtifactRows } from "../../storage/contract/artifacts.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { NodeRow } from "../../storage/contract/graph-rows.ts";
import type { TransactionRun } from "../../storage/contract/transaction.ts";
import type { Transition } from "../../storage/contract/unit.ts";
import { Abort } from "./attempt/abort.ts";
import { runAttempt, type Outcome } from "./attempt/attempt.ts";
import type { AttemptSink } from "./attempt/attempt-options.ts";
import type { Claim } from "./dispatcher.ts";
import { Durable, type AttemptPort } from "./attempt/durable.ts";
import { Unfinished, type Hand } from "./remote/remote-attempts.ts";
import { FinalError } from "../definition/final-error.ts";
import type { AttemptLimits } from "./attempt/attempt-limits.ts";
import { LetGo, Shutdown, type LiveGraph } from "./live-run.ts";
import { inputOf } from "./node-input.ts";
import { verdict } from "./attempt/retry-decision.ts";
import type { AttemptReport } from "../machine/report-types.ts";
import type { Worker } from "../definition/definition-types.ts";
import type { ValueLimits } from "../definition/value-limits.ts";
import type { WorkerTools } from "./attempt/worker-tools.ts";

export interface RunnerOptions {
  clock: Clock;
  /** For jitter: 0 to below 1. */
  random: () => number;
  isClosing: () => boolean;
  onAttempt: ((attempt: AttemptReport) => void) | undefined;
  /** The engine's mirror of a graph that is under way. */
  live: (graphId: string) => LiveGraph | undefined;
  /** Decides and commits; never rejects. */
  go: (live: LiveGraph, decide: () => Transition | undefined) => void;
  /** Decides and commits; rejects when that fails. */
  apply: (live: LiveGraph, decide: () => Transition) => Promise<void>;
  /** The worker as it is called. @param hand where it runs in a place of another process. */
  bind: (worker: Worker<never, unknown>, node: NodeRow, hand: Hand | undefined) => Worker<never, unknown>;
  /** How long an attempt took that ran here and waited for nothing, and how much of it the event loop was held up. */
  measured: (worker: string, lengthMs: number, heldMs: number) => void;
  /** Whether another process runs it. */
  isElsewhere: (worker: Worker<never, unknown>) => boolean;
  /** Writes the author's rows together with a unit. Rejects with what the author's function throws. */
  transact: (live: LiveGraph, run: TransactionRun) => Promise<Json>;
  artifacts: ArtifactRows;
  tools: WorkerTools;
  values: ValueLimits;
}

export class Runner {
  readonly #options: RunnerOptions;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Settles once the attempt has ended and its outcome is decided, not yet committed. */
  async attempt(claim: Claim): Promise<void> {
    const { live, node } = claim;
    const { clock, go, isClosing, onAttempt } = this.#options;
    if (!this.#isCurrent(claim)) return;
    if (isClosing()) return go(live, () => live.machine.nodeInterrupted(node, clock.now()));
    const controller = new Abort();
    live.controllers.set(node.id, controller);
    const [startedMs, beganMs] = [clock.now(), clock.elapsed()];
    const coming = claim.fault === undefined ? this.#outcomeOf(claim, controller) : refusal(claim.fault, node);
    const heldMs = clock.elapsed() - beganMs;
    const outcome = await coming;
    const lengthMs = clock.elapsed() - beganMs;
    onAttempt?.(reportOf(claim, outcome, startedMs, startedMs + Math.round(lengthMs)));
    if (!claim.hand && !claim.place.hasWaited) this.#options.measured(node.worker, lengthMs, heldMs);
    if (live.controllers.get(node.id) === controller) live.controllers.delete(node.id);
    if (this.#isCurrent(claim)) this.#settle(live, node, outcome, controller);
    else if (outcome.kind === "done") this.#tell(node, "node.discarded");
  }

  scheduleRetry(live: LiveGraph, node: NodeRow): void {
    const { clock, go, isClosing } = this.#options;
    const { epoch } = live.machine.row;
    live.after(Math.max(0, (node.dueMs ?? 0) - clock.now()), () => {
      const isDue = node.status === "retrying" && live.machine.row.epoch === epoch && !live.machine.isTerminal;
      if (!isDue || isClosing() || this.#options.live(node.graphId) !== live) return;
      go(live, () => live.machine.nodeReady(node, clock.now()));
    });
  }

  /** Whether this attempt is the one that counts: no cancel, timeout, retry or fault has come between. */
  #isCurrent({ live, node, attempt, epoch }: Claim): boolean {
    return (
      this.#options.live(node.graphId) === live &&
      (node.status === "running" || node.status === "waiting") &&
      node.attempt === attempt &&
      live.machine.row.epoch === epoch
    );
  }

  /** Not async itself: it hands on the promise of the attempt. Never rejects. */
  #outcomeOf(claim: Claim, controller: Abort): Promise<Outcome> {
    const { live, node } = claim;
    const { machine } = live;
    const definition = machine.definitionOf(node.id);
    const deps = machine.deps(definition);
    let input: unknown;
    try {
      input = inputOf(machine, node);
    } catch (error) {
      const message = `The input of "${node.id}" can't be made: ${(error as Error).message}`;
      return Promise.resolve(refusal(message, node));
    }
    const isRunning = (): boolean => live.controllers.get(node.id) === controller;
    const sink: AttemptSink = {
      event: (type, data) => {
        if (isRunning()) this.#tell(node, type, data);
      },
      progress: (value, note) => {
        if (isRunning()) live.progress.set(value, note);
      },
      summary: (text) => {
        if (isRunning()) live.progress.summarize(text);
      },
    };
    const { worker, timeout = worker.options.timeout } = definition;
    const { heartbeat } = worker.options;
    return runAttempt({
      node,
      worker: this.#options.bind(worker, node, claim.hand),
      timeout,
      heartbeat,
      isQueued: claim.hand !== undefined || this.#options.isElsewhere(worker),
      input,
      deps,
      clock: this.#options.clock,
      controller,
      sink,
      durable: (limits) => this.#durable(claim, controller, limits),
      tools: this.#options.tools,
      values: this.#options.values,
    });
  }

  #durable(claim: Claim, controller: Abort, limits: AttemptLimits): Durable {
    const { clock, random, apply, transact, artifacts, values } = this.#options;
    const { live, node, place } = claim;
    const { machine } = live;
    const port: AttemptPort = {
      node,
      machine,
      place,
      controller,
      clock,
      random,
      isCurrent: () => live.controllers.get(node.id) === controller && this.#isCurrent(claim),
      inside: (decide) => apply(live, () => machine.inside(clock.now(), decide)),
      transact: (run) => transact(live, run),
      at: (dueMs, run) => live.after(Math.max(0, dueMs - clock.now()), run),
      artifacts,
      values,
    };
    return new Durable(port, limits);
  }

  #settle(live: LiveGraph, node: NodeRow, outcome: Outcome, controller: Abort): void {
    const { clock, go } = this.#options;
    const { machine } = live;
    const nowMs = clock.now();
    live.progress.flushSummary();
    if (outcome.kind === "done") {
      go(live, () => machine.nodeDone(node, outcome.result, nowMs, outcome.kept));
      // Where the turn of the next can't be told.
      if (machine.isTerminal || machine.ending.isUnderWay) live.abortEnded("The graph failed");
      return;
    }
    if (outcome.kind === "aborted") {
      const { reason } = controller;
      // What waits goes on waiting, in the store.
      const isLeft = reason instanceof Shutdown && node.status === "waiting";
      if (!isLeft && (reason instanceof Shutdown || reason instanceof LetGo))
        go(live, () => machine.nodeInterrupted(node, nowMs));
      return;
    }
    if (outcome.cause instanceof Unfinished) {
      const { hasCrashed } = outcome.cause;
      return go(live, () => (hasCrashed ? machine.nodeCrashed(node, nowMs) : machine.nodeInterrupted(node, nowMs)));
    }
    const { worker, retry } = machine.definitionOf(node.id);
    const policy = { ...worker.options.retry, ...retry };
    const { error, retryAtMs } = verdict(policy, node.attempt, outcome, this.#options.random(), nowMs);
    go(live, () => machine.nodeFailed(node, error, retryAtMs, nowMs, outcome.kept));
    if (retryAtMs === undefined || machine.ending.isUnderWay) live.abortEnded("Another node of the graph failed");
    if (retryAtMs !== undefined) this.scheduleRetry(live, node);
  }

  /** What is said of a node along the way, or of an attempt whose result came too late to be kept. */
  #tell(node: NodeRow, type: "log" | "custom" | "node.discarded", data?: Json): void {
    const live = this.#options.live(node.graphId);
    if (live) this.#options.go(live, () => live.machine.telling.told(type, node.id, data, this.#options.clock.now()));
  }
}

/** What no attempt can help. */
function refusal(message: string, node: NodeRow): Outcome {
  return { kind: "failed", error: { message, reason: "error", node: node.id }, cause: new FinalError(message) };
}

function reportOf(
  { node, attempt, epoch }: Claim,
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
