/**
 * One connection of a page, which follows some of its widgets. Every message carries the position of each widget, so a reconnect continues
 * from there, whichever server answers. The widgets' pills show the state of the connection.
 */
import { BASE_PATH, DOM } from "../../../platform/shared/wire.ts";
import { report, type State } from "./connection-pill.ts";
import { FIRST_WAIT_MS, isRejected, LONGEST_WAIT_MS } from "./stream-retry.ts";

export interface Patch {
  on: number;
  parts?: Record<string, string>;
  rows?: string[];
  skipped?: number;
}

/** Receives what a connection delivers: the patches of its widgets, and how far the server's clock is ahead of this one. */
export interface Receiver {
  _take(stream: Stream, patches: readonly Patch[], positions: readonly string[], hasGap: boolean): void;
  _ahead(ms: number): void;
}

export class Stream {
  /** The widgets, in the order of the URL parameters. */
  readonly _followed: readonly HTMLElement[];
  readonly #receiver: Receiver;
  #source: EventSource | undefined;
  #waitMs = FIRST_WAIT_MS;
  #hasGap = false;
  #lastState: State | undefined;
  #isOver = false;

  /** @param before the previous stream of the page: its retry delay and its gap carry over */
  constructor(followed: readonly HTMLElement[], receiver: Receiver, before?: Stream) {
    this._followed = followed;
    this.#receiver = receiver;
    if (before) [this.#waitMs, this.#hasGap, this.#lastState] = [before.#waitMs, before.#hasGap, before.#lastState];
    this.#open();
  }

  /** Closes for good and ignores later messages. */
  _close(): void {
    this.#isOver = true;
    this.#source?.close();
  }

  /** Whether the stream waits for its next attempt. */
  get _isDown(): boolean {
    return this.#source?.readyState === EventSource.CLOSED;
  }

  /** Updates pills that arrived with another page. */
  _reportAgain(): void {
    if (this.#lastState) this.#report(this.#lastState);
  }

  #open(): void {
    const url = addressOf(this._followed);
    const mine = (this.#source = new EventSource(url));
    mine.onopen = () => {
      this.#waitMs = FIRST_WAIT_MS;
      // A connection that was opening when the network went away may still report that it opened.
      this.#report(navigator.onLine ? "live" : "offline");
    };
    mine.addEventListener(DOM.liveNow, ({ data }: MessageEvent<string>) =>
      this.#receiver._ahead(Number(data) - Date.now()),
    );
    mine.onmessage = ({ data, lastEventId }) => {
      this.#receiver._take(this, JSON.parse(data as string) as Patch[], lastEventId.split(" "), this.#hasGap);
      this.#hasGap = false;
    };
    mine.onerror = () => {
      this.#hasGap = true;
      // The browser does not say when it would retry, so this class retries itself.
      const wasRefused = mine.readyState === EventSource.CLOSED;
      mine.close();
      if (wasRefused) void this.#askWhy(mine, url);
      else this.#again(mine);
    };
  }

  #isPast(source: EventSource): boolean {
    return this.#isOver || source !== this.#source;
  }

  /** The browser gave up: the answer came from a proxy without a backend, or the URL is no longer valid. */
  async #askWhy(mine: EventSource, url: URL): Promise<void> {
    this.#report("reconnecting");
    const isOver = await isRejected(url);
    if (this.#isPast(mine)) return;
    if (isOver) return this.#report("over");
    this.#again(mine);
  }

  /** Schedules the next attempt and counts the seconds down, by the clock: pages in the background have throttled timers. */
  #again(mine: EventSource): void {
    const dueMs = performance.now() + this.#waitMs;
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
    const wait = (): void => {
      if (this.#isPast(mine)) return;
      const leftMs = dueMs - performance.now();
      this.#report(navigator.onLine ? "reconnecting" : "offline", Math.ceil(leftMs / 1000));
      if (leftMs <= 0) this.#open();
      else setTimeout(wait, leftMs % 1000 || 1000);
    };
    wait();
  }

  #report(state: State, leftS = 0): void {
    this.#lastState = state;
    let isSaid = false;
    for (const widget of this._followed) isSaid = report(widget, state, isSaid, leftS) || isSaid;
  }
}

function addressOf(all: readonly HTMLElement[]): URL {
  // The path is fixed, not taken from the markup, because the stream's content becomes HTML of the page.
  const url = new URL(`${BASE_PATH}/live`, location.href);
  for (const { dataset } of all) {
    url.searchParams.append("on", new URL(dataset["src"]!, location.href).searchParams.get("on")!);
    url.searchParams.append("at", dataset["at"]!);
  }
  return url;
}
