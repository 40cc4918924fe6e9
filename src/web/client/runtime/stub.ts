/**
 * Inline in the head of every page with a script: from the first byte on it catches the events that the page uses, decides
 * what can't wait (`preventDefault`), and keeps them in order until the loader takes the queue over.
 * Budget: 200 bytes without the list of types, so names are short and nothing is imported.
 */
import type { EventQueue } from "./types.ts";

/** Replaced by the server with the types this page uses (src/web/ssr/render-page.ts). */
declare const __EVENTS__: string[];
/** Replaced too: listening in the capture phase, and whether the browser waits for what is decided about scrolling. */
declare const __EVENTS__HOW: boolean | AddEventListenerOptions;

declare global {
  var $svc: EventQueue;
  interface Event {
    _way: readonly Element[];
  }
}

$svc = [];
for (const type of __EVENTS__) {
  addEventListener(
    type,
    (event) => {
      let flags: string | null | undefined;
      // Not from parent to parent: a field named "parentElement" hides that of its form. Kept, for after the dispatch it is gone.
      for (const at of (event._way = event.composedPath() as Element[])) {
        // A handler that stops the event (`.`) keeps those further out from having a say.
        if (!/^!?\./.test(flags!) && (flags = at.getAttribute?.("on:" + type))?.[0] == "!") event.preventDefault();
      }
      if (!$svc[999]) $svc.push(event);
    },
    __EVENTS__HOW,
  );
}
