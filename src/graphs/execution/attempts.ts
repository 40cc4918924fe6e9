/**
 * The attempts of this process, from their turn to their end: who has a place (dispatcher.ts), one after the other where they hold the event
 * loop up (start-throttle.ts), run (runner.ts), and undone again (compensator.ts). Not: what is committed of them, and when (active-runs.ts).
 */
import type { NodeRow } from "../../storage/contract/graph-rows.ts";
import type { Transition } from "../../storage/contract/unit.ts";
import type { Worker } from "../definition/definition-types.ts";
import { Dispatcher, type Claim, type DispatcherOptions } from "./dispatcher.ts";
import type { LiveGraph } from "./live-run.ts";
import { Runner, type RunnerOptions } from "./runner.ts";
import { Starts } from "./start-throttle.ts";
import { Undoer } from "./compensator.ts";

export interface AttemptsOptions
  extends
    Omit<RunnerOptions, "go" | "measured" | "isElsewhere">,
    Pick<DispatcherOptions, "concurrency" | "permits" | "elsewhere" | "onPlace" | "onReady"> {
  /** Decides and commits, then begins what has been claimed; never rejects. */
  go: (live: LiveGraph, decide: () => Transition | undefined, claims?: readonly Claim[]) => void;
  /** The mirror of a graph is not to be trusted any more. */
  reload: (live: LiveGraph, error: unknown) => void;
  /** Whether a commit is under way. */
  isCommitting: () => boolean;
}

export class Attempts {
  readonly dispatcher: Dispatcher;
  readonly starts: Starts;
  readonly #options: AttemptsOptions;
  readonly #runner: Runner;
  readonly #undoer: Undoer;

  constructor(options: AttemptsOptions) {
    this.#options = options;
    const { live, go, elsewhere } = options;
    this.starts = new Starts(options.clock, () => this.#isAwaited());
    // What stands for a graph is started here, wherever that runs.
    const isElsewhere = ({ name, graph }: Worker<never, unknown>): boolean =>
      graph === undefined && elsewhere?.runsHere(name) === false;
    this.dispatcher = new Dispatcher({
      ...options,
      isLive: (graph) => live(graph.id) === graph,
      isElsewhere,
      start: (graph, unit, claim) => go(graph, () => unit, [claim]),
    });
    this.#undoer = new Undoer({ ...options, dispatcher: this.dispatcher });
    const measured: RunnerOptions["measured"] = (...took) => this.dispatcher.measured(...took);
    this.#runner = new Runner({ ...options, isElsewhere, measured });
  }

  /** Marks what became ready as running in the same unit, where there is room. */
  claim(live: LiveGraph, unit: Transition): Claim[] {
    return this.dispatcher.claim(live, unit);
  }

  /** Gives what is ready and was not claimed its turn. */
  dispatch(live: LiveGraph): void {
    this.dispatcher.dispatch(live);
  }

  /** Runs attempts whose start is committed. */
  begin(claims: readonly Claim[]): void {
    for (const claim of claims) this.starts.add(() => void this.#run(claim));
  }

  /** They are not run after all. */
  drop(claims: readonly Claim[]): void {
    for (const { place, hand } of claims) {
      place.leave();
      hand?.end();
    }
  }

  retryLater(live: LiveGraph, node: NodeRow): void {
    this.#runner.scheduleRetry(live, node);
  }

  /** Goes on with what is to be undone of it, if anything is. */
  undo(live: LiveGraph): void {
    this.#undoer.proceed(live);
  }

  async #run(claim: Claim): Promise<void> {
    try {
      await this.#runner.attempt(claim);
    } catch (error) {
      this.#options.reload(claim.live, error);
    }
    claim.place.leave();
    // Another may follow in the same place.
    if (claim.hand) this.dispatcher.lent(claim.node.worker, claim.hand);
  }

  /** Whether another process waits for a node, and this one for the store or for what it says. */
  #isAwaited(): boolean {
    const { isCommitting, elsewhere } = this.#options;
    return this.dispatcher.isSpreading() && (isCommitting() || elsewhere?.isTalking() === true);
  }
}
