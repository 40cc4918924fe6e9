/** Polyfills `command` and `commandfor` of buttons and `closedby` of dialogs (WHATWG HTML sections 4.10.6 and 4.11.4). */
import { aim } from "./button-targets.ts";

/** Closes a dialog as Escape does, so a listener of `cancel` may prevent it. */
const requestClose = (dialog: HTMLDialogElement, value?: string): void => {
  if (dialog.open && dialog.dispatchEvent(new Event("cancel", { cancelable: true }))) dialog.close(value);
};

if (!("command" in HTMLButtonElement.prototype))
  addEventListener("click", (event) => {
    const { _button, _target } = aim(event.target, "commandfor");
    if (!_target || event.defaultPrevented) return;
    const dialog = _target as HTMLDialogElement & Record<string, ((value?: string) => void) | undefined>;
    const command = _button!.getAttribute("command")!;
    const value = _button!.value || undefined;
    if (command === "request-close") requestClose(dialog, value);
    else if (command === "close") dialog.close(value);
    else if (!dialog.open && /^(show-modal|(show|hide|toggle)-popover)$/.test(command))
      dialog[command.replace(/-./, ([, letter]) => letter!.toUpperCase())]?.();
  });

if (!("closedBy" in HTMLDialogElement.prototype)) {
  /** The dialog, if a click hit its backdrop: the browser reports those clicks on the dialog itself. */
  const beside = ({ target, clientX, clientY }: MouseEvent): HTMLDialogElement | null => {
    const dialog = target as HTMLDialogElement;
    if (!dialog.matches?.('[closedby="any"]')) return null;
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    return clientX < left || clientX > right || clientY < top || clientY > bottom ? dialog : null;
  };
  /** The dialog if the press began on its backdrop. Selecting text and releasing outside must not close the dialog. */
  let pressed: HTMLDialogElement | null;
  addEventListener("pointerdown", (event) => (pressed = beside(event)));
  addEventListener("click", (event) => {
    const dialog = beside(event);
    if (dialog && dialog === pressed) requestClose(dialog);
  });
  addEventListener(
    "cancel",
    (event) => {
      if (event.isTrusted && (event.target as Element).matches('[closedby="none"]')) event.preventDefault();
    },
    true,
  );
}
