/** `<Modal>`: a modal dialog. It uses the native `<dialog>`, and scripts only for features that a browser lacks (decision 030). */
import type { Child, Markup } from "../../jsx/element.ts";
import type { ClassValue } from "../../../platform/shared/html/class-style.ts";
import { escapeAttribute } from "../../../platform/shared/html/escape.ts";
import { requireId } from "./element-id.ts";
import { Html } from "../html.ts";
import { classOf } from "./popup.ts";
import { currentRender } from "../current-page.ts";
import { t } from "../write.ts";

export interface ModalProps {
  /** Letters, digits, `-` and `_`. Any `<button command="show-modal" commandfor={id}>` of the page opens it. */
  id: string;
  /** Heading, also the accessible name of the dialog. */
  title: Child;
  /** Content of the button that opens the dialog. Omit it if the page has its own button. */
  label?: Child;
  /**
   * How users can close the dialog besides its buttons. `any`: Escape and clicks outside. `closerequest`: Escape. `none`: only the
   * buttons. Default: `any`.
   */
  closedby?: "any" | "closerequest" | "none";
  /** Accessible name of the close button. Default: `Close`. */
  closeLabel?: string;
  class?: ClassValue;
  /** Class of the button that opens the dialog. */
  buttonClass?: ClassValue;
  /** Content. A `<form method="dialog">` inside closes the dialog when it is submitted. */
  children?: Child;
}

/**
 * Renders a modal dialog. Focus stays inside and returns to the previous element on close. A dialog may open another dialog. It works
 * without JavaScript in browsers that support `command`; in others, a link to `#id` opens it within the page's content.
 * @throws SvcError `SVC_DEFINITION` for an invalid id.
 * @example
 * <Modal id="confirm" title="Delete the file?" label="Delete …">
 *   <form method="dialog">
 *     <button>Delete</button>
 *   </form>
 * </Modal>
 */
export function Modal(props: ModalProps): Markup {
  const id = requireId("Modal", props.id);
  const { closedby = "any", closeLabel = "Close" } = props;
  return new Html(() => {
    currentRender().features.use("modal");
    const hasButton = props.label !== undefined && props.label !== null;
    const button = hasButton
      ? `<button type="button" class="${classOf("svc-button", props.buttonClass)}" command="show-modal" commandfor="${id}" aria-haspopup="dialog">${t(props.label)}</button>`
      : "";
    const name = escapeAttribute(closeLabel);
    const open = `<dialog id="${id}" class="${classOf("svc-modal", props.class)}" closedby="${escapeAttribute(closedby)}" aria-labelledby="${id}-title">`;
    // After the content in document order, because the dialog focuses its first focusable element when it opens.
    const close = `<form method="dialog" class="svc-modal-close"><button class="svc-icon-button svc-close" aria-label="${name}"></button></form><a class="svc-modal-close svc-icon-button svc-close" href="#" aria-label="${name}"></a>`;
    return `${button}${open}<h2 id="${id}-title" class="svc-modal-title">${t(props.title)}</h2><div class="svc-modal-body">${t(props.children)}</div>${close}</dialog>`;
  });
}
