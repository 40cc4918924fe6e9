/** Decides which clicks on which links client-side navigation handles; the browser handles all others. Every page loads this, so it is small. */

/** The relevant properties of a click; a MouseEvent has them. */
export type Click = Pick<MouseEvent, "button" | "metaKey" | "ctrlKey" | "shiftKey" | "altKey" | "defaultPrevented">;

/** The relevant properties of a link; an anchor element has them. */
export interface Link {
  /** Absolute. */
  href: string;
  /** Origin of `href`; empty if it has none. */
  origin: string;
  target: string;
}

/** The address without its fragment. */
export const pageOf = (href: string): string => href.replace(/#.*/, "");

/** Whether the browser would open the link in this tab. */
export const isPlain = (click: Click): boolean =>
  !(click.defaultPrevented || click.button || click.metaKey || click.ctrlKey || click.shiftKey || click.altKey);

/**
 * Whether a link leads to a page of this site, rather than to a fragment of the current page.
 * @param isLeft whether the link is a download, or it or an ancestor opts out of client-side navigation.
 * @param here the current location.
 */
export const isInside = (
  { href, origin, target }: Link,
  isLeft: boolean,
  here: Pick<Link, "href" | "origin">,
): boolean =>
  !isLeft &&
  /^(_self)?$/i.test(target) &&
  origin == here.origin &&
  !(href.includes("#") && pageOf(href) == pageOf(here.href));
