/** `<Modal>`: a dialog in front of the page. The platform's `<dialog>`; scripts only where it lacks something of it (decision 030). */
import type { Child, Markup } from "../../jsx/element.ts";
import type { ClassValue } from "../../../platform/shared/class-style.ts";
import { escapeAttribute } from "../../../platform/shared/escape.ts";
import { requireId } from "./element-id.ts";
import { Html } from "../html.ts";
import { classOf } from "./popup.ts";
import { currentRender } from "../current-page.ts";
import { t } from "../write.ts";

export interface ModalProps {
  /** Letters, digits, `-` and `_`. Any `<button command="show-modal" commandfor={id}>` of the page opens it. */
  id: string;
  /** Its heading, by which it is told to those who don't see it. */
  title: Child;
  /** Content of a button that opens it. Left out where the page has buttons of its own for it. */
  label?: Child;
  /**
   * What closes it besides its own buttons: `any` Escape and clicks beside it, `closerequest` Escape, `none` nothing. Default: `any`.
   */
  closedby?: "any" | "closerequest" | "none";
  /** Name of the button that closes it. Default: `Close`. */
  closeLabel?: string;
  class?: ClassValue;
  /** Of the button that opens it. */
  buttonClass?: ClassValue;
  /** A `<form method="dialog">` in it closes it. */
  children?: Child;
}

/**
 * A dialog that the rest of the page waits behind: the focus stays in it and goes back to where it was; dialogs may open dialogs. Works
 * without JavaScript in browsers that know `command`; a link to `#id` opens it in all others, beside the page's own content.
 * @throws SvcError `SVC_DEFINITION` for an id that can't be.
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
    // Behind the content in the order of the document: what opens first has the focus.
    const close = `<form method="dialog" class="svc-modal-close"><button class="svc-icon-button svc-close" aria-label="${name}"></button></form><a class="svc-modal-close svc-icon-button svc-close" href="#" aria-label="${name}"></a>`;
    return `${button}${open}<h2 id="${id}-title" class="svc-modal-title">${t(props.title)}</h2><div class="svc-modal-body">${t(props.children)}</div>${close}</dialog>`;
  });
}
