/**
 * `links.js`: in pages with enhanced navigation, at their end. Sees that a link is about to be followed, fetches the code that
 * follows it (client-navigation.ts) with the page it leads to, and hands over. Small, for every such page has it: budget 600 bytes gzip.
 */
import { DOM, PATHS } from "../../../platform/shared/wire.ts";
import { isInside, isPlain, pageOf } from "./link-click.ts";

type Visit = typeof import("./client-navigation.ts");

/** A pointer that only passes over a link does not stay so long. */
const HOVER_MS = 65;

/** Address of the page that is shown; that of the history may be ahead of it. */
let page = pageOf(location.href);
let code: Promise<Visit> | undefined;
let pointed: HTMLAnchorElement | undefined;

/** @param otherwise where the code can't be fetched: the next time it may be there. */
const withCode = (run: (visit: Visit) => unknown, otherwise?: () => void): void => {
  code ??= import(PATHS.visit) as Promise<Visit>;
  code.then(run, () => {
    code = undefined;
    otherwise?.();
  });
};

/** The link of an event, if it is one of ours. */
const linkOf = (event: Event): HTMLAnchorElement | undefined =>
  (event.composedPath() as Element[]).find(
    (at): at is HTMLAnchorElement =>
      at instanceof HTMLAnchorElement &&
      isInside(
        {
          href: at.href,
          origin: at.origin,
          target: at.target,
          isLeft: at.hasAttribute("download") || !!at.closest(`[${DOM.navigation}=off]`),
        },
        location,
      ),
  );

for (const type of ["pointerover", "focusin", "touchstart"]) {
  addEventListener(
    type,
    (event) => {
      const link = (pointed = linkOf(event));
      if (link) {
        setTimeout(
          () => pointed == link && withCode(({ prefetch }) => prefetch(link.href)),
          type == "pointerover" ? HOVER_MS : 0,
        );
      }
    },
    { passive: true },
  );
}

// Where it bubbles to: whoever has dealt with the click has said so by then.
addEventListener("click", (event) => {
  const link = isPlain(event) && linkOf(event);
  if (!link) return;
  event.preventDefault();
  withCode(
    ({ follow }) => follow(link.href),
    () => location.assign(link.href),
  );
});

addEventListener(DOM.arrived, () => (page = pageOf(location.href)));

// Of a page that was reloaded, the entries before it may be those of others that it has replaced.
addEventListener("popstate", () => {
  if (code || pageOf(location.href) != page)
    withCode(
      ({ goBack }) => goBack(page),
      () => location.reload(),
    );
});
