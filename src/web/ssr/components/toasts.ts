/** `<Toasts>`: the area for temporary messages, and for a message that the server renders with the page. */
import type { Child, Markup } from "../../jsx/element.ts";
import { escapeAttribute } from "../../../platform/shared/html/escape.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { Html } from "../html.ts";
import { currentRender } from "../current-page.ts";
import { t } from "../write.ts";

export interface ToastsProps {
  /** Message rendered with the page, such as the result of a form. It stays as long as the page. Nothing is shown if it is empty. */
  flash?: Child;
  /** Color and icon of `flash`. Default: `info`. */
  tone?: "info" | "good" | "warn" | "bad";
  /** Accessible name of the area. Default: `Notifications`. */
  "aria-label"?: string;
  /** Accessible name of the button that closes a message. Default: `Close`. */
  closeLabel?: string;
}

/**
 * Use it once, at the end of a page. It shows the messages of `toast("Saved")` from any handler. It contains a polite and an assertive
 * live region. Both exist before the first message, because screen readers would miss it otherwise.
 * @example
 * <body>
 *   <main>Content</main>
 *   <Toasts />
 * </body>
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
