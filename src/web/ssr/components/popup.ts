/** `<Popup>`: a button and what it opens beside itself. The platform's popover and anchors; scripts only where it lacks them (decision 030). */
import type { Child, Markup } from "../../jsx/element.ts";
import { classText, type ClassValue } from "../../../platform/shared/class-style.ts";
import { escapeAttribute } from "../../../platform/shared/escape.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { requireId } from "./element-id.ts";
import { Html } from "../html.ts";
import { currentRender } from "../current-page.ts";
import { at, t } from "../write.ts";

const SIDES = ["bottom", "top", "left", "right"] as const;

/** The side of its button, and which of their edges are in line: `bottom-start` begins where the button begins. */
export type PopupPlacement = (typeof SIDES)[number] | `${(typeof SIDES)[number]}-${"start" | "end"}`;

const PLACEMENTS: ReadonlySet<string> = new Set(SIDES.flatMap((side) => [side, `${side}-start`, `${side}-end`]));

export interface PopupProps {
  /** Of what opens: letters, digits, `-` and `_`. Any `<button popovertarget={id}>` of the page opens it. */
  id: string;
  /** Content of its button. Left out where the page has buttons of its own for it. */
  label?: Child;
  /** Name of the button for those who don't see it, where the label is no text. */
  "aria-label"?: string;
  /** Where it stands; on the other side, or moved along, where it would not fit. Default: `bottom-start`. */
  placement?: PopupPlacement;
  /**
   * `menu`: what is in it are `<button role="menuitem">`, `<a role="menuitem">` and the like; arrows, Home, End and letters move
   * among them, Tab leaves, and choosing one closes it.
   */
  role?: "menu";
  class?: ClassValue;
  /** Of the button. */
  buttonClass?: ClassValue;
  children?: Child;
}

/**
 * A button, and what it opens above the page: closed by Escape, by a click elsewhere and by the button, after which the button has
 * the focus again. Works without JavaScript in browsers that know popovers.
 * @throws SvcError `SVC_DEFINITION` for an id or placement that can't be.
 */
export function Popup(props: PopupProps): Markup {
  const id = requireId("Popup", props.id);
  const { placement = "bottom-start", role } = props;
  if (!PLACEMENTS.has(placement)) {
    const known = [...PLACEMENTS].join(", ");
    throw new SvcError(
      "SVC_DEFINITION",
      `<Popup placement=${JSON.stringify(placement)}> knows no such place; there are ${known}.`,
    );
  }
  return new Html(() => {
    currentRender().features.use("place", ...(role === "menu" ? (["menu"] as const) : []));
    const hasButton = props.label !== undefined && props.label !== null;
    // What has a name has a role too; without a button of ours it has neither.
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

/** @returns what stands between the quotes of a class attribute. */
export function classOf(own: string, given: ClassValue): string {
  const more = classText(given);
  return more === "" ? own : `${own} ${escapeAttribute(more)}`;
}
