/** `toast.js`: messages that come and go, in the live regions of `<Toasts>`. For pages whose handlers call it. */
import { DOM } from "../../../platform/shared/wire.ts";

interface ToastOptions {
  tone?: string;
  isUrgent?: boolean;
  action?: string;
  onAction?: () => void;
  timeout?: number | string;
}

/** Older ones make room: nobody reads a wall of them. */
const MOST = 4;
const SHORT = "6s";
/** A visitor has to find the button before pressing it. */
const LONG = "12s";

/**
 * Those that run, the oldest first: how each ends, and its time. That is an animation of nothing, which the platform can hold and let go on;
 * waiting is its delay, in which a browser draws no frames for it.
 */
const shown = new Map<Element, [end: () => void, time: Animation | false]>();

/** Where the focus was before it came to a toast. */
let before: HTMLElement | undefined;

/** No page's content, so it stays where the page becomes another. */
const make = (tag: string, name: string, text = ""): HTMLElement => {
  const made = Object.assign(document.createElement(tag), { className: name, textContent: text });
  made.setAttribute(DOM.own, "");
  return made;
};

/** For pages that have no `<Toasts>`. */
const makeRegions = (): Element => {
  const made = make("section", "svc-toasts");
  made.setAttribute(DOM.toasts, "Close");
  made.ariaLabel = "Notifications";
  for (const role of ["status", "alert"]) made.appendChild(make("div", "")).role = role;
  document.body.append(made);
  return made;
};

for (const type of ["pointerover", "pointerout", "focusin", "focusout", "visibilitychange"])
  addEventListener(
    type,
    () =>
      // What the focus has left is known behind the event. Held are those that are looked at, and all while nobody looks at the page.
      queueMicrotask(() =>
        shown.forEach(
          ([, time], toast) =>
            time && (document.hidden || toast.matches(":hover,:focus-within") ? time.pause() : time.play()),
        ),
      ),
    true,
  );

/** Shows a message; see src/app/pages/toast.ts. */
export function toast(message: string, options: ToastOptions = {}): () => void {
  const { tone = "info", isUrgent = tone === "bad", action, onAction } = options;
  // A number, `"6s"` or `"800ms"`.
  const timeout = `${options.timeout ?? (action ? LONG : SHORT)}`;
  const timeoutMs = parseFloat(timeout) * (/\ds/.test(timeout) ? 1e3 : 1);
  const regions = document.querySelector(`[${DOM.toasts}]`) ?? makeRegions();
  const element = make("div", "svc-toast");
  element.dataset["tone"] = tone;
  const end = (): void => {
    if (!shown.delete(element)) return;
    const hadFocus = element.contains(document.activeElement);
    element.remove();
    if (hadFocus) before?.focus();
  };
  element.append(make("p", "", message));
  if (action) {
    const button = make("button", "svc-button", action);
    button.onclick = () => {
      end();
      onAction?.();
    };
    element.append(button);
  }
  const close = make("button", "svc-icon-button svc-close");
  close.ariaLabel = regions.getAttribute(DOM.toasts);
  close.onclick = end;
  element.append(close);
  element.addEventListener("keydown", ({ key }) => key === "Escape" && end());
  element.addEventListener("focusin", ({ relatedTarget }) => {
    if (!element.contains(relatedTarget as Node)) before = relatedTarget as HTMLElement;
  });
  const time = timeoutMs > 0 && element.animate(null, { delay: timeoutMs });
  if (time) {
    time.onfinish = end;
    if (document.hidden) time.pause();
  }
  shown.set(element, [end, time]);
  // Live regions tell of what comes into them, not of what they are made with.
  setTimeout(() => shown.has(element) && regions.children[+isUrgent]!.append(element));
  for (const [old] of [...shown.values()].slice(0, -MOST)) old();
  return end;
}
