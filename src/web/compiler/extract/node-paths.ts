/** Finds paths from an element to its descendants: by position if it is fixed, else by key. */
import type { Element, Item } from "../model.ts";

/** Items whose number of elements is unknown at compile time. */
function isVariable(item: Item): boolean {
  return item.kind !== "text" && item.kind !== "run" && item.kind !== "element";
}

/** Whether bindings of live props need the element or a descendant. */
function showsProps(element: Element): boolean {
  return (
    element.rawHtml?.props !== undefined ||
    element.liveText?.props !== undefined ||
    element.attributes.some(
      (item) =>
        (item.kind === "value" && item.props !== undefined) || (item.kind === "spread" && item.own !== undefined),
    ) ||
    element.items.some(
      (item) => (item.kind === "piece" && item.props !== undefined) || (item.kind === "element" && showsProps(item)),
    )
  );
}

/** Whether browser code needs the element or a descendant. */
function needsPath(element: Element): boolean {
  return (
    element.portal !== undefined ||
    element.created.length > 0 ||
    element.rawHtml?.live === true ||
    element.attributes.some(
      (item) =>
        ["field", "ref", "autofocus"].includes(item.kind) ||
        ((item.kind === "value" || item.kind === "spread") && item.live),
    ) ||
    element.items.some(
      (item) =>
        item.kind === "run" ||
        item.kind === "list" ||
        item.kind === "branch" ||
        item.kind === "insert" ||
        (item.kind === "component" && item.key !== undefined) ||
        (item.kind === "element" && needsPath(item)),
    )
  );
}

/** An element that browser code needs, with its variable name. */
export interface HeldElement {
  element: Element;
  name: string;
  /** `r.firstElementChild`, or a step from an earlier element. */
  path: string;
}

/** Prefix of keys that only instances with live props have. */
export const LIVE_KEY = "p";

/** From this distance, counting from the parent is shorter. */
const MAX_STEPS = 3;

/**
 * The child elements that browser code needs, in document order. Elements before the first variable item are counted from the front, those
 * after the last one from the back. Elements between get a key, which the server and templates also write.
 */
export function heldChildren(
  parent: Element,
  name: string,
  newName: () => string,
  byKey: (parent: string, key: number | string) => string,
  isOfProps = false,
): HeldElement[] {
  const elements = parent.items.filter((item) => item.kind === "element");
  const first = parent.items.findIndex(isVariable);
  const last = parent.items.findLastIndex(isVariable);
  /** The previous needed sibling, if all elements between are fixed. */
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
    if (!(isOfProps ? showsProps(element) : needsPath(element))) return [];
    const own = newName();
    const at = parent.items.indexOf(element);
    const isBack = first >= 0 && at > last;
    if (isBack || first < 0 || at < first) {
      const path = fixedPath(index, isBack);
      held = { name: own, index, isBack };
      return [{ element, name: own, path }];
    }
    // A key for live props is written only where there are any.
    element.key ??= isOfProps ? `${LIVE_KEY}${at}` : ++element.template.lastKey;
    return [{ element, name: own, path: byKey(name, element.key) }];
  });
}
