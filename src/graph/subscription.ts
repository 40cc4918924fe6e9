/** Following a graph's events: what is stored first, then what comes, each once, in order. */
import type { GraphEvent, GraphStore } from "../store/contract.ts";
import { TERMINAL } from "./machine.ts";

/**
 * Reads from the store each time new events are announced, so nothing is buffered and nothing can be lost between the
 * stored part and the live part. Ends after the terminal event, or when `signal` aborts.
 */
export async function* subscribe(
  store: GraphStore,
  graphId: string,
  afterSeq: number,
  signal: AbortSignal,
): AsyncGenerator<GraphEvent> {
  const bell = new Bell(store, graphId, signal);
  let seq = afterSeq;
  try {
    while (!signal.aborted) {
      bell.reset();
      // Looked at before the events are read: if it was terminal by then, they are all there.
      const row = store.graph(graphId);
      const events = store.events(graphId, seq);
      for (const event of events) {
        yield event;
        seq = event.seq;
      }
      if (events.length > 0) continue;
      if (!row || TERMINAL.includes(row.phase)) return;
      await bell.rung();
    }
  } finally {
    bell.stop();
  }
}

/** Remembers whether there was news since it was last reset. */
class Bell {
  #hasRung = false;
  #wake: (() => void) | undefined;
  readonly #stops: (() => void)[];

  constructor(store: GraphStore, graphId: string, signal: AbortSignal) {
    const ring = (): void => {
      this.#hasRung = true;
      this.#wake?.();
    };
    signal.addEventListener("abort", ring);
    const off = store.onEvents((events) => {
      if (events.some((event) => event.graphId === graphId)) ring();
    });
    this.#stops = [off, () => signal.removeEventListener("abort", ring)];
  }

  reset(): void {
    this.#hasRung = false;
  }

  rung(): Promise<void> {
    return this.#hasRung ? Promise.resolve() : new Promise((resolve) => void (this.#wake = resolve));
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }
}
