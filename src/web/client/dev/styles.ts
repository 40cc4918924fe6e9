/** Replaces an edited stylesheet. The old one stays until the new one has loaded, so the page does not flash, and if the new one has an error. */
import { OWN } from "../navigation/morph.ts";

let version = 0;

/** @param path of the stylesheet. If no link refers to it, all are replaced, since any of them may import it. */
export function swapStyles(path: string): void {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel~="stylesheet"]')].filter(
    ({ href }) => new URL(href).origin === location.origin,
  );
  const named = links.filter(({ href }) => new URL(href).pathname === path);
  for (const link of named.length > 0 ? named : links) {
    const next = link.cloneNode() as HTMLLinkElement;
    const url = new URL(link.href);
    url.searchParams.set("svc-dev", String(++version));
    next.setAttribute(OWN, link.getAttribute(OWN) ?? link.getAttribute("href") ?? "");
    next.href = url.href;
    next.onload = () => link.remove();
    next.onerror = () => next.remove();
    link.after(next);
  }
}
