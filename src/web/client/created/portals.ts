/** `portals.js`: `<Portal>` with any content in a row or branch. Its content is in one element, which has no box of its own. */
import { DOM } from "../../../platform/shared/wire.ts";
import { I, V, type View } from "../bindings/create.ts";
import { slotsAt, watch } from "../runtime/core.ts";
import type { Slots } from "../runtime/types.ts";

interface PortalProps {
  readonly to?: string;
  readonly children?: unknown;
}

/** Number of portals created in this page. */
let made = 0;

export const Portal = (props: PortalProps): View =>
  V(() => {
    const name = `c${++made}`;
    const anchor = document.createElement("template");
    const content = document.createElement(DOM.portalTag);
    content.style.display = "contents";
    for (const element of [anchor, content]) element.setAttribute(DOM.portal, name);
    // The anchor is not in the document yet. Events of the content find the scope around the anchor by this attribute. Queued before the
    // content is made, because that queues callbacks which may cause events, and because a portal within it looks for this one.
    queueMicrotask(() => {
      const scope = anchor.closest(`[${DOM.scope}]`);
      if (!scope) return;
      content.setAttribute(DOM.scope, scope.getAttribute(DOM.scope)!);
      // The scope does not end with the portal.
      content[slotsAt] = Object.assign(Object.create(scope[slotsAt] ?? null) as Slots, { _end: undefined });
    });
    const text = new Text();
    content.append(text);
    I(text, () => props.children);
    (document.querySelector(props.to ?? "body") ?? document.body).append(content);
    watch(
      () => {},
      () => {},
      true,
      () => content.remove(),
    );
    return anchor;
  });
