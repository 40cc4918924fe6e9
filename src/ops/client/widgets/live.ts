/**
 * `flow-live.js`: updates the widgets of a page over as few connections as possible (stream.ts). Each widget is a `<svc-live data-src
 * data-at>`; the server sends named parts as HTML, and rows to append. Updates wait for the next animation frame, and each frame applies a
 * bounded number (update-queue.ts).
 */
import { DOM, PATHS } from "../../../platform/shared/wire.ts";
import { forget, morph } from "../../../web/client/navigation/morph.ts";
import { retryableImport } from "../../../web/client/runtime/retryable-import.ts";
import { UpdateQueue, type Step } from "./update-queue.ts";
import { parsed, tick } from "./markup.ts";
import { pause } from "./connection-pill.ts";
import { FIRST_WAIT_MS, LONGEST_WAIT_MS } from "./stream-retry.ts";
import { isUnseen, onSight } from "./page-visibility.ts";
import { Stream, type Patch, type Receiver } from "./stream.ts";

/** The exports of flow-log.js. */
interface LogPart {
  equip(widget: Element): void;
  append(widget: Element, rows: readonly Element[], skipped: number, behindGap: number): void;
  settled(widget: Element): void;
}

/** The exports of flow-graph.js. */
interface GraphPart {
  equip(widget: Element): void;
  patched(widget: Element): void;
}

/** Minimum time between two announcements to screen readers. */
const SAY_MS = 5000;

/** Update interval of a page in the background, which gets no animation frames. */
const HIDDEN_MS = 250;

/** Selector of a log's rows. */
const LOG = "[data-rows]";

const widgets = new Set<HTMLElement>();
const backlog = new UpdateQueue<HTMLElement>();
let isScheduled = false;
let streams: Stream[] = [];
let isQueued = false;
/** Number of connection attempts. */
let attempt = 0;
/** Delay before modules that failed to load are requested again. */
let partWaitMs = FIRST_WAIT_MS;
let logPart: LogPart | undefined;
let graphPart: GraphPart | undefined;
/** How far the server's clock is ahead of this one; 0 until the server reports it. */
let aheadMs = 0;

/** Whether the current change of an attribute comes from the stream. */
let isTaking = false;

class Live extends HTMLElement {
  static observedAttributes = ["data-src", "data-at"];

  /** Navigation replaced this widget's attributes: pending updates are outdated and may belong to another graph. */
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
    pause(this);
    backlog._rest(this, show);
    queue();
  }
}

/** Batches changes: widgets usually connect and disconnect together. */
function queue(): void {
  if (isQueued) return;
  isQueued = true;
  queueMicrotask(() => {
    isQueued = false;
    void connect();
  });
}

async function connect(): Promise<void> {
  for (const stream of streams) stream._close();
  const mine = ++attempt;
  const all = [...widgets];
  if (isUnseen) return all.forEach(pause);
  if (all.length === 0) return;
  const isWhole = await loadParts(all);
  for (const widget of all) equip(widget);
  // The page may have changed while the modules loaded.
  if (mine !== attempt) return;
  if (!isWhole) {
    setTimeout(() => mine === attempt && queue(), partWaitMs);
    partWaitMs = Math.min(partWaitMs * 2, LONGEST_WAIT_MS);
  }
  // Without the log module, rows would be lost.
  const followed = all.filter((widget) => logPart || !widget.querySelector(LOG));
  const before = streams;
  streams = [];
  for (let from = 0; from < followed.length; from += DOM.liveMost)
    streams.push(new Stream(followed.slice(from, from + DOM.liveMost), receiver, before[streams.length]));
}

/** @returns false if one of them failed to load. Widgets that do not need it are followed meanwhile. */
async function loadParts(all: readonly Element[]): Promise<boolean> {
  const needs = (selector: string): boolean => all.some((widget) => widget.querySelector(selector));
  const nothing = (): undefined => undefined;
  const [needsLog, needsGraph] = [needs(LOG), needs(".svc-view")];
  if (needsLog) logPart ??= (await retryableImport(PATHS.flowLog).catch(nothing)) as LogPart | undefined;
  if (needsGraph) graphPart ??= (await retryableImport(PATHS.flowGraph).catch(nothing)) as GraphPart | undefined;
  return !((needsLog && !logPart) || (needsGraph && !graphPart));
}

function equip(widget: Element): void {
  graphPart?.equip(widget);
  logPart?.equip(widget);
}

const receiver: Receiver = {
  _ahead: (ms) => (aheadMs = ms),
  _take: ({ _followed }, patches, positions, hasGap) => {
    isTaking = true;
    positions.forEach((at, number) => _followed[number]?.setAttribute("data-at", at));
    isTaking = false;
    for (const patch of patches) add(_followed[patch.on], patch, hasGap);
    schedule();
  },
  _renewed: ({ _followed }, addresses) => {
    isTaking = true;
    addresses.forEach((src, number) => (_followed[number]!.dataset["src"] = src));
    isTaking = false;
  },
};

function add(widget: HTMLElement | undefined, { parts = {}, rows = [], skipped = 0 }: Patch, hasGap: boolean): void {
  if (widget) backlog._add(widget, parts, rows, skipped, hasGap);
}

/** Applies pending updates in the next animation frame, or on a timer if the page is hidden. */
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

/** Replaces a part with the server's HTML, or appends rows. */
function show({ _widget, _part, _rows, _skipped, _behindGap }: Step<HTMLElement>): void {
  if (_rows) logPart?.append(_widget, parsed(_rows.join(""), _widget), _skipped, _behindGap);
  if (!_part) return;
  const old = _widget.querySelector(`[data-part="${CSS.escape(_part[0])}"]`);
  const [next] = old ? parsed(_part[1], old) : [];
  if (!old || !next) return;
  if (old.localName === next.localName) morph(old, next);
  else old.replaceWith(next);
}

const said = new WeakMap<Element, number>();

/** Announces the widget's summary to screen readers, at most every five seconds. */
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
// The network is back: connect without waiting for the retry timer.
addEventListener("online", () => streams.some(({ _isDown }) => _isDown) && queue());
// A page that navigation put here lacks what this script adds.
addEventListener(DOM.arrived, () => {
  for (const widget of widgets) equip(widget);
  for (const stream of streams) stream._reportAgain();
});
onSight(queue);
customElements.define(DOM.liveTag, Live);
