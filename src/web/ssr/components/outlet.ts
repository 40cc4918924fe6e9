/** Content that enhanced navigation exchanges while what stands around it stays (src/web/client/navigation/client-navigation.ts). Owns its marks in the page. */
import { SvcError } from "../../../platform/shared/errors.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { Html } from "../html.ts";
import { t } from "../write.ts";

/**
 * Marks content by what stands around it: of two pages that have content under the same key, what is around it stays, and only
 * the content is exchanged. For pages whose `navigation` is `"enhanced"`.
 * @param key letters and digits; the same only for the same surroundings with the same data.
 * @throws SvcError `SVC_DEFINITION` for another key
 */
export function outlet(key: string, content: unknown): Html {
  if (!/^\w+$/.test(key))
    throw new SvcError(
      "SVC_DEFINITION",
      `${JSON.stringify(key)} can't be the key of an outlet; use letters and digits`,
    );
  return new Html(() => `<!--${DOM.slot}${key}-->${t(content)}<!--${DOM.slotEnd}-->`);
}
