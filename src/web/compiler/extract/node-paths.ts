/** How browser code reaches the elements below one element: by position where that is fixed, else by key. */
import type { Element, Item } from "../model.ts";

/** Items of which the compiler can't tell how many elements they become. */
function isVariable(item: Item): boolean {
  return item.kind === "piece" || item.kind === "component" || item.kind === "list" || item.kind === "branch";
}

/** Whether browser code has to hold the element or something directly or further below it. */
function needsPath(element: Element): boolean {
  return (
    element.portal !== undefined ||
    element.rawHtml?.live === true ||
    element.attributes.some(
      (item) => item.kind === "field" || item.kind === "ref" || (item.kind === "value" && item.live),
    ) ||
    element.items.some(
      (item) =>
        item.kind === "run" ||
        item.kind === "list" ||
        item.kind === "branch" ||
        (item.kind === "element" && needsPath(item)),
    )
  );
}

/** An element that browser code holds, by the name under which it does. */
export interface HeldElement {
  element: Element;
  name: string;
  /** `r.firstElementChild`, or a step from an element that is held already. */
  path: string;
}

/** Further than this, counting from the parent is shorter. */
const MAX_STEPS = 3;

/**
 * The child elements that browser code has to hold, in document order. Counts from the front up to the first variable item and
 * from the back after the last; what lies between gets a key, which the server and templates write too.
 */
export function heldChildren(
  parent: Element,
  name: string,
  newName: () => string,
  byKey: (parent: string, key: number) => string,
): HeldElement[] {
  const elements = parent.items.filter((item) => item.kind === "element");
  const first = parent.items.findIndex(isVariable);
  const last = parent.items.findLastIndex(isVariable);
  /** The sibling before, where only fixed ones lie between. */
  let held: { name: string; index: number; isBack: boolean } | undefined;
  const fixedPath = (index: number, isBack: boolean): string => {
    const steps = held?.isBack === isBack ? index - held.index : index;
    if (held?.isBack === isBack) return held.name + ".nextElementSibling".repeat(steps);
    if (isBack) return `${name}.lastElementChild${".previousElementSibling".repeat(elements.length - 1 - index)}`;
    return steps > MAX_STEPS
      ? `${name}.children[${index}]`
      : `${name}.firstElementChild${".nextElementSibling".repeat(steps)}`;
  };
  return elements.flatMap((element, index) => {
    if (!needsPath(element)) return [];
    const own = newName();
    const at = parent.items.indexOf(element);
    const isBack = first >= 0 && at > last;
    if (isBack || first < 0 || at < first) {
      const path = fixedPath(index, isBack);
      held = { name: own, index, isBack };
      return [{ element, name: own, path }];
    }
    element.key = ++element.template.lastKey;
    return [{ element, name: own, path: byKey(name, element.key) }];
  });
}
