/**
 * The attempts of this process, from their turn to their end: who has a place (dispatcher.ts), one after the other where they hold the event
 * loop up (starts.ts), run (runner.ts), and undone again (undoer.ts). Not: what is committed of them, and when (under-way.ts).
 */
import type { NodeRow } from "../../store/graph-rows.ts";
import type { Unit } from "../../store/unit.ts";
import type { Worker } from "../definition/definition-types.ts";
import { Dispatcher, type Claim, type DispatcherOptions } from "./dispatcher.ts";
import type { Elsewhere } from "./elsewhere.ts";
import type { LiveGraph } from "./live.ts";
import { Runner, type RunnerOptions } from "./runner.ts";
import { Starts } from "./starts.ts";
import { Undoer } from "./undoer.ts";

export interface AttemptsOptions
  extends
    Omit<RunnerOptions, "go" | "isElsewhere">,
    Pick<DispatcherOptions, "concurrency" | "permits" | "onPlace" | "onReady"> {
  /** Where several processes share the store. */
  elsewhere: Elsewhere | undefined;
  /** Decides and commits, then begins what has been claimed; never rejects. */
  go: (live: LiveGraph, decide: () => Unit | undefined, claims?: readonly Claim[]) => void;
  /** The mirror of a graph is not to be trusted any more. */
  reload: (live: LiveGraph, error: unknown) => void;
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
    this.starts = new Starts(options.clock);
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
    this.#runner = new Runner({ ...options, isElsewhere });
  }

  /** Marks what became ready as running in the same unit, where there is room. */
  claim(live: LiveGraph, unit: Unit): Claim[] {
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
    for (const { place } of claims) place.leave();
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
  }
}
