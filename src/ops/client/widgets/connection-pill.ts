/**
 * The pill of a widget: how it is with the connection that follows it. Those who hear the page are told when that is lost and when it is
 * back, but not of a page that nobody saw for a while: they would be each time they come back to it.
 */
import { DOM } from "../../../platform/shared/wire.ts";

export type State = "live" | "paused" | "reconnecting" | "offline" | "over";

const WORDS: Record<State, string> = {
  live: "live",
  paused: "paused",
  reconnecting: "reconnecting",
  offline: "offline",
  over: "reload to go on",
};

/**
 * @param isSaid whether another widget of the page tells those who hear it
 * @param leftS seconds until it connects again; the last of them is not told of any more
 * @returns whether this one does
 */
export function report(widget: HTMLElement, state: State, isSaid: boolean, leftS = 0): boolean {
  const pill = pillOf(widget);
  const ear = widget.querySelector("[data-say]");
  widget.toggleAttribute(DOM.flowLive, state === "live");
  if (!pill) return false;
  const { pill: before } = pill.dataset;
  const isNew = before !== state;
  const isQuiet = state === "paused" || (before === "paused" && state === "live");
  // Before its text: what is heard is what it is then.
  if (isNew) pill.ariaLive = isQuiet ? "off" : null;
  pill.hidden = false;
  pill.dataset["pill"] = state;
  if (isNew || state === "live") pill.textContent = WORDS[state];
  if (state === "reconnecting") countDown(pill, leftS);
  if (!isSaid && before && isNew && !isQuiet && ear) ear.textContent = WORDS[state];
  return pill.role === "status" || ear !== null;
}

/** Of a widget that is followed no more for now. One whose connection was lost before goes on to say so. */
export function pause(widget: HTMLElement): void {
  if (pillOf(widget)?.dataset["pill"] === "live") report(widget, "paused", false);
}

function pillOf(widget: HTMLElement): HTMLElement | null {
  return widget.querySelector("[data-pill]");
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
