/**
 * `flow.js`: updates server-rendered markup of a graph from the graph's event stream (docs/reference/http.md section 4). The markup is inside `<svc-flow
 * src="…/events?token=…&after=12">`; without script it stays as the server wrote it. Attributes determine which element shows what
 * (docs/guide/graphs.md), and each element keeps its own state: `data-status`, `data-done`, `data-total`.
 */
import { DOM, PATHS } from "../../platform/shared/wire.ts";
import { FIRST_WAIT_MS, LONGEST_WAIT_MS, refusalOf } from "./widgets/stream-retry.ts";
import { isUnseen, onSight } from "./widgets/page-visibility.ts";
import { retryableImport } from "../../web/client/runtime/retryable-import.ts";

/** The fields of an event that this module reads. */
interface FlowEvent {
  seq: number;
  type: string;
  node?: string;
  value?: unknown;
  note?: unknown;
  level?: unknown;
  message?: unknown;
}

/** Maximum number of log lines in the page: a page may be open for days. */
const MOST_LINES = 500;

/** Event types that change a status, with the subject of the event. */
const CHANGES =
  /^(?:graph\.(queued|started|resumed|paused|done|failed)|node\.(ready|started|retrying|waiting|done|failed|skipped))$/;

/** Changes whose status has another name. All other statuses have the name of their event. */
const STATUSES: Readonly<Record<string, string>> = {
  queued: "pending",
  ready: "pending",
  started: "running",
  resumed: "running",
};

/** The connected elements that still expect events. */
const followers = new Set<Flow>();

class Flow extends HTMLElement {
  #source: EventSource | undefined;
  #lastSeq = 0;
  #waitMs = FIRST_WAIT_MS;
  /** Whether the last event ended the graph. A graph that was retried has earlier end events, followed by more events. */
  #hasEnded = false;

  connectedCallback(): void {
    followers.add(this);
    this._follow();
  }

  disconnectedCallback(): void {
    followers.delete(this);
    this.#leave();
  }

  #leave(): void {
    this.#source?.close();
    this.#source = undefined;
    this.removeAttribute(DOM.flowLive);
  }

  /** Connects, starting after the last event seen. Does not connect while the page is hidden. */
  _follow(): void {
    this.#leave();
    if (isUnseen) return;
    const url = new URL(this.getAttribute("src") ?? "", location.href);
    if (this.#lastSeq > 0) url.searchParams.set("after", `${this.#lastSeq}`);
    const source = (this.#source = new EventSource(url));
    source.onopen = () => {
      this.setAttribute(DOM.flowLive, "");
      this.#waitMs = FIRST_WAIT_MS;
    };
    source.onerror = () => {
      this.removeAttribute(DOM.flowLive);
      // After the final event the server closes the stream. The browser would reconnect again and again.
      if (this.#hasEnded) this.#end();
      else if (source.readyState === EventSource.CLOSED) void this.#again(source, url);
    };
    source.onmessage = ({ data }) => this.#take(JSON.parse(data as string) as FlowEvent);
  }

  /** Reconnects after the server rejected the stream: the browser retries a broken stream, but not a rejected one. */
  async #again(source: EventSource, url: URL): Promise<void> {
    const isOver = (await refusalOf(url)) !== "later";
    if (source !== this.#source) return;
    if (isOver) return void followers.delete(this);
    setTimeout(() => source === this.#source && this._follow(), this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
  }

  #take(event: FlowEvent): void {
    // A reconnected stream may repeat events.
    if (event.seq <= this.#lastSeq) return;
    this.#lastSeq = event.seq;
    const [, ofGraph, ofNode] = CHANGES.exec(event.type) ?? [];
    if (ofNode) this.#node(event.node ?? "", ofNode);
    else if (ofGraph) setStatus(this, ofGraph);
    else if (event.type === "progress") this.#progress(event);
    else if (event.type === "log") this.#log(event);
    this.dispatchEvent(new CustomEvent(DOM.flowEvent, { bubbles: true, detail: event }));
    this.#hasEnded = ofGraph === "done" || ofGraph === "failed";
  }

  #end(): void {
    followers.delete(this);
    this.#leave();
    if (this.hasAttribute("reload")) location.reload();
  }

  #node(id: string, change: string): void {
    for (const element of this.querySelectorAll(`[${DOM.flowNode}]`)) {
      const name = element.getAttribute(DOM.flowNode);
      if (name === id) setStatus(element, change);
      // An item of a fan-out. A durable step of its worker (`look/0#fetch`) is not an item.
      else if (id.startsWith(`${name}/`) && !id.includes("#")) countNode(element, id, change);
    }
  }

  /** Progress of a node belongs to the node's element. Progress of a worker that runs alone belongs to the graph's element. */
  #progress({ node, value, note }: FlowEvent): void {
    const owner = [...this.querySelectorAll(`[${DOM.flowNode}]`)].find(
      (each) => each.getAttribute(DOM.flowNode) === node,
    );
    for (const element of shown(owner ?? this, "progress")) {
      if (typeof value === "number") element.setAttribute("value", String(value));
    }
    if (typeof note === "string") for (const element of shown(owner ?? this, "note")) element.textContent = note;
  }

  #log({ level, message }: FlowEvent): void {
    for (const list of shown(this, "log")) {
      const line = document.createElement("li");
      line.dataset["level"] = String(level);
      line.textContent = String(message);
      list.append(line);
      if (list.childElementCount > MOST_LINES) list.firstElementChild?.remove();
    }
  }
}

/** The items of a fan-out whose events say that they are done or have failed. */
interface Items {
  _done: Set<string>;
  _failed: Set<string>;
  /** Number of done items in the page as the server rendered it. */
  _before: number;
}

const fanOuts = new WeakMap<Element, Items>();

/** Updates the counters of a fan-out's element. One item may become ready, done and failed more than once: once per attempt. */
function countNode(element: Element, id: string, change: string): void {
  const count = (what: string): number => Number(element.getAttribute(`data-${what}`));
  const items = fanOuts.get(element) ?? { _done: new Set(), _failed: new Set(), _before: count("done") };
  fanOuts.set(element, items);
  items._done.delete(id);
  items._failed.delete(id);
  if (change === "done") items._done.add(id);
  if (change === "failed") items._failed.add(id);
  const total = Math.max(count("total"), Number(id.split("/").at(-1)) + 1);
  const done = Math.min(total, items._before + items._done.size);
  for (const [what, value] of Object.entries({ total, done })) {
    element.setAttribute(`data-${what}`, `${value}`);
    for (const each of shown(element, what)) each.textContent = `${value}`;
  }
  for (const each of shown(element, "progress")) {
    each.setAttribute("max", `${total}`);
    each.setAttribute("value", `${done}`);
  }
  setStatus(element, items._failed.size > 0 ? "failed" : done === total ? "done" : "started");
}

function setStatus(element: Element, change: string): void {
  const status = STATUSES[change] ?? change;
  if (element.getAttribute("data-status") === status) return;
  element.setAttribute("data-status", status);
  for (const each of shown(element, "status")) each.textContent = status;
}

/** The elements that show a value of `owner` itself, not of a node inside it. */
function shown(owner: Element, what: string): Element[] {
  return [...owner.querySelectorAll(`[${DOM.flow}="${what}"]`)].filter(
    (element) => element.closest(`[${DOM.flowNode}],${DOM.flowTag}`) === owner,
  );
}

onSight(() => {
  for (const each of followers) each._follow();
});
customElements.define(DOM.flowTag, Flow);

let liveWaitMs = FIRST_WAIT_MS;

/** Loads the module that updates widgets (src/ops/widgets), if the page has any. */
function loadParts(): void {
  if (!document.querySelector(DOM.liveTag)) return;
  retryableImport(PATHS.flowLive).catch(() => {
    setTimeout(loadParts, liveWaitMs);
    liveWaitMs = Math.min(liveWaitMs * 2, LONGEST_WAIT_MS);
  });
}
loadParts();
addEventListener(DOM.navigated, loadParts);
