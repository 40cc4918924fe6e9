/**
 * The connection pill of a widget. Screen readers hear when the connection is lost and when it is restored, but not when a page becomes
 * visible after being hidden: they would hear that on each return.
 */
import { DOM } from "../../../platform/shared/wire.ts";

export type State = "live" | "paused" | "reconnecting" | "offline" | "over";

const WORDS: Record<State, string> = {
  live: "live",
  paused: "paused",
  reconnecting: "reconnecting",
  offline: "offline",
  over: "reload to continue",
};

/**
 * @param isSaid whether another widget of the page announces the state to screen readers @param leftS seconds until the next connection
 * attempt; 0: unknown @returns whether this widget announces it
 */
export function report(widget: HTMLElement, state: State, isSaid: boolean, leftS = 0): boolean {
  const pill = pillOf(widget);
  const ear = widget.querySelector("[data-say]");
  widget.toggleAttribute(DOM.flowLive, state === "live");
  if (!pill) return false;
  const { pill: before } = pill.dataset;
  const isNew = before !== state;
  const isQuiet = state === "paused" || (before === "paused" && state === "live");
  // Before its text, because a live region announces text with the setting that it has then.
  if (isNew) pill.ariaLive = isQuiet ? "off" : null;
  pill.hidden = false;
  pill.dataset["pill"] = state;
  if (isNew || state === "live") pill.textContent = WORDS[state];
  if (state === "reconnecting") countDown(pill, leftS);
  if (!isSaid && before && isNew && !isQuiet && ear) ear.textContent = WORDS[state];
  return pill.role === "status" || ear !== null;
}

/** Marks a widget as paused. A widget whose connection was already lost keeps showing that. */
export function pause(widget: HTMLElement): void {
  if (pillOf(widget)?.dataset["pill"] === "live") report(widget, "paused", false);
}

function pillOf(widget: HTMLElement): HTMLElement | null {
  return widget.querySelector("[data-pill]");
}

/** Visible only: screen readers should not read a number that changes every second. */
function countDown(pill: Element, leftS: number): void {
  let left = pill.firstElementChild;
  if (!left) {
    left = document.createElement("span");
    left.ariaHidden = "true";
    pill.append(left);
  }
  left.textContent = leftS > 0 ? ` in ${leftS} s` : "…";
}
