/** `ui-modal.js`: `command` and `commandfor` of buttons, and `closedby` of dialogs, where the platform has none (WHATWG HTML sections 4.10.6 and 4.11.4). */

const isOutside = ({ clientX, clientY }: MouseEvent, dialog: Element): boolean => {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return clientX < left || clientX > right || clientY < top || clientY > bottom;
};

/** Closes as Escape would, which who listens may prevent. */
const requestClose = (dialog: HTMLDialogElement, value?: string): void => {
  if (dialog.open && dialog.dispatchEvent(new Event("cancel", { cancelable: true }))) dialog.close(value);
};

if (!("command" in HTMLButtonElement.prototype)) {
  addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>("[commandfor]") : null;
    const target = button && document.getElementById(button.getAttribute("commandfor")!);
    if (!target || button.disabled || event.defaultPrevented) return;
    const command = button.getAttribute("command");
    const value = button.getAttribute("value") ?? undefined;
    if (target instanceof HTMLDialogElement) {
      if (command === "show-modal" && !target.open) target.showModal();
      else if (command === "close" && target.open) target.close(value);
      else if (command === "request-close") requestClose(target, value);
    } else if (command === "toggle-popover") target.togglePopover();
    else if (command === "show-popover") target.showPopover();
    else if (command === "hide-popover") target.hidePopover();
  });
}

if (!self.HTMLDialogElement || !("closedBy" in HTMLDialogElement.prototype)) {
  /** Where the press began: who selects text and lets go beside the dialog did not mean to close it. */
  let pressed: EventTarget | null = null;
  addEventListener("pointerdown", (event) => {
    const { target } = event;
    pressed = target instanceof Element && isOutside(event, target) ? target : null;
  });
  addEventListener("click", (event) => {
    // What is behind a modal dialog tells of clicks as the dialog's own.
    const { target } = event;
    if (!(target instanceof HTMLElement) || target !== pressed || !isOutside(event, target)) return;
    if (target.matches('dialog[closedby="any"]')) requestClose(target as HTMLDialogElement);
  });
  addEventListener(
    "cancel",
    (event) => {
      if (event.isTrusted && event.target instanceof Element && event.target.matches('dialog[closedby="none"]'))
        event.preventDefault();
    },
    true,
  );
}
