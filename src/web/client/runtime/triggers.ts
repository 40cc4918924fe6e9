/**
 * `moments.js`: the lifecycle triggers besides events: load (`on:load`), visibility (`on:visible`), idle (`on:idle`) and a media query
 * that begins to match (`on:media`, with the query in `m`).
 * Loaded after the page, beside the loader, on pages that use any of these. Pushes to the same queue.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import type { EventQueue } from "./types.ts";

/** Visits each matching element once, including those in deferred content that arrives later. */
const each = (selector: string, visit: (element: Element) => void): void => {
  const seen = new WeakSet();
  const look = (): void =>
    document.querySelectorAll(selector).forEach((element) => {
      if (!seen.has(element)) visit(element);
      seen.add(element);
    });
  look();
  // In a microtask: other listeners of this event first merge the state of the deferred content.
  addEventListener(DOM.arrived, () => queueMicrotask(look));
};

/** Pushes to the stub's array, or to the loader if it has run by then. */
const report = (type: string, target: Element): unknown =>
  (self.$svc as EventQueue).push({ type, target, _way: [target] });

// Safari has no requestIdleCallback.
const whenIdle = (run: () => void): unknown => (self.requestIdleCallback ?? setTimeout)(run);

const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) {
      observer.unobserve(target);
      report("visible", target);
    }
  }
});
each("[on\\:load]", (element) => report("load", element));

each("[on\\:visible]", (element) => observer.observe(element));

each("[on\\:idle]", (element) => whenIdle(() => report("idle", element)));

each("[on\\:media]", (element) => {
  const query = matchMedia(element.getAttribute(DOM.media) as string);
  query.onchange = () => {
    // A removed element never comes back. Only this listener still references it.
    if (!element.isConnected) query.onchange = null;
    else if (query.matches) report("media", element);
  };
  query.dispatchEvent(new Event("change"));
});
