/**
 * Which graphs are under way in this process, and the mirror of each; and those of the store as somebody who wants to change one finds them. Not:
 * what becomes of them (active-runs.ts).
 */
import type { Clock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { ChurningMap } from "../../platform/shared/churning-map.ts";
import type { StoredGraph } from "../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";
import { Machine } from "../machine/machine.ts";
import type { Said } from "../machine/progress-events.ts";
import type { OutboxRows } from "../machine/report-types.ts";
import { calledIn, type Registry } from "./registry.ts";
import { LiveGraph } from "../execution/live-run.ts";
import { ProgressThrottle } from "../execution/progress.ts";

export interface LiveGraphsOptions {
  graphs: GraphStore;
  registry: Registry;
  clock: Clock;
  outboxRows: OutboxRows;
  progressPerSecond: number;
  /** Told as often as is written at the most. */
  onProgress: (live: LiveGraph, said: Said) => void;
}

/** A graph as the store has it, and what this app runs it by. */
export interface FoundGraph {
  stored: StoredGraph;
  definition: GraphDefinition;
}

export class LiveGraphs {
  readonly #options: LiveGraphsOptions;
  readonly #live = new ChurningMap<LiveGraph>();

  constructor(options: LiveGraphsOptions) {
    this.#options = options;
  }

  get(graphId: string): LiveGraph | undefined {
    return this.#live.get(graphId);
  }

  has(graphId: string): boolean {
    return this.#live.has(graphId);
  }

  /** Whether this is the mirror that its graph goes by: after a fault it is another. */
  isIt(live: LiveGraph): boolean {
    return this.#live.get(live.id) === live;
  }

  all(): LiveGraph[] {
    return [...this.#live.values()];
  }

  add(live: LiveGraph): void {
    this.#live.set(live.id, live);
  }

  remove(graphId: string): void {
    this.#live.delete(graphId);
  }

  /** @throws SvcError `SVC_NOT_FOUND`; `SVC_TRANSITION` for one of a definition that this process does not have. */
  async find(graphId: string): Promise<FoundGraph> {
    const [stored] = await this.#options.graphs.load([graphId]);
    if (!stored) throw new SvcError("SVC_NOT_FOUND", `There is no graph "${graphId}"`);
    const { row } = stored;
    const definition = this.#options.registry.of(row);
    if (definition) return { stored, definition };
    const what = calledIn(row);
    throw new SvcError("SVC_TRANSITION", `The graph ${row.id} was started as ${what}, which this app no longer has`);
  }

  /** The mirror of a graph with the rows that it has, or is to have. */
  of({ row, nodes, lastSeq, signals }: StoredGraph, definition: GraphDefinition, lease?: number): LiveGraph {
    const { clock, outboxRows, progressPerSecond, onProgress } = this.#options;
    const machine = new Machine(row, nodes, lastSeq, definition, outboxRows, signals);
    const progress = new ProgressThrottle(clock, progressPerSecond, (said) => onProgress(live, said));
    const live: LiveGraph = new LiveGraph(machine, progress, clock);
    live.lease = lease;
    return live;
  }

  /** The same, and it is under way from now on. */
  adopt(stored: StoredGraph, definition: GraphDefinition, lease?: number): LiveGraph {
    const live = this.of(stored, definition, lease);
    this.add(live);
    return live;
  }
}
