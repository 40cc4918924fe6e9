/** Follows the events of a run: stored ones first, then live ones, each once and in order. */
import { hasEnded, type GraphEvent } from "../../../storage/contract/graph-rows.ts";
import type { GraphStore } from "../../../storage/contract/graph-store.ts";

/** Events to buffer for a slow follower. Beyond that, it reads them from the store. */
const MAX_HELD = 1000;
/** Events to read at a time. A shorter page is the last one. */
const PAGE = 1000;

export interface Subscription extends AsyncIterable<GraphEvent> {
  /** The same events, those together that are there together: for writers of streams. */
  batches(): AsyncIterable<readonly GraphEvent[]>;
}

/** @param afterSeq number of the last event that the follower has */
export function subscribe(store: GraphStore, graphId: string, afterSeq: number, signal: AbortSignal): Subscription {
  const batches = (): AsyncGenerator<readonly GraphEvent[]> => follow(store, graphId, afterSeq, signal);
  return { batches, [Symbol.asyncIterator]: () => oneByOne(batches()) };
}

export async function* oneByOne(batches: AsyncIterable<readonly GraphEvent[]>): AsyncGenerator<GraphEvent> {
  for await (const events of batches) yield* events;
}

/**
 * Reads the store until it has caught up, then takes live events, and reads again after a gap. Ends after the event that ended the run,
 * or when `signal` aborts.
 */
async function* follow(
  store: GraphStore,
  graphId: string,
  afterSeq: number,
  signal: AbortSignal,
): AsyncGenerator<readonly GraphEvent[]> {
  const news = new News(store, graphId, signal);
  let seq = afterSeq;
  // Before the first event, it is unknown whether the run has ended.
  let mayHaveEnded = true;
  try {
    while (!signal.aborted) {
      const events = await news.after(seq);
      const last = events.at(-1);
      if (last) {
        yield events;
        seq = last.seq;
        mayHaveEnded = last.type === "graph.done" || last.type === "graph.failed";
      }
      if (!news.isAllTaken) continue;
      // Only a retry can follow such an event, and it would be announced. Without events, the store must be read.
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

/** Live events since the last read of the store. */
class News {
  readonly #store: GraphStore;
  readonly #graphId: string;
  #held: GraphEvent[] = [];
  #hasComeSince = false;
  /** Whether the store has no event that is neither returned nor buffered. */
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
      // Another process has written events: only the store has them.
      if (events.length === 0) this.#isCaughtUp = false;
      // One event above the limit shows that some were missed.
      if (this.#held.length <= MAX_HELD) this.#held.push(...events);
      ring();
    });
    this.#stops = [off, () => signal.removeEventListener("abort", ring)];
  }

  /** Whether all received events have been returned. */
  get isAllTaken(): boolean {
    return this.#isCaughtUp && !this.#hasComeSince;
  }

  /** Events after `seq`. There may be more unless {@link isAllTaken}. */
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
