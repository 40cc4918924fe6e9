/** `toast.js`: messages that come and go, in the live regions of `<Toasts>`. For pages whose handlers call it. */
import { DOM } from "../shared/wire.ts";
import { countdown, type Countdown } from "./countdown.ts";

interface ToastOptions {
  tone?: string;
  isUrgent?: boolean;
  action?: string;
  onAction?: () => void;
  timeoutMs?: number;
}

/** Older ones make room: nobody reads a wall of them. */
const MOST = 4;
const SHORT_MS = 6000;
/** Who is to press a button has to find it first. */
const LONG_MS = 12_000;

const timers = { now: () => performance.now(), set: setTimeout, clear: clearTimeout };

/** Those that run, the oldest first. */
const shown = new Map<Element, { end: () => void; clock: Countdown | undefined }>();

/** Where the focus was before it came to a toast. */
let before: HTMLElement | undefined;

const make = (tag: string, name: string, text = ""): HTMLElement => {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  return element;
};

const regions = (): Element => {
  const found = document.querySelector(`[${DOM.toasts}]`);
  if (found) return found;
  const made = make("section", "svc-toasts");
  made.setAttribute(DOM.toasts, "Close");
  made.ariaLabel = "Notifications";
  for (const role of ["status", "alert"]) made.appendChild(make("div", "")).setAttribute("role", role);
  document.body.append(made);
  return made;
};

/** Holds those that are looked at, and all while nobody looks at the page. */
const judge = (): void =>
  shown.forEach(({ clock }, toast) => {
    if (document.hidden || toast.matches(":hover,:focus-within")) clock?.hold();
    else clock?.goOn();
  });

for (const type of ["pointerover", "pointerout", "focusin", "focusout", "visibilitychange"])
  // What the focus has left is known behind the event.
  addEventListener(type, () => queueMicrotask(judge), true);

/** Shows a message; see src/app/toast.ts. */
export function toast(message: string, options: ToastOptions = {}): () => void {
  const { tone = "info", isUrgent = tone === "bad", action, onAction } = options;
  const { timeoutMs = action ? LONG_MS : SHORT_MS } = options;
  const region = regions();
  const element = make("div", "svc-toast");
  element.dataset["tone"] = tone;
  const end = (): void => {
    if (!shown.delete(element)) return;
    const hadFocus = element.contains(document.activeElement);
    element.remove();
    clock?.hold();
    if (hadFocus) before?.focus();
  };
  const clock = timeoutMs > 0 ? countdown(timeoutMs, end, timers) : undefined;
  element.append(make("p", "", message));
  if (action) {
    const button = element.appendChild(make("button", "svc-button", action));
    button.onclick = () => {
      end();
      onAction?.();
    };
  }
  const close = element.appendChild(make("button", "svc-icon-button svc-close"));
  close.ariaLabel = region.getAttribute(DOM.toasts);
  close.onclick = end;
  element.addEventListener("keydown", ({ key }) => key === "Escape" && end());
  element.addEventListener("focusin", ({ relatedTarget }) => {
    if (!element.contains(relatedTarget as Node)) before = relatedTarget as HTMLElement;
  });
  shown.set(element, { end, clock });
  // Live regions tell of what comes into them, not of what they are made with.
  setTimeout(() => shown.has(element) && region.children[isUrgent ? 1 : 0]!.append(element));
  [...shown.values()].slice(0, -MOST).forEach((each) => each.end());
  return end;
}
