/** Finds a widget's element from an event. The widget scripts listen on the window. */

/** The closest matching element. @returns undefined for the document and the window, which are not inside an element. */
export const closestElement = <T extends HTMLElement>(at: EventTarget | null, selector: string): T | null | undefined =>
  (at as Partial<Element> | null)?.closest?.<T>(selector);
