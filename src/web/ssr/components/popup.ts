/** `<Popup>`: a button with a popover. It uses native popovers and CSS anchors, and scripts only in browsers without them (decision 030). */
import type { Child, Markup } from "../../jsx/element.ts";
import { classText, type ClassValue } from "../../../platform/shared/html/class-style.ts";
import { escapeAttribute } from "../../../platform/shared/html/escape.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { requireId } from "./element-id.ts";
import { Html } from "../html.ts";
import { currentRender } from "../current-page.ts";
import { at, t } from "../write.ts";

const SIDES = ["bottom", "top", "left", "right"] as const;

/** Side of the button, and alignment: `bottom-start` aligns the start edges of the popup and the button. */
export type PopupPlacement = (typeof SIDES)[number] | `${(typeof SIDES)[number]}-${"start" | "end"}`;

const PLACEMENTS: ReadonlySet<string> = new Set(SIDES.flatMap((side) => [side, `${side}-start`, `${side}-end`]));

export interface PopupProps {
  /** Id of the popover: letters, digits, `-` and `_`. Any `<button popovertarget={id}>` of the page opens it. */
  id: string;
  /** Content of the button. Omit it if the page has its own button. */
  label?: Child;
  /** Accessible name of the button, for labels without text. */
  "aria-label"?: string;
  /** Position. The popup flips to the other side, or shifts, if it does not fit. Default: `bottom-start`. */
  placement?: PopupPlacement;
  /**
   * `menu`: the content consists of items such as `<button role="menuitem">` and `<a role="menuitem">`. Arrow keys, Home, End and
   * letters move between items, Tab leaves the menu, and choosing an item closes it.
   */
  role?: "menu";
  class?: ClassValue;
  /** Class of the button. */
  buttonClass?: ClassValue;
  children?: Child;
}

/**
 * Renders a button and its popover. Escape, a click outside or the button closes it, and focus returns to the button. Works without
 * JavaScript in browsers that support popovers.
 * @throws SvcError `SVC_DEFINITION` for an invalid id or placement.
 * @example
 * <Popup id="file" label="File" role="menu">
 *   <button role="menuitem" onClick={() => void count.value++}>
 *     Copy
 *   </button>
 * </Popup>
 */
export function Popup(props: PopupProps): Markup {
  const id = requireId("Popup", props.id);
  const { placement = "bottom-start", role } = props;
  if (!PLACEMENTS.has(placement)) {
    const known = [...PLACEMENTS].join(", ");
    throw new SvcError(
      "SVC_DEFINITION",
      `<Popup placement=${JSON.stringify(placement)}>: unknown placement. Use one of ${known}.`,
    );
  }
  return new Html(() => {
    currentRender().features.use("place", ...(role === "menu" ? (["menu"] as const) : []));
    const hasButton = props.label !== undefined && props.label !== null;
    // An element with an accessible name needs a role. Without our own button the popover has no name.
    const name = hasButton ? ` aria-labelledby="${id}-button" style="position-anchor:--${id}"` : "";
    const kind = role ?? (hasButton ? "dialog" : undefined);
    const open = `<div id="${id}" popover class="${classOf("svc-popup", props.class)}" ${DOM.place}="${placement}"${at(' role="', kind)}${name}>`;
    return (hasButton ? buttonOf(id, props) : "") + open + t(props.children) + "</div>";
  });
}

function buttonOf(id: string, props: PopupProps): string {
  const kind = props.role === "menu" ? "menu" : "dialog";
  const label = at(' aria-label="', props["aria-label"]);
  const open = `<button type="button" id="${id}-button" class="${classOf("svc-button", props.buttonClass)}" popovertarget="${id}" aria-haspopup="${kind}" style="anchor-name:--${id}"${label}>`;
  return `${open}${t(props.label)}</button>`;
}

/** @returns the escaped value of a class attribute. */
export function classOf(own: string, given: ClassValue): string {
  const more = classText(given);
  return more === "" ? own : `${own} ${escapeAttribute(more)}`;
}
