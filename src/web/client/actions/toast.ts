/** `toast.js`: shows messages in the live regions of `<Toasts>`. Loaded by pages whose handlers call it. */
import { DOM } from "../../../platform/shared/wire.ts";

interface ToastOptions {
  tone?: string;
  isUrgent?: boolean;
  action?: string;
  onAction?: () => void;
  timeout?: number | string;
}

/** Above this number the oldest toasts are removed: nobody reads a wall of them. */
const MOST = 4;
const SHORT = "6s";
/** Longer, because a visitor has to find the button before pressing it. */
const LONG = "12s";

/**
 * Visible toasts, oldest first, with the function that closes each and its timer. The timer is an animation without keyframes, because
 * the platform can pause and resume that. The wait is its delay, during which the browser renders no frames for it.
 */
const shown = new Map<Element, [end: () => void, time: Animation | false]>();

/** The element that had the focus before a toast got it. */
let before: HTMLElement | undefined;

/** Creates an element that is not part of the page, so that it survives a page swap. */
const make = (tag: string, name: string, text = ""): HTMLElement => {
  const made = Object.assign(document.createElement(tag), { className: name, textContent: text });
  made.setAttribute(DOM.own, "");
  return made;
};

/** The fallback for pages without `<Toasts>`. */
const makeRegions = (): Element => {
  const made = make("section", "svc-toasts");
  made.setAttribute(DOM.toasts, "Close");
  made.ariaLabel = "Notifications";
  for (const role of ["status", "alert"]) made.appendChild(make("div", "")).role = role;
  document.body.append(made);
  return made;
};

for (const type of ["mouseover", "mouseout", "focusin", "focusout", "visibilitychange"])
  addEventListener(
    type,
    () =>
      // In a microtask, when the focus has moved. Mouse events, because Firefox updates `:hover` after the pointer events.
      // A toast that is hovered or focused is paused, and all are while the page is hidden.
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
  // Screen readers announce insertions into a live region, but not its initial content.
  setTimeout(() => shown.has(element) && regions.children[+isUrgent]!.append(element));
  for (const [old] of [...shown.values()].slice(0, -MOST)) old();
  return end;
}
