/** Marks the content that enhanced navigation replaces while the layout around it stays (src/web/client/navigation/client-navigation.ts). */
import { SvcError } from "../../../platform/shared/errors.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { Html } from "../html.ts";
import { t } from "../write.ts";

/**
 * Marks content with a key that identifies the layout around it. Navigation between two pages with the same key keeps the layout and
 * replaces only the content. For pages with `navigation: "enhanced"`.
 * @param key letters and digits. Use the same key only for the same layout with the same data.
 * @throws SvcError `SVC_DEFINITION` for an invalid key
 */
export function outlet(key: string, content: unknown): Html {
  if (!/^\w+$/.test(key))
    throw new SvcError(
      "SVC_DEFINITION",
      `${JSON.stringify(key)} can't be the key of an outlet. Use letters and digits.`,
    );
  return new Html(() => `<!--${DOM.slot}${key}-->${t(content)}<!--${DOM.slotEnd}-->`);
}
