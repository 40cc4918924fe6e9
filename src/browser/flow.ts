/**
 * `flow.js`: keeps markup that the server wrote of a graph up to date, by the graph's event stream (contract section 4). The page has
 * `<svc-flow src="…/events?token=…&after=12">` around it; without script it stays as it was written. Which element shows what is told by
 * attributes (docs/guide/graphs.md), and what an element shows is its own state: `data-status`, `data-done`, `data-total`.
 */
import { DOM, PATHS } from "../shared/wire.ts";

/** What is read of an event. */
interface FlowEvent {
  seq: number;
  type: string;
  node?: string;
  value?: unknown;
  note?: unknown;
  level?: unknown;
  message?: unknown;
}

/** Lines of a log that are kept: a page may be open for days. */
const MOST_LINES = 500;

const GRAPH_STATUS: Readonly<Record<string, string>> = {
  "graph.queued": "pending",
  "graph.started": "running",
  "graph.resumed": "running",
  "graph.paused": "paused",
  "graph.done": "done",
  "graph.failed": "failed",
};

const NODE_STATUS: Readonly<Record<string, string>> = {
  "node.ready": "pending",
  "node.started": "running",
  "node.retrying": "retrying",
  "node.waiting": "waiting",
  "node.done": "done",
  "node.failed": "failed",
  "node.skipped": "skipped",
};

class Flow extends HTMLElement {
  #source: EventSource | undefined;
  #lastSeq = 0;
  /** The last event was an end; of a graph that was run again there are earlier ones, and events behind them. */
  #hasEnded = false;

  connectedCallback(): void {
    const source = new EventSource(this.getAttribute("src") ?? "");
    this.#source = source;
    source.onopen = () => this.setAttribute(DOM.flowLive, "");
    // Behind the last end the server closes the stream, which would be asked for again and again.
    source.onerror = () => {
      this.removeAttribute(DOM.flowLive);
      if (this.#hasEnded) this.#end();
    };
    source.onmessage = ({ data }) => this.#take(JSON.parse(data as string) as FlowEvent);
  }

  disconnectedCallback(): void {
    this.#source?.close();
  }

  #take(event: FlowEvent): void {
    // After a connection that broke, what was seen may come once more.
    if (event.seq <= this.#lastSeq) return;
    this.#lastSeq = event.seq;
    if (event.type in NODE_STATUS) this.#node(event.node ?? "", event.type);
    else if (event.type === "progress") this.#progress(event);
    else if (event.type === "log") this.#log(event);
    else setStatus(this, GRAPH_STATUS[event.type]);
    this.dispatchEvent(new CustomEvent(DOM.flowEvent, { bubbles: true, detail: event }));
    this.#hasEnded = event.type === "graph.done" || event.type === "graph.failed";
  }

  #end(): void {
    this.#source?.close();
    if (this.hasAttribute("reload")) location.reload();
  }

  #node(id: string, type: string): void {
    for (const element of this.querySelectorAll(`[${DOM.flowNode}]`)) {
      const name = element.getAttribute(DOM.flowNode);
      if (name === id) setStatus(element, NODE_STATUS[type]);
      // Of an item; what its worker did under a key (`look/0#fetch`) is no item.
      else if (id.startsWith(`${name}/`) && !id.includes("#")) countNode(element, id, type);
    }
  }

  /** A worker's is its node's; one of a worker alone stands for the graph. */
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

/** The items of a fan-out of which something has come, and how many there were, and were done, in the page as it was. */
interface Items {
  total: number;
  doneBefore: number;
  done: Set<string>;
  failed: Set<string>;
}

const fanOuts = new WeakMap<Element, Items>();

function itemsOf(element: Element): Items {
  const known = fanOuts.get(element);
  if (known) return known;
  const [total, doneBefore] = ["data-total", "data-done"].map((name) => Number(element.getAttribute(name))) as [
    number,
    number,
  ];
  const items = { total, doneBefore, done: new Set<string>(), failed: new Set<string>() };
  fanOuts.set(element, items);
  return items;
}

/** A node of a fan-out: one for each item of a list. It may be ready, done and failed more than once: each time it is tried. */
function countNode(element: Element, id: string, type: string): void {
  const items = itemsOf(element);
  items.total = Math.max(items.total, Number(id.slice(id.lastIndexOf("/") + 1)) + 1);
  for (const [set, name] of [
    [items.done, "node.done"],
    [items.failed, "node.failed"],
  ] as const) {
    if (type === name) set.add(id);
    else set.delete(id);
  }
  const { total } = items;
  const done = Math.min(total, items.doneBefore + items.done.size);
  for (const [what, count] of Object.entries({ total, done })) {
    element.setAttribute(`data-${what}`, String(count));
    for (const each of shown(element, what)) each.textContent = String(count);
  }
  for (const each of shown(element, "progress")) {
    each.setAttribute("max", String(total));
    each.setAttribute("value", String(done));
  }
  setStatus(element, items.failed.size > 0 ? "failed" : done === total ? "done" : "running");
}

function setStatus(element: Element, status: string | undefined): void {
  if (status === undefined || element.getAttribute("data-status") === status) return;
  element.setAttribute("data-status", status);
  for (const each of shown(element, "status")) each.textContent = status;
}

/** The elements that show something of `owner` itself, and not of a node inside of it. */
function shown(owner: Element, what: string): Element[] {
  return [...owner.querySelectorAll(`[${DOM.flow}="${what}"]`)].filter(
    (element) => element.closest(`[${DOM.flowNode}],${DOM.flowTag}`) === owner,
  );
}

customElements.define(DOM.flowTag, Flow);

/** Widgets (src/fullstack/flow) have parts of their own. */
function loadParts(): void {
  if (document.querySelector(DOM.liveTag)) void import(PATHS.flowLive);
}
loadParts();
addEventListener(DOM.navigated, loadParts);
