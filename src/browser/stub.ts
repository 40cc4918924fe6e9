/**
 * Inline in the head of every page with a script: from the first byte on it catches the events that the page uses, decides
 * what can't wait (`preventDefault`), and keeps them in order until the loader takes the queue over.
 * Budget: 200 bytes without the list of types, so names are short and nothing is imported.
 */
import type { EventQueue } from "./types.ts";

/** Replaced by the server with the types this page uses (src/ssr/render-page.ts). */
declare const __EVENTS__: string[];
/** Replaced too: listening in the capture phase, and whether the browser waits for what is decided about scrolling. */
declare const __EVENTS__HOW: boolean | AddEventListenerOptions;

declare global {
  var $svc: EventQueue;
}

$svc = [];
for (const type of __EVENTS__) {
  addEventListener(
    type,
    (event) => {
      let flags: string | null | undefined;
      // A handler that stops the event (`.`) keeps those further out from having a say.
      for (let at = event.target as Element | null; at && !/^!?\./.test(flags!); at = at.parentElement) {
        flags = at.getAttribute?.("on:" + type);
        if (flags?.[0] == "!") event.preventDefault();
      }
      $svc.push(event);
    },
    __EVENTS__HOW,
  );
}
