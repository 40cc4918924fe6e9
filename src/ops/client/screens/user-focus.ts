/** Detects which part of a screen the visitor is using. Such a part is not replaced. */

/** Whether the visitor is using something inside the element. */
export function isInUse(element: Element): boolean {
  return hasFocus(element) || isBeingUsed(element);
}

export function hasFocus(element: Element): boolean {
  return element !== document.activeElement && element.contains(document.activeElement);
}

/** Whether the visitor left state in it: ticks, half-typed text or a selection. */
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
