/**
 * Inline in pages with late pieces: moves a piece that has arrived to the place that was kept for it
 * (docs/resume-protocol.md section 7). Budget: 300 bytes, so names are short and nothing is imported.
 */

import type {} from "../runtime/stub.ts";

declare global {
  var $piece: (id: number) => void;
}

$piece = (id) => {
  const host = document.querySelector(`[data-svc-piece="${id}"]`)!;
  // Browsers without declarative shadow roots leave the template as it is.
  const root = host.shadowRoot ?? (host.firstChild as HTMLTemplateElement).content;
  // The last node is for browsers without script.
  root.lastChild!.remove();
  document.querySelector(`[data-svc-wait="${id}"]`)?.replaceWith(...root.childNodes);
  host.remove();
  dispatchEvent(new Event("svc:piece"));
};
