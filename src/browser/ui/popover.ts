/** `popover`, `popovertarget` and their methods and events, where the platform has none (WHATWG HTML section 6.12). */
import { DOM } from "../../shared/wire.ts";
import { lower, raise, takeFocus } from "./layers.ts";

/** Open popovers that close by a click elsewhere, the outermost first. */
const open: HTMLElement[] = [];
const focusBack = new WeakMap<HTMLElement, () => void>();

const isOpen = (element: Element): boolean => element.hasAttribute(DOM.open);
const isAuto = (element: Element): boolean => element.getAttribute("popover") !== "manual";

export function installPopovers(): void {
  const { prototype } = HTMLElement;
  if (typeof prototype.showPopover === "function") return;
  Object.defineProperties(prototype, {
    showPopover: method(show),
    hidePopover: method(hide),
    togglePopover: method((element, force?: boolean | { force?: boolean }) => {
      const wanted = typeof force === "object" ? force.force : force;
      if (wanted ?? !isOpen(element)) show(element);
      else hide(element);
      return isOpen(element);
    }),
  });
  addEventListener("click", onClick);
  addEventListener("pointerdown", (event) => closeAround(event.target));
}

function method<Rest extends unknown[]>(call: (element: HTMLElement, ...rest: Rest) => unknown): PropertyDescriptor {
  return {
    configurable: true,
    writable: true,
    value(this: HTMLElement, ...rest: Rest) {
      if (!this.hasAttribute("popover"))
        throw new DOMException("The element has no popover attribute", "NotSupportedError");
      return call(this, ...rest);
    },
  };
}

function show(element: HTMLElement): void {
  if (isOpen(element)) return;
  if (!tell(element, "beforetoggle", "closed", "open")) return;
  if (isAuto(element)) {
    closeAround(element);
    open.push(element);
    raise(element, () => hide(element));
  }
  element.setAttribute(DOM.open, "");
  focusBack.set(element, takeFocus(element, "[autofocus]"));
  queueMicrotask(() => tell(element, "toggle", "closed", "open"));
}

function hide(element: HTMLElement): void {
  if (!isOpen(element)) return;
  tell(element, "beforetoggle", "open", "closed");
  element.removeAttribute(DOM.open);
  lower(element);
  const at = open.indexOf(element);
  if (at >= 0) open.splice(at, 1);
  focusBack.get(element)?.();
  queueMicrotask(() => tell(element, "toggle", "open", "closed"));
}

/** @returns whether nobody objects. */
function tell(element: HTMLElement, type: string, oldState: string, newState: string): boolean {
  const event = new Event(type, { cancelable: newState === "open" && type === "beforetoggle" });
  return element.dispatchEvent(Object.assign(event, { oldState, newState }));
}

/** A button that opens or closes; prevented, for a browser that half knows popovers would do it once more. */
function onClick(event: MouseEvent): void {
  const button = event.target instanceof Element ? event.target.closest("[popovertarget]") : null;
  const target = targetOf(button);
  if (!button || !target || event.defaultPrevented) return;
  event.preventDefault();
  const action = button.getAttribute("popovertargetaction");
  const isWanted = action === "show" || (action !== "hide" && !isOpen(target));
  if (isWanted) show(target);
  else hide(target);
}

function targetOf(button: Element | null): HTMLElement | null {
  const id = button?.getAttribute("popovertarget");
  const found = id ? document.getElementById(id) : null;
  return found?.hasAttribute("popover") ? found : null;
}

/** Closes what `target` is neither in nor the button of. */
function closeAround(target: EventTarget | null): void {
  const at = target instanceof Element ? target : null;
  const button = at?.closest("[popovertarget]") ?? null;
  const kept = open.findLastIndex((each) => each.contains(at) || each === targetOf(button));
  for (const each of open.slice(kept + 1).reverse()) hide(each);
}
