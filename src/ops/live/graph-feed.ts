/**
 * Feeds about one graph: its picture and node list as parts, and its events as rows. A feed stops with its last follower, not with the
 * graph.
 */
import type { App } from "../../index.ts";
import { systemClock } from "../../graph.ts";
import { eventHtml } from "../widgets/event-row.tsx";
import { flowParts } from "../widgets/flow-graph.tsx";
import { flowView } from "../widgets/graph-view.ts";
import { ChangeSignal, keepRunning, pause } from "./change-signal.ts";
import { Parts } from "./widget-parts.ts";
import type { Feed, News } from "./topics.ts";

/** Minimum time between two reads of a changing graph: ten a second. */
const REFRESH_MS = 100;
/** Poll interval of a graph that has ended, because it may be retried. */
const ENDED_MS = 2000;
/** Rows per patch, and the number of rows a follower may lag behind before rows are left out. */
const MOST_ROWS = 40;
const MOST_BEHIND = 300;

abstract class GraphFeed implements Feed {
  protected readonly app: App;
  protected readonly id: string;
  protected readonly bell = new ChangeSignal();
  /** Rings for events that have not been read yet. */
  readonly #news = new ChangeSignal();
  readonly #ending = new AbortController();
  /** Number of the last known event. */
  protected lastSeq = 0;

  constructor(app: App, id: string, onError: (error: unknown) => void) {
    this.app = app;
    this.id = id;
    void this.#run(onError, this.#ending.signal);
  }

  get version(): number {
    return this.bell.version;
  }

  changed(seen: number, signal: AbortSignal): Promise<void> {
    return this.bell.changed(seen, signal);
  }

  stop(): void {
    this.#ending.abort();
  }

  abstract since(cursor: string): Promise<News | undefined>;
  /** Reads the graph. @returns whether anything has changed */
  protected abstract refresh(): Promise<boolean>;

  async #run(onError: (error: unknown) => void, signal: AbortSignal): Promise<void> {
    await keepRunning(() => this.#refreshAndRing(), onError, signal);
    const parts = [() => this.#listen(signal), () => this.#refreshOnEvents(signal)];
    await Promise.all(parts.map((part) => keepRunning(part, onError, signal)));
  }

  /** Follows the event stream. It ends when the graph ends; after a retry there are more events. */
  async #listen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for await (const { seq } of this.app.engine.subscribe(this.id, this.lastSeq, signal)) {
        this.lastSeq = seq;
        this.#news.ring();
      }
      await pause(ENDED_MS, signal);
    }
  }

  async #refreshOnEvents(signal: AbortSignal): Promise<void> {
    for (let seen = 0; !signal.aborted;) {
      await this.#news.changed(seen, signal);
      seen = this.#news.version;
      const begunMs = systemClock.now();
      await this.#refreshAndRing();
      // Reading a large graph takes time: use at most a fifth of the process's.
      await pause(Math.max(REFRESH_MS, 4 * (systemClock.now() - begunMs)), signal);
    }
  }

  async #refreshAndRing(): Promise<void> {
    if (!this.#ending.signal.aborted && (await this.refresh())) this.bell.ring();
  }
}

export class GraphPartsFeed extends GraphFeed {
  readonly #parts = new Parts();
  readonly #nodeHref: string | undefined;

  constructor(app: App, id: string, nodeHref: string | undefined, onError: (error: unknown) => void) {
    super(app, id, onError);
    this.#nodeHref = nodeHref;
  }

  async since(cursor: string): Promise<News | undefined> {
    return this.#parts.since(cursor);
  }

  protected async refresh(): Promise<boolean> {
    const snapshot = await this.app.engine.snapshot(this.id);
    if (!snapshot) return false;
    this.lastSeq = Math.max(this.lastSeq, snapshot.last_seq);
    this.#parts.update(snapshot.last_seq, flowParts(flowView(snapshot), this.#nodeHref));
    // Events without a visible change count as well, because followers reconnect with their number.
    return true;
  }
}

export class EventsFeed extends GraphFeed {
  async since(cursor: string): Promise<News | undefined> {
    const seen = cursor === "" ? 0 : Number(cursor);
    const behind = this.lastSeq - seen;
    if (behind <= 0) return undefined;
    const skipped = behind > MOST_BEHIND ? behind - MOST_BEHIND : 0;
    const events = await this.app.engine.events(this.id, { after: seen + skipped, limit: MOST_ROWS });
    const last = events.at(-1)?.seq ?? seen;
    const rows = events.map(eventHtml);
    return {
      cursor: String(last),
      patch: { rows, ...(skipped > 0 && { skipped }) },
      hasMore: events.length > 0 && last < this.lastSeq,
    };
  }

  protected async refresh(): Promise<boolean> {
    // Each follower reads the earlier events that it has not seen.
    if (this.lastSeq === 0) this.lastSeq = (await this.app.engine.snapshot(this.id))?.last_seq ?? 0;
    return true;
  }
}
