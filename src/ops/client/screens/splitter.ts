/**
 * `ops-splitter.js`: a bar between two panes that resizes them by dragging, with the arrow keys, or with Home and End. A double click
 * restores the default widths. The width is stored in this browser. Follows the window splitter pattern of the ARIA Authoring Practices.
 * Loaded only where there are panes; without script there is no bar.
 */

import { keep, kept } from "./local-settings.ts";

const KEPT = "svc-ops-split";
/** Bounds for the first pane's share, in percent: both panes keep room for a line of text. */
const LEAST = 30;
const MOST = 80;
const STEP = 2;

/** The stored share, or undefined. */
function chosen(): number | undefined {
  const share = Number(kept(KEPT));
  return share >= LEAST && share <= MOST ? share : undefined;
}

/** @param split an element with two panes side by side */
function addSplitter(split: HTMLElement): void {
  const [first, second] = split.children;
  if (!first || !second) return;
  const bar = document.createElement("div");
  bar.className = "splitter";
  bar.role = "separator";
  bar.tabIndex = 0;
  bar.ariaOrientation = "vertical";
  bar.ariaLabel = split.dataset["split"] ?? "";
  bar.title = "Drag or use the arrow keys; double-click to reset";
  bar.ariaValueMin = String(LEAST);
  bar.ariaValueMax = String(MOST);
  if (first.id) bar.setAttribute("aria-controls", first.id);
  second.before(bar);

  const measured = (): number => {
    const [left, right] = [first.getBoundingClientRect().width, second.getBoundingClientRect().width];
    return Math.round((left / (left + right)) * 100);
  };
  const report = (): void => {
    bar.ariaValueNow = String(measured());
    bar.ariaValueText = `${bar.ariaValueNow} %`;
  };
  const set = (share: number | undefined): void => {
    const bounded = share === undefined ? undefined : Math.min(MOST, Math.max(LEAST, Math.round(share)));
    split.style.setProperty("--ops-split", bounded === undefined ? "" : `${bounded}fr`);
    split.style.setProperty("--ops-rest", bounded === undefined ? "" : `${100 - bounded}fr`);
    keep(KEPT, bounded?.toString());
    report();
  };

  bar.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -STEP, ArrowRight: STEP, Home: -100, End: 100 };
    const step = steps[event.key as keyof typeof steps];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    set(measured() + step);
  });
  // The window may have been resized.
  bar.addEventListener("focus", report);
  bar.addEventListener("dblclick", () => set(undefined));
  bar.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    bar.setPointerCapture(event.pointerId);
  });
  bar.addEventListener("pointermove", ({ pointerId, clientX }) => {
    if (!bar.hasPointerCapture(pointerId)) return;
    const { left } = first.getBoundingClientRect();
    const { right } = second.getBoundingClientRect();
    set(((clientX - left) / (right - left)) * 100);
  });
  set(chosen());
}

for (const split of document.querySelectorAll<HTMLElement>("[data-split]")) addSplitter(split);
