/**
 * `flow-live.js`: one connection for all the widgets of a page. Each stands in a `<svc-live data-src data-at>`; what the server sends are its
 * parts as HTML, by name, and rows to append. Every message says where each widget stands then, so that a connection that broke goes on
 * from there, whichever server answers. What comes waits for the next frame, and a frame takes only so much (backlog.ts).
 */
import { DOM, PATHS } from "../../shared/wire.ts";
import { forget, morph } from "../morph.ts";
import { Backlog, type Step } from "./backlog.ts";
import { parsed, tick } from "./markup.ts";
import { FIRST_WAIT_MS, isRefused, LONGEST_WAIT_MS } from "./refused.ts";
import { isUnseen, onSight } from "./sight.ts";

interface Patch {
  on: number;
  parts?: Record<string, string>;
  rows?: string[];
  skipped?: number;
}

/** What flow-log.js does. */
interface LogPart {
  equip(widget: Element): void;
  append(widget: Element, rows: readonly Element[], skipped: number, behindGap: number): void;
  settled(widget: Element): void;
}

/** What flow-graph.js does. */
interface GraphPart {
  equip(widget: Element): void;
  patched(widget: Element): void;
}

type State = "live" | "reconnecting" | "offline" | "over";

const WORDS: Record<State, string> = {
  live: "live",
  reconnecting: "reconnecting",
  offline: "offline",
  over: "reload to go on",
};
/** Screen readers are told no more often. */
const SAY_MS = 5000;

/** A page in the background is brought up to date this often: browsers give it no frames. */
const HIDDEN_MS = 250;

/** Where rows of a log stand. */
const LOG = "[data-rows]";

const widgets = new Set<HTMLElement>();
const backlog = new Backlog<HTMLElement>();
let isScheduled = false;
let source: EventSource | undefined;
/** In the order of the address. */
let followed: HTMLElement[] = [];
let isQueued = false;
/** Counts connections that were begun. */
let attempt = 0;
let waitMs = FIRST_WAIT_MS;
/** Until parts that did not come are asked for again, together with the rest. */
let partWaitMs = FIRST_WAIT_MS;
let hasGap = false;
let logPart: LogPart | undefined;
let graphPart: GraphPart | undefined;
let told: State | undefined;
/** How far the server's clock is ahead of this one's, as far as it has told. */
let aheadMs = 0;

/** Whether it is the stream that writes where a widget stands. */
let isTaking = false;

class Live extends HTMLElement {
  static observedAttributes = ["data-src", "data-at"];

  /** Another page has taken this one's place: what stands here is as old as that, and may be of another graph. */
  attributeChangedCallback(_name: string, old: string | null): void {
    if (old === null || isTaking) return;
    forget(this);
    backlog._rest(this, () => undefined);
    queue();
  }

  connectedCallback(): void {
    widgets.add(this);
    queue();
  }

  disconnectedCallback(): void {
    widgets.delete(this);
    backlog._rest(this, show);
    queue();
  }
}

/** Widgets come and go together: one connection is enough for them all. */
function queue(): void {
  if (isQueued) return;
  isQueued = true;
  queueMicrotask(() => {
    isQueued = false;
    void connect();
  });
}

async function connect(): Promise<void> {
  source?.close();
  source = undefined;
  const mine = ++attempt;
  const all = [...widgets];
  if (all.length === 0 || isUnseen) return;
  const isWhole = await loadParts(all);
  for (const widget of all) equip(widget);
  // While parts were on their way the page may have changed.
  if (mine !== attempt) return;
  if (!isWhole) {
    setTimeout(() => mine === attempt && queue(), partWaitMs);
    partWaitMs = Math.min(partWaitMs * 2, LONGEST_WAIT_MS);
  }
  // Rows that came where nothing takes them would be lost.
  followed = all.filter((widget) => logPart || !widget.querySelector(LOG));
  if (followed.length > 0) follow(addressOf(followed));
}

/** @returns false where one of them has not come: what needs it not is followed meanwhile. */
async function loadParts(all: readonly Element[]): Promise<boolean> {
  const needs = (selector: string): boolean => all.some((widget) => widget.querySelector(selector));
  const nothing = (): undefined => undefined;
  const [needsLog, needsGraph] = [needs(LOG), needs(".svc-view")];
  if (needsLog) logPart ??= (await import(PATHS.flowLog).catch(nothing)) as LogPart | undefined;
  if (needsGraph) graphPart ??= (await import(PATHS.flowGraph).catch(nothing)) as GraphPart | undefined;
  return !((needsLog && !logPart) || (needsGraph && !graphPart));
}

function addressOf(all: readonly HTMLElement[]): URL {
  const url = new URL(all[0]!.dataset["src"]!, location.href);
  url.search = "";
  for (const { dataset } of all) {
    url.searchParams.append("on", new URL(dataset["src"]!, location.href).searchParams.get("on")!);
    url.searchParams.append("at", dataset["at"]!);
  }
  return url;
}

function equip(widget: Element): void {
  graphPart?.equip(widget);
  logPart?.equip(widget);
}

function follow(url: URL): void {
  const mine = (source = new EventSource(url));
  mine.onopen = () => {
    waitMs = FIRST_WAIT_MS;
    // What was on its way when the network went may open still.
    tell(navigator.onLine ? "live" : "offline");
  };
  mine.addEventListener(DOM.liveNow, ({ data }: MessageEvent<string>) => (aheadMs = Number(data) - Date.now()));
  mine.onmessage = ({ data, lastEventId }) => take(JSON.parse(data as string) as Patch[], lastEventId);
  mine.onerror = () => {
    hasGap = true;
    // When the browser would try again, nobody is told: it is done here.
    const isRefused = mine.readyState === EventSource.CLOSED;
    mine.close();
    if (isRefused) void askWhy(mine, url);
    else again(mine);
  };
}

/** The browser has given up: a proxy without a server behind it, or an address that is good no more. */
async function askWhy(mine: EventSource, url: URL): Promise<void> {
  tell("reconnecting");
  const isOver = await isRefused(url);
  if (mine !== source) return;
  if (isOver) return tell("over");
  again(mine);
}

/** Connects in a while, and says in how many seconds: later each time, and by the clock, for pages in the background have few timers. */
function again(mine: EventSource): void {
  const dueMs = performance.now() + waitMs;
  waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  const wait = (): void => {
    if (mine !== source) return;
    const leftMs = dueMs - performance.now();
    tell(navigator.onLine ? "reconnecting" : "offline", Math.ceil(leftMs / 1000));
    if (leftMs <= 0) void connect();
    else setTimeout(wait, leftMs % 1000 || 1000);
  };
  wait();
}

function take(patches: readonly Patch[], lastEventId: string): void {
  isTaking = true;
  lastEventId.split(" ").forEach((at, number) => followed[number]?.setAttribute("data-at", at));
  isTaking = false;
  for (const { on, parts = {}, rows = [], skipped = 0 } of patches) {
    const widget = followed[on];
    if (widget) backlog._add(widget, parts, rows, skipped, hasGap);
  }
  hasGap = false;
  schedule();
}

/** What has come is put in place before the next frame; of a page that nobody sees, now and then. */
function schedule(): void {
  if (isScheduled || backlog._isEmpty) return;
  isScheduled = true;
  if (document.hidden) setTimeout(flush, HIDDEN_MS);
  else requestAnimationFrame(flush);
}

function flush(): void {
  isScheduled = false;
  const touched = backlog._slice(show, () => performance.now());
  for (const widget of touched) {
    graphPart?.patched(widget);
    logPart?.settled(widget);
    tick(widget, Date.now() + aheadMs);
    say(widget);
    widget.dispatchEvent(new Event(DOM.flowPatch, { bubbles: true }));
  }
  schedule();
}

/** A part becomes what the server says that it is; rows come behind those that are there. */
function show({ _widget, _part, _rows, _skipped, _behindGap }: Step<HTMLElement>): void {
  if (_rows) logPart?.append(_widget, parsed(_rows.join(""), _widget), _skipped, _behindGap);
  if (!_part) return;
  const old = _widget.querySelector(`[data-part="${CSS.escape(_part[0])}"]`);
  const [next] = old ? parsed(_part[1], old) : [];
  if (!old || !next) return;
  if (old.localName === next.localName) morph(old, next);
  else old.replaceWith(next);
}

/** @param leftS seconds until it connects again; the last of them is not told of any more */
function tell(state: State, leftS = 0): void {
  told = state;
  let isHeard = false;
  for (const widget of followed) {
    const pill = widget.querySelector<HTMLElement>("[data-pill]");
    const ear = widget.querySelector("[data-say]");
    widget.toggleAttribute(DOM.flowLive, state === "live");
    if (!pill) continue;
    const { pill: before } = pill.dataset;
    pill.hidden = false;
    pill.dataset["pill"] = state;
    if (before !== state || state === "live") pill.textContent = WORDS[state];
    if (state === "reconnecting") countDown(pill, leftS);
    // Those who hear the page are told once, by whichever is heard: that it was lost, and that it is back.
    if (!isHeard && before && before !== state && ear) ear.textContent = WORDS[state];
    isHeard ||= pill.role === "status" || ear !== null;
  }
}

/** For those who see it: a number that changes each second is not read aloud. */
function countDown(pill: Element, leftS: number): void {
  let left = pill.firstElementChild;
  if (!left) {
    left = document.createElement("span");
    left.ariaHidden = "true";
    pill.append(left);
  }
  left.textContent = leftS > 0 ? ` in ${leftS} s` : "…";
}

const said = new WeakMap<Element, number>();

/** The sum of it all for those who listen, at most every five seconds. */
function say(widget: Element): void {
  const summary = widget.querySelector(".svc-summary");
  const ear = widget.querySelector("[data-say]");
  if (!summary || !ear || said.has(ear)) return;
  said.set(
    ear,
    setTimeout(() => {
      said.delete(ear);
      ear.textContent = summary.textContent;
    }, SAY_MS),
  );
}

setInterval(() => {
  for (const widget of widgets) tick(widget, Date.now() + aheadMs);
}, 1000);
// Nobody waits for what may work at once.
addEventListener("online", () => source?.readyState === EventSource.CLOSED && queue());
// A page that has taken this one's place has nothing that was put here.
addEventListener(DOM.arrived, () => {
  for (const widget of widgets) equip(widget);
  if (told) tell(told);
});
onSight(queue);
customElements.define(DOM.liveTag, Live);
