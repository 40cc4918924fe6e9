/**
 * Inlined in the head of every page that has a script. From the first byte on it catches the events that the page uses, calls
 * `preventDefault` where a handler asks for it, and queues the events in order until the loader takes over.
 * Budget: 200 bytes without the list of types, so names are short and nothing is imported.
 */
import type { EventQueue } from "./types.ts";

/** The server replaces this with the event types that the page uses (src/web/ssr/render-page.ts). */
declare const __EVENTS__: string[];
/** The server replaces this with the listener options: `true` to capture, or an object that also sets `passive`. */
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
      // Not by parentElement: a form field of that name would shadow it. Stored on the event, as the path is empty after the dispatch.
      for (const at of (event._way = event.composedPath() as Element[])) {
        // A handler that stops propagation (flag `.`) also stops `preventDefault` of outer handlers.
        if (!/^!?\./.test(flags!) && (flags = at.getAttribute?.("on:" + type))?.[0] == "!") event.preventDefault();
      }
      if (!$svc[999]) $svc.push(event);
    },
    __EVENTS__HOW,
  );
}
