/** Following a graph's events: what is stored first, then what comes, each once, in order. */
import { hasEnded, type GraphEvent } from "../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../storage/contract/graph-store.ts";

/** Events held for a follower that is slower than its graph; beyond that it reads them from the store. */
const MAX_HELD = 1000;
/** Events read at once; fewer tell that there are no more. */
const PAGE = 1000;

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
      const events = await news.after(seq);
      for (const event of events) {
        yield event;
        seq = event.seq;
        mayHaveEnded = event.type === "graph.done" || event.type === "graph.failed";
      }
      if (!news.isAllTaken) continue;
      // Only a retry follows on such an event, and would have been announced; without any, the store has to tell.
      if (mayHaveEnded && (events.length > 0 || (await isEnded(store, graphId))) && news.isAllTaken) return;
      await news.come();
    }
  } finally {
    news.stop();
  }
}

async function isEnded(store: GraphStore, graphId: string): Promise<boolean> {
  const row = await store.graph(graphId);
  return !row || hasEnded(row);
}

/** What the store has, and then what it has announced since it was last asked for. */
class News {
  readonly #store: GraphStore;
  readonly #graphId: string;
  #held: GraphEvent[] = [];
  #hasComeSince = false;
  /** Whether the store has nothing that was neither given nor is held. */
  #isCaughtUp = false;
  #wake: (() => void) | undefined;
  readonly #stops: (() => void)[];

  constructor(store: GraphStore, graphId: string, signal: AbortSignal) {
    this.#store = store;
    this.#graphId = graphId;
    const ring = (): void => {
      this.#hasComeSince = true;
      this.#wake?.();
    };
    signal.addEventListener("abort", ring);
    const off = store.onEvents(graphId, (events) => {
      // Another process has written some: only the store has them.
      if (events.length === 0) this.#isCaughtUp = false;
      // One too many is enough to know that some were missed.
      if (this.#held.length <= MAX_HELD) this.#held.push(...events);
      ring();
    });
    this.#stops = [off, () => signal.removeEventListener("abort", ring)];
  }

  /** Whether all that has come so far was given. */
  get isAllTaken(): boolean {
    return this.#isCaughtUp && !this.#hasComeSince;
  }

  /** Events that follow on `seq`; more may be there unless {@link isAllTaken}. */
  async after(seq: number): Promise<GraphEvent[]> {
    const isWhole = this.#isCaughtUp && this.#held.length <= MAX_HELD;
    const held = isWhole ? this.#held.filter((event) => event.seq > seq) : [];
    this.#held = [];
    this.#hasComeSince = false;
    const [first] = held;
    if (isWhole && (first === undefined || first.seq === seq + 1)) return held;
    const atHand = isWhole ? undefined : this.#store.eventsAtHand?.(this.#graphId, seq);
    const events = atHand ?? (await this.#store.events(this.#graphId, seq, PAGE));
    this.#isCaughtUp = events.length < PAGE;
    return events;
  }

  come(): Promise<void> {
    return this.#hasComeSince ? Promise.resolve() : new Promise((resolve) => void (this.#wake = resolve));
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }
}
