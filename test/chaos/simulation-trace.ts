/**
 * What happened in a simulation, line by line and the same for the same seed: what was done, which processes died, and what was written
 * of each graph, in the order in which the store had it. Graphs are named by that order too: their ids are others each time.
 */
import type { Store, Timeline } from "./simulation-world.ts";

type Unit = Parameters<Store["graphs"]["commit"]>[0];

const ID = /g_[0-9A-Z]{26}/g;

export class Trace {
  readonly lines: string[] = [];
  readonly #timeline: Timeline;
  readonly #startMs: number;
  readonly #names = new Map<string, string>();

  constructor(timeline: Timeline, startMs: number) {
    this.#timeline = timeline;
    this.#startMs = startMs;
  }

  note(what: string): void {
    this.lines.push(`${this.#timeline.now() - this.#startMs} ms ${what}`);
  }

  /** @param outcome what the store says of it, or why it was never asked. */
  wrote(unit: Unit, outcome: string): void {
    const events = (unit.events ?? []).map(({ type, node }) => (node === undefined ? type : `${type} ${node}`));
    const started = unit.insert ? `, "${unit.insert.worker}"` : "";
    // Nodes have the ids of graphs, too: one that waits for another one.
    const reported = events.join(", ").replace(ID, (id) => this.#nameOf(id));
    this.note(`${this.#nameOf(unit.graphId)}${started}: ${reported || "no event"} (${outcome})`);
  }

  #nameOf(graphId: string): string {
    const name = this.#names.get(graphId) ?? `graph ${this.#names.size + 1}`;
    this.#names.set(graphId, name);
    return name;
  }
}

/** A simulation in which something was that must not be. */
export class SimulationFailure extends Error {
  // Whoever prints the error prints no more of it than its message.
  readonly #trace: Trace;

  constructor(message: string, trace: Trace, cause: unknown) {
    super(message, { cause });
    this.#trace = trace;
  }

  /** What happened until then. */
  get trace(): readonly string[] {
    return this.#trace.lines;
  }
}

/** A fault of the store, what came upon it, and a state that forbids it, are answers; anything else is not. */
export function isFault(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === "SVC_TRANSITION" || /the disk is full|the store had another state/i.test(message ?? "");
}
