/** `<dialog>` with `show`, `showModal`, `close`, `returnValue` and `<form method="dialog">`, where the platform has none (WHATWG HTML section 4.11.4). */
import { DOM } from "../../shared/wire.ts";
import { lower, raise, takeFocus } from "./layers.ts";

const FOCUSABLE = "button,[href],input,select,textarea,[tabindex]";
const focusBack = new WeakMap<HTMLElement, () => void>();
const returnValues = new WeakMap<HTMLElement, string>();

export function installDialogs(): void {
  // Browsers without dialogs know the element as one that they don't know.
  const { prototype } = self.HTMLDialogElement ?? HTMLUnknownElement;
  if (typeof (prototype as Partial<HTMLDialogElement>).showModal === "function") return;
  const value = (call: (element: HTMLElement, text?: string) => void): PropertyDescriptor => ({
    configurable: true,
    writable: true,
    value(this: HTMLElement, text?: string) {
      call(this, text);
    },
  });
  Object.defineProperties(prototype, {
    show: value((element) => element.setAttribute("open", "")),
    showModal: value(showModal),
    close: value(close),
    returnValue: {
      configurable: true,
      get(this: HTMLElement) {
        return returnValues.get(this) ?? "";
      },
      set(this: HTMLElement, text: string) {
        returnValues.set(this, text);
      },
    },
  });
  addEventListener("submit", onSubmit);
  addEventListener("focusin", keepFocus);
}

/** Modal dialogs, the outermost first. */
const modal: HTMLElement[] = [];

function showModal(element: HTMLElement): void {
  if (element.hasAttribute("open")) throw new DOMException("The dialog is open already", "InvalidStateError");
  element.setAttribute("open", "");
  element.setAttribute(DOM.modal, "");
  element.setAttribute("aria-modal", "true");
  if (!element.hasAttribute("role")) element.setAttribute("role", "dialog");
  modal.push(element);
  raise(element, () => {
    if (element.dispatchEvent(new Event("cancel", { cancelable: true }))) close(element);
  });
  focusBack.set(element, takeFocus(element, FOCUSABLE));
}

function close(element: HTMLElement, returnValue?: string): void {
  if (!element.hasAttribute("open")) return;
  if (returnValue !== undefined) returnValues.set(element, returnValue);
  for (const name of ["open", DOM.modal, "aria-modal"]) element.removeAttribute(name);
  lower(element);
  const at = modal.indexOf(element);
  if (at >= 0) modal.splice(at, 1);
  focusBack.get(element)?.();
  queueMicrotask(() => element.dispatchEvent(new Event("close")));
}

function onSubmit(event: SubmitEvent): void {
  const form = event.target as HTMLFormElement;
  const method = event.submitter?.getAttribute("formmethod") ?? form.getAttribute("method");
  const dialog = method === "dialog" && !event.defaultPrevented ? form.closest<HTMLElement>("dialog[open]") : null;
  if (!dialog) return;
  event.preventDefault();
  close(dialog, event.submitter?.getAttribute("value") ?? undefined);
}

/** What is behind a modal dialog is out of reach. */
function keepFocus(event: FocusEvent): void {
  const top = modal.at(-1);
  if (top && !top.contains(event.target as Node)) top.querySelector<HTMLElement>(FOCUSABLE)?.focus();
}
