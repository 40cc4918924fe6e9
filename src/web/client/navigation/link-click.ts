/** Which clicks on which links are followed within the document; all others are the browser's. Decides only, and is small: every page has it. */

/** What counts of a click; a MouseEvent has it. */
export type Click = Pick<MouseEvent, "button" | "metaKey" | "ctrlKey" | "shiftKey" | "altKey" | "defaultPrevented">;

/** What counts of a link; an anchor element has it. */
export interface Link {
  /** Absolute. */
  href: string;
  /** Of that; empty or `null` where it has none. */
  origin: string;
  target: string;
  /** Whether it, or what stands around it, says to leave it to the browser; or that it is a download. */
  isLeft: boolean;
}

/** Without what is behind `#`. */
export const pageOf = (href: string): string => href.replace(/#.*/, "");

/** Whether the browser would open the link here by this click. */
export const isPlain = (click: Click): boolean =>
  !(click.defaultPrevented || click.button || click.metaKey || click.ctrlKey || click.shiftKey || click.altKey);

/** Whether a link leads to a page of this site, and not to a place of the one that is there. @param here where that is. */
export const isInside = ({ href, origin, target, isLeft }: Link, here: Pick<Link, "href" | "origin">): boolean =>
  !isLeft &&
  /^(_self)?$/i.test(target) &&
  origin == here.origin &&
  !(href.includes("#") && pageOf(href) == pageOf(here.href));
