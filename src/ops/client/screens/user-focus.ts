/** What of a screen somebody is at: it stays as it is until they are not. */

/** Whether somebody is at something within. */
export function isInUse(element: Element): boolean {
  return hasFocus(element) || isBeingUsed(element);
}

export function hasFocus(element: Element): boolean {
  return element !== document.activeElement && element.contains(document.activeElement);
}

/** Whether somebody has left something in it, wherever they are now: ticks, half-typed text, a selection. */
export function isBeingUsed(element: Element): boolean {
  return (
    element.hasAttribute("data-held") ||
    element.querySelector("input:checked[name=run], details[open][data-keep]") !== null ||
    [...element.querySelectorAll<HTMLInputElement>("input, textarea")].some(
      ({ value, defaultValue }) => value !== defaultValue,
    ) ||
    (getSelection()?.type === "Range" && getSelection()?.containsNode(element, true) === true)
  );
}
