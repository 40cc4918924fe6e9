/**
 * `links.js`: included at the end of pages with enhanced navigation. Detects that a link is about to be followed, fetches the navigation
 * code (client-navigation.ts) and the link's page, and hands clicks over to it. Every such page loads it: budget 600 bytes gzip.
 */
import { DOM, PATHS } from "../../../platform/shared/wire.ts";
import { isInside, isPlain, pageOf } from "./link-click.ts";

type Visit = typeof import("./client-navigation.ts");

/** A pointer that only passes over a link leaves it sooner than this. */
const HOVER_MS = 65;

/** Address of the page that is shown. The address of the history entry may already be that of the next page. */
let page = pageOf(location.href);
let code: Promise<Visit> | undefined;
let pointed: HTMLAnchorElement | undefined;

/** @param otherwise called if the code can't be loaded. The next call tries again. */
const withCode = (run: (visit: Visit) => unknown, otherwise?: () => void): void => {
  code ??= import(PATHS.visit) as Promise<Visit>;
  code.then(run, () => {
    code = undefined;
    otherwise?.();
  });
};

/** The link of an event, if client-side navigation handles it. */
const linkOf = (event: Event): HTMLAnchorElement | undefined =>
  (event.composedPath() as Element[]).find(
    (at): at is HTMLAnchorElement =>
      at instanceof HTMLAnchorElement &&
      isInside(at, at.hasAttribute("download") || !!at.closest(`[${DOM.navigation}=off]`), location),
  );

for (const type of ["pointerover", "focusin", "touchstart"]) {
  addEventListener(
    type,
    (event) => {
      const link = (pointed = linkOf(event));
      // The code handles forms that navigate (get-forms.ts). Others need it once they are accepted.
      if ((event.target as HTMLInputElement).form) withCode(Object);
      if (link && !link.closest(`[${DOM.prefetch}=none]`)) {
        setTimeout(
          () => pointed == link && withCode(({ prefetch }) => prefetch(link.href)),
          type == "pointerover" ? HOVER_MS : 0,
        );
      }
    },
    { passive: true },
  );
}

// In the bubble phase: other listeners have had the chance to prevent the click.
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

// After a reload the entries before this one may belong to other pages that this document has shown.
addEventListener("popstate", () => {
  if (code || pageOf(location.href) != page)
    withCode(
      ({ goBack }) => goBack(page),
      () => location.reload(),
    );
});
