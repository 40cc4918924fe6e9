/** What the scripts of widgets, which listen at the window, find theirs by. */

/** Element around a place. @returns nothing for the document and the window, which are in no element. */
export const closestElement = <T extends HTMLElement>(at: EventTarget | null, selector: string): T | null | undefined =>
  (at as Partial<Element> | null)?.closest?.<T>(selector);
