/**
 * One connection of a page, which follows some of its widgets. Every message says where each of them stands then, so that a connection
 * that broke goes on from there, whichever server answers. How it is with it, the pills of its widgets say.
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

/** What comes over a connection goes to: its widgets' patches, and how far the server's clock is ahead of this one's. */
export interface Receiver {
  _take(stream: Stream, patches: readonly Patch[], positions: readonly string[], hasGap: boolean): void;
  _ahead(ms: number): void;
}

export class Stream {
  /** In the order of the address. */
  readonly _followed: readonly HTMLElement[];
  readonly #receiver: Receiver;
  #source: EventSource | undefined;
  #waitMs = FIRST_WAIT_MS;
  #hasGap = false;
  #flash: State | undefined;
  #isOver = false;

  /** @param before of the same page: who was cut off waits as long as it would have */
  constructor(followed: readonly HTMLElement[], receiver: Receiver, before?: Stream) {
    this._followed = followed;
    this.#receiver = receiver;
    if (before) [this.#waitMs, this.#hasGap, this.#flash] = [before.#waitMs, before.#hasGap, before.#flash];
    this.#open();
  }

  /** For good: what comes from now on is for nobody. */
  _close(): void {
    this.#isOver = true;
    this.#source?.close();
  }

  /** Whether it waits for its next try. */
  get _isDown(): boolean {
    return this.#source?.readyState === EventSource.CLOSED;
  }

  /** In pills that came with another page, too. */
  _reportAgain(): void {
    if (this.#flash) this.#report(this.#flash);
  }

  #open(): void {
    const url = addressOf(this._followed);
    const mine = (this.#source = new EventSource(url));
    mine.onopen = () => {
      this.#waitMs = FIRST_WAIT_MS;
      // What was on its way when the network went may open still.
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
      // When the browser would try again, nobody is told: it is done here.
      const wasRefused = mine.readyState === EventSource.CLOSED;
      mine.close();
      if (wasRefused) void this.#askWhy(mine, url);
      else this.#again(mine);
    };
  }

  #isPast(source: EventSource): boolean {
    return this.#isOver || source !== this.#source;
  }

  /** The browser has given up: a proxy without a server behind it, or an address that is good no more. */
  async #askWhy(mine: EventSource, url: URL): Promise<void> {
    this.#report("reconnecting");
    const isOver = await isRejected(url);
    if (this.#isPast(mine)) return;
    if (isOver) return this.#report("over");
    this.#again(mine);
  }

  /** Connects in a while, and says in how many seconds: later each time, and by the clock, for pages in the background have few timers. */
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
    this.#flash = state;
    let isSaid = false;
    for (const widget of this._followed) isSaid = report(widget, state, isSaid, leftS) || isSaid;
  }
}

function addressOf(all: readonly HTMLElement[]): URL {
  // Not as the markup says: what this stream sends becomes HTML of the page.
  const url = new URL(`${BASE_PATH}/live`, location.href);
  for (const { dataset } of all) {
    url.searchParams.append("on", new URL(dataset["src"]!, location.href).searchParams.get("on")!);
    url.searchParams.append("at", dataset["at"]!);
  }
  return url;
}
