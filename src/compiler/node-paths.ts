/** How browser code reaches the elements below one element: by position where that is fixed, else by key. */
import type { Element, Item } from "./model.ts";

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

/**
 * Paths of the child elements that need one. Counts from the front up to the first variable item and from the back
 * after the last; what lies between gets a key, which the server and templates write too.
 */
export function nodePaths(
  parent: Element,
  path: string,
  byKey: (parent: string, key: number) => string,
): Map<Element, string> {
  const paths = new Map<Element, string>();
  const elements = parent.items.filter((item) => item.kind === "element");
  const first = parent.items.findIndex(isVariable);
  const last = parent.items.findLastIndex(isVariable);
  elements.forEach((element, index) => {
    if (!needsPath(element)) return;
    const at = parent.items.indexOf(element);
    if (first < 0 || at < first) paths.set(element, `${path}.children[${index}]`);
    else if (at > last) paths.set(element, fromBack(path, elements.length - 1 - index));
    else {
      element.key = ++element.template.lastKey;
      paths.set(element, byKey(path, element.key));
    }
  });
  return paths;
}

function fromBack(path: string, steps: number): string {
  return `${path}.lastElementChild${".previousElementSibling".repeat(steps)}`;
}
