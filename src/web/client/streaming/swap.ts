/**
 * Inlined in pages with deferred content: moves content that has arrived to its placeholder
 * (docs/resume-protocol.md section 7). Budget: 300 bytes, so names are short and nothing is imported.
 */

import type {} from "../runtime/stub.ts";

declare global {
  var $piece: (id: number) => void;
}

$piece = (id) => {
  const host = document.querySelector(`[data-svc-piece="${id}"]`)!;
  // Browsers without declarative shadow roots leave the template element in place.
  const root = host.shadowRoot ?? (host.firstChild as HTMLTemplateElement).content;
  // The last node serves browsers without JavaScript.
  root.lastChild!.remove();
  document.querySelector(`[data-svc-wait="${id}"]`)?.replaceWith(...root.childNodes);
  host.remove();
  dispatchEvent(new Event("svc:piece"));
};
