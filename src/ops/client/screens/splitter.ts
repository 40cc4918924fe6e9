/**
 * `ops-splitter.js`: the bar between two panes of a screen, which makes one wider and the other narrower, by dragging, by the arrow keys,
 * Home and End; a double click gives the width back that the screen has by itself. It is remembered in this browser. After the window
 * splitter of the ARIA Authoring Practices. Loaded where there are panes; without script there is none.
 */

import { keep, kept } from "./local-settings.ts";

const KEPT = "svc-ops-split";
/** Share of the first pane in per cent: both keep room for a line of text. */
const LEAST = 30;
const MOST = 80;
const STEP = 2;

/** What was chosen before, or undefined. */
function chosen(): number | undefined {
  const share = Number(kept(KEPT));
  return share >= LEAST && share <= MOST ? share : undefined;
}

/** @param split two panes beside each other */
function addSplitter(split: HTMLElement): void {
  const [first, second] = split.children;
  if (!first || !second) return;
  const bar = document.createElement("div");
  bar.className = "splitter";
  bar.role = "separator";
  bar.tabIndex = 0;
  bar.ariaOrientation = "vertical";
  bar.ariaLabel = split.dataset["split"] ?? "";
  bar.title = "Drag, or use the arrow keys; a double click resets it";
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
  // Windows become wider, too.
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
