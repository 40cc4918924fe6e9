/** `portal.js`: portals inside rows and branches, for pages that have any. */
import { DOM } from "../../../platform/shared/wire.ts";
import { isResuming, scoped, slotsAt, watch } from "../runtime/core.ts";
import type { Slots } from "../runtime/types.ts";

/** Number of portals created in this page. */
let made = 0;

/**
 * @param anchor marks the portal's place in the source.
 * @param to selector of the element to append the content to; the body if nothing matches.
 */
export const Portal = (
  anchor: Element,
  to: unknown,
  make: () => Element,
  bind: 0 | ((slots: Slots | 0, element: Element) => void),
  $: Slots | 0,
): void => {
  const isServers = isResuming();
  const place = DOM.portal;
  const content = isServers
    ? document.querySelector(`[${place}="${anchor.getAttribute(place)}"]:not(template)`)!
    : make();
  // A component that the browser creates has no slots. The content is in no other element with slots, and events find none without them.
  content[slotsAt] = $ || ({} as Slots);
  if (!isServers) {
    const name = `b${++made}`;
    anchor.setAttribute(place, name);
    content.setAttribute(place, name);
    // The anchor enters the document after it is bound, so the scope is looked up later. Events find their scope by this attribute.
    queueMicrotask(() => {
      const scope = anchor.closest(`[${DOM.scope}]`)?.getAttribute(DOM.scope);
      if (scope) content.setAttribute(DOM.scope, scope);
    });
  }
  const stop = scoped(isServers, () => bind && bind($, content));
  // Bound before it is inserted: a ref may focus an element at once, and the event needs the scope.
  if (!isServers) (document.querySelector(String(to ?? "body")) ?? document.body).append(content);
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
