/** What of a screen somebody is at: it stays as it is until they are not. */

/** Whether somebody is at it: then it stays as it is. */
export function isInUse(element: Element): boolean {
  return (
    (element !== document.activeElement && element.contains(document.activeElement)) ||
    element.hasAttribute("data-held") ||
    element.querySelector("input:checked[name=run], details[open][data-keep]") !== null ||
    (getSelection()?.type === "Range" && getSelection()?.containsNode(element, true) === true)
  );
}
