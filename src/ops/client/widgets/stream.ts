/**
 * One connection of a page, which follows some of its widgets. Every message carries the position of each widget, so a reconnect continues
 * from there, whichever server answers. The widgets' pills show the state of the connection.
 */
import { BASE_PATH, DOM } from "../../../platform/shared/wire.ts";
import { report, type State } from "./connection-pill.ts";
import { renewedAddresses } from "./renew-addresses.ts";
import { FIRST_WAIT_MS, LONGEST_WAIT_MS, refusalOf } from "./stream-retry.ts";

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
  /** New addresses of the stream's widgets. */
  _renewed(stream: Stream, addresses: readonly string[]): void;
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
  /** Whether the current addresses are new and have not opened a connection yet: if the server rejects them, newer ones will not help. */
  #isRenewed = false;

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
      this.#isRenewed = false;
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
    // The addresses expire. The stream continues with new ones, and the user notices nothing.
    mine.addEventListener(DOM.liveRenew, () => {
      mine.close();
      void this.#renew(mine);
    });
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

  /** The browser gave up: the answer came from a proxy without a backend, or the addresses are no longer valid. */
  async #askWhy(mine: EventSource, url: URL): Promise<void> {
    this.#report("reconnecting");
    const refusal = await refusalOf(url);
    if (this.#isPast(mine)) return;
    if (refusal === "later") this.#again(mine);
    else if (refusal === "over" || this.#isRenewed) this.#report("over");
    else await this.#renew(mine);
  }

  /** Continues with new addresses, if the visitor still has access to the page. */
  async #renew(mine: EventSource): Promise<void> {
    const renewed = await renewedAddresses(this._followed);
    if (this.#isPast(mine)) return;
    if (renewed === "over") return this.#report("over");
    if (renewed === "later") return this.#again(mine);
    this.#isRenewed = true;
    this.#receiver._renewed(this, renewed);
    this.#open();
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
