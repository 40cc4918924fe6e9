/** Following a graph's events: what is stored first, then what comes, each once, in order. */
import type { GraphEvent, GraphStore } from "../store/contract.ts";
import { TERMINAL } from "./machine.ts";

/** Events held for a follower that is slower than its graph; beyond that it reads them from the store. */
const MAX_HELD = 1000;

/**
 * Reads from the store until it has caught up, then takes what the store announces; where that leaves a gap, it reads
 * again. Ends after the event that ended the graph, or when `signal` aborts.
 */
export async function* subscribe(
  store: GraphStore,
  graphId: string,
  afterSeq: number,
  signal: AbortSignal,
): AsyncGenerator<GraphEvent> {
  const news = new News(store, graphId, signal);
  let seq = afterSeq;
  // Before the first event nothing tells whether the graph has ended.
  let mayHaveEnded = true;
  try {
    while (!signal.aborted) {
      const events = news.after(seq) ?? store.events(graphId, seq);
      for (const event of events) {
        yield event;
        seq = event.seq;
        mayHaveEnded = event.type === "graph.done" || event.type === "graph.failed";
      }
      // Only a retry follows on such an event, and has one of its own; the cheapest question that tells.
      if (events.length > 0 && mayHaveEnded && store.lastSeq(graphId) === seq) return;
      if (events.length > 0) continue;
      if (mayHaveEnded && isEnded(store, graphId)) return;
      await news.come();
    }
  } finally {
    news.stop();
  }
}

function isEnded(store: GraphStore, graphId: string): boolean {
  const row = store.graph(graphId);
  return !row || TERMINAL.includes(row.phase);
}

/** What the store has announced since it was last asked for. */
class News {
  #held: GraphEvent[] = [];
  #hasComeSince = false;
  #wake: (() => void) | undefined;
  readonly #stops: (() => void)[];

  constructor(store: GraphStore, graphId: string, signal: AbortSignal) {
    const ring = (): void => {
      this.#hasComeSince = true;
      this.#wake?.();
    };
    signal.addEventListener("abort", ring);
    const off = store.onEvents(graphId, (events) => {
      // One too many is enough to know that some were missed.
      if (this.#held.length <= MAX_HELD) this.#held.push(...events);
      ring();
    });
    this.#stops = [off, () => signal.removeEventListener("abort", ring)];
  }

  /** Events that follow on `seq`; undefined when only the store knows. */
  after(seq: number): GraphEvent[] | undefined {
    const held = this.#held.filter((event) => event.seq > seq);
    const isWhole = this.#held.length <= MAX_HELD && held[0]?.seq === seq + 1;
    this.#held = [];
    this.#hasComeSince = false;
    return isWhole ? held : undefined;
  }

  come(): Promise<void> {
    return this.#hasComeSince ? Promise.resolve() : new Promise((resolve) => void (this.#wake = resolve));
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }
}
