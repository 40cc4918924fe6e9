/** `<Toasts>`: where messages are shown that come and go, and what the server has to say at once. */
import type { Child, Markup } from "../../jsx/element.ts";
import { escapeAttribute } from "../../../platform/shared/escape.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { Html } from "../html.ts";
import { currentRender } from "../current-page.ts";
import { t } from "../write.ts";

export interface ToastsProps {
  /** What is to be said with this page, such as the outcome of a form; stays as long as the page. Nothing where it is empty. */
  flash?: Child;
  /** What it is about, as colour and sign. Default: `info`. */
  tone?: "info" | "good" | "warn" | "bad";
  /** Name of the place for those who don't see it. Default: `Notifications`. */
  "aria-label"?: string;
  /** Name of the button that closes a message. Default: `Close`. */
  closeLabel?: string;
}

/**
 * Once in a page, at its end: `toast("Saved")` of any handler is shown in it. Two live regions, for what is told in its turn and for what
 * is told at once; they are there before any message, or screen readers would miss the first.
 */
export function Toasts(props: ToastsProps): Markup {
  const { flash, tone = "info", "aria-label": name = "Notifications", closeLabel = "Close" } = props;
  return new Html(() => {
    currentRender().features.use();
    const text = t(flash);
    const reported =
      text === "" ? "" : `<div class="svc-toast" data-tone="${escapeAttribute(tone)}"><p>${text}</p></div>`;
    const open = `<section class="svc-toasts" ${DOM.toasts}="${escapeAttribute(closeLabel)}" aria-label="${escapeAttribute(name)}">`;
    return `${open}<div role="status">${reported}</div><div role="alert"></div></section>`;
  });
}
