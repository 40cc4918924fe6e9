/**
 * The log of a simulation, identical for the same seed: actions, crashes, and the writes for each run in the order in which the store
 * received them. Runs are numbered in that order, since their ids differ each time.
 */
import type { Store, Timeline } from "./simulation-world.ts";

type Transition = Parameters<Store["graphs"]["commit"]>[0];

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

  /** @param outcome the result of the write, or why it was never attempted. */
  wrote(transition: Transition, outcome: string): void {
    const events = (transition.events ?? []).map(({ type, node }) => (node === undefined ? type : `${type} ${node}`));
    const started = transition.insert ? `, "${transition.insert.worker}"` : "";
    // Node names may contain run ids: those of the runs they wait for.
    const reported = events.join(", ").replace(ID, (id) => this.#nameOf(id));
    this.note(`${this.#nameOf(transition.graphId)}${started}: ${reported || "no event"} (${outcome})`);
  }

  #nameOf(graphId: string): string {
    const name = this.#names.get(graphId) ?? `graph ${this.#names.size + 1}`;
    this.#names.set(graphId, name);
    return name;
  }
}

/** The error of a failed simulation. */
export class SimulationFailure extends Error {
  // Private, so that printing the error prints only its message.
  readonly #trace: Trace;

  constructor(message: string, trace: Trace, cause: unknown) {
    super(message, { cause });
    this.#trace = trace;
  }

  /** The log up to the failure. */
  get trace(): readonly string[] {
    return this.#trace.lines;
  }
}

/** Whether an error is expected: a fault of the store, a consequence of one, or an operation that the state does not allow. */
export function isFault(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return code === "SVC_TRANSITION" || /the disk is full|the store had another state/i.test(message ?? "");
}
