/**
 * `moments.js`: what sets off code besides events: being there (`on:load`), being seen (`on:visible`), an idle browser (`on:idle`), a media query that
 * begins to match (`on:media`, the query in `m`); and code fetched at idle, where the page asks for it. Loaded after the page,
 * beside the loader, where a page has any. Hands over to the same queue.
 */
import { DOM } from "../../../platform/shared/wire.ts";
import type { EventQueue } from "./types.ts";

/** Those that are there, and those of pieces that come late, once. */
const each = (selector: string, visit: (element: Element) => void): void => {
  const seen = new WeakSet();
  const look = (): void =>
    document.querySelectorAll(selector).forEach((element) => {
      if (!seen.has(element)) visit(element);
      seen.add(element);
    });
  look();
  // When what the piece adds to the state has been taken in, by whoever listens too.
  addEventListener(DOM.arrived, () => queueMicrotask(look));
};

/** The stub's array, or the loader: whichever is there when the moment comes. */
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
    // What has gone never comes back, and is held by this alone.
    if (!element.isConnected) query.onchange = null;
    else if (query.matches) report("media", element);
  };
  query.dispatchEvent(new Event("change"));
});

if (document.documentElement.hasAttribute(DOM.prefetch)) {
  // When the page has loaded the loader is there; it fetches, so that nothing is there twice.
  addEventListener("load", () =>
    whenIdle(() =>
      each(`[${DOM.scope}]`, (element) => {
        const [, chunk, ...parts] = (element.getAttribute(DOM.scope) as string).split(" ");
        [`handler/${chunk}`, "core", ...parts].forEach((self.$svc as EventQueue).load!);
      }),
    ),
  );
}
