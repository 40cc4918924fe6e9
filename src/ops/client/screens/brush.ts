/**
 * `ops-brush.js`: selects a range by dragging along an axis, or with the arrow keys along its columns. Loaded only on screens with such an
 * axis. The range goes into the URL under two names, so the result is a page like any other. The server writes the scale into `data-brush`:
 * pairs of a position in percent of the width and the URL value for it. Numbers between two pairs are interpolated; with `data-brush-snaps`
 * the range ends at one of the positions.
 */

type Mark = readonly [percent: number, value: string | number];
interface Range {
  from: number;
  to: number;
}

/** A shorter movement is a click. */
const LEAST_PX = 5;
/** Tolerance: percentages are written with three digits. */
const NEAR = 0.01;

const veil = document.createElement("div");
veil.className = "brush";

function marksOf(plot: HTMLElement): Mark[] {
  return JSON.parse(plot.dataset["brush"] ?? "[]") as Mark[];
}

function plotOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>("[data-brush]") : null;
}

/** The position along the plot, in percent. */
function percentAt(plot: HTMLElement, clientX: number): number {
  const { left, width } = (plot.querySelector("[data-brush-track]") ?? plot).getBoundingClientRect();
  return Math.min(100, Math.max(0, ((clientX - left) / width) * 100));
}

/** The selected range. If the plot has columns, it covers whole columns. */
function snapped(plot: HTMLElement, { from, to }: Range): Range {
  if (!plot.hasAttribute("data-brush-snaps")) return { from, to };
  const stops = marksOf(plot).map(([percent]) => percent);
  return { from: stops.findLast((stop) => stop <= from) ?? 0, to: stops.find((stop) => stop >= to) ?? 100 };
}

function valueAt(plot: HTMLElement, percent: number): string {
  const marks = marksOf(plot);
  const after = Math.max(
    0,
    marks.findIndex(([at]) => at >= percent - NEAR),
  );
  const [at = 0, value = ""] = marks[after] ?? [];
  const [before = 0, low = 0] = marks[after - 1] ?? [];
  if (typeof value === "string" || typeof low === "string" || at <= before) return String(value);
  return String(Math.round(low + ((percent - before) / (at - before)) * (value - low)));
}

function show(plot: HTMLElement, { from, to }: Range): void {
  const track = plot.querySelector<HTMLElement>("[data-brush-track]");
  const [left, width] = [track?.offsetLeft ?? 0, track?.offsetWidth ?? plot.offsetWidth];
  veil.style.left = `${left + (from / 100) * width}px`;
  veil.style.width = `${((to - from) / 100) * width}px`;
  if (veil.parentElement !== plot) plot.append(veil);
  // A part that is being used is not refreshed.
  plot.closest("[data-live]")?.setAttribute("data-held", "");
}

function hide(): void {
  veil.closest("[data-live]")?.removeAttribute("data-held");
  veil.remove();
}

/** @param range undefined: clears the selection */
function choose(plot: HTMLElement, range: Range | undefined): void {
  const url = new URL(location.href);
  const names = (plot.dataset["brushNames"] ?? "").split(" ");
  for (const [at, name] of names.entries()) {
    const value = range ? valueAt(plot, at === 0 ? range.from : range.to) : "";
    if (value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  url.searchParams.delete("cursor");
  hide();
  if (url.href !== location.href) location.assign(url);
}

let drag: { plot: HTMLElement; pointer: number; from: number; to: number; fromX: number; isMoved: boolean } | undefined;

function rangeOf({ plot, from, to }: NonNullable<typeof drag>): Range {
  return snapped(plot, { from: Math.min(from, to), to: Math.max(from, to) });
}

addEventListener("pointerdown", (event) => {
  const plot = plotOf(event.target);
  if (!plot || event.button !== 0 || !event.isPrimary) return;
  const from = percentAt(plot, event.clientX);
  drag = { plot, pointer: event.pointerId, from, to: from, fromX: event.clientX, isMoved: false };
});

addEventListener("pointermove", ({ pointerId, clientX }) => {
  if (drag?.pointer !== pointerId) return;
  if (!drag.isMoved && Math.abs(clientX - drag.fromX) < LEAST_PX) return;
  if (!drag.isMoved) drag.plot.setPointerCapture(pointerId);
  drag.isMoved = true;
  drag.to = percentAt(drag.plot, clientX);
  show(drag.plot, rangeOf(drag));
});

addEventListener("pointerup", () => {
  const ended = drag;
  drag = undefined;
  if (!ended?.isMoved) return;
  // The click that follows would open the link where the drag began.
  addEventListener("click", stop, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", stop, { capture: true }));
  choose(ended.plot, rangeOf(ended));
});

addEventListener("pointercancel", () => {
  drag = undefined;
  hide();
});

/** Rows are links, which the browser would drag. */
addEventListener("dragstart", (event) => {
  if (plotOf(event.target)) event.preventDefault();
});

function stop(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

addEventListener("dblclick", ({ target }) => {
  const plot = plotOf(target);
  if (plot) choose(plot, undefined);
});

/** The column where a range selected with Shift and the arrow keys begins. */
let anchor: Element | undefined;

function columns(plot: HTMLElement): (HTMLElement | SVGElement)[] {
  return [...plot.querySelectorAll<SVGElement>("svg a")];
}

/** The range from one column to another, in percent. */
function between(plot: HTMLElement, one: Element, other: Element): Range {
  const all = columns(plot);
  const [low = 0, high = 0] = [one, other].map((column) => all.indexOf(column as SVGElement)).toSorted((a, b) => a - b);
  return { from: (low / all.length) * 100, to: ((high + 1) / all.length) * 100 };
}

addEventListener(
  "keydown",
  (event) => {
    const { key, shiftKey, target } = event;
    if (key === "Escape" && (drag || veil.isConnected)) {
      [drag, anchor] = [undefined, undefined];
      hide();
      return stop(event);
    }
    const plot = plotOf(target);
    const column = target instanceof SVGElement ? target : undefined;
    if (!plot?.hasAttribute("data-brush-snaps") || !column) return;
    if (key === "Enter" && anchor && veil.isConnected) {
      event.preventDefault();
      return choose(plot, between(plot, anchor, column));
    }
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    event.preventDefault();
    const all = columns(plot);
    const next = all[all.indexOf(column) + (key === "ArrowLeft" ? -1 : 1)];
    if (!next) return;
    next.focus();
    if (shiftKey) {
      anchor ??= column;
      show(plot, between(plot, anchor, next));
    } else {
      anchor = undefined;
      hide();
    }
  },
  { capture: true },
);
