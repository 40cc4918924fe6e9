/** `portal.js`: content of rows and branches that stands elsewhere in the page. For pages that have any. */
import { DOM } from "../../../platform/shared/wire.ts";
import { isResuming, scoped, slotsAt, watch } from "../runtime/core.ts";
import type { Slots } from "../runtime/types.ts";

/** How many have been made here. */
let made = 0;

/**
 * @param anchor what stands in the content's stead.
 * @param to selector of the element at whose end it is put; where there is none, at that of the body.
 */
export const Portal = (
  anchor: Element,
  to: unknown,
  make: () => Element,
  bind: 0 | ((slots: Slots, element: Element) => void),
  $: Slots,
): void => {
  const isServers = isResuming();
  const place = DOM.portal;
  const content = isServers
    ? document.querySelector(`[${place}="${anchor.getAttribute(place)}"]:not(template)`)!
    : make();
  slotsAt.set(content, $);
  if (!isServers) {
    const name = `b${++made}`;
    anchor.setAttribute(place, name);
    content.setAttribute(place, name);
    // The anchor is put into the page after it is bound. Events find their scope by this attribute.
    queueMicrotask(() => {
      const scope = anchor.closest(`[${DOM.scope}]`)?.getAttribute(DOM.scope);
      if (scope) content.setAttribute(DOM.scope, scope);
    });
    (document.querySelector(String(to ?? "body")) ?? document.body).append(content);
  }
  const stop = scoped(isServers, () => bind && bind($, content));
  const end = (): void => {
    stop();
    content.remove();
  };
  watch(
    () => {},
    () => {},
    true,
    end,
  );
};
