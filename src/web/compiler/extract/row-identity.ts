/** The identity of rows, and whether they must be bound early. */
import { keyOf } from "../parse/fragments.ts";
import { returnsOf, unwrap, type Expression, type Node } from "../parse/ast.ts";
import type { Element, List, Pick } from "../model.ts";

/** `key={…}` of a row's element, component or fragment. */
export function keyExpression({ row }: List): Expression | undefined {
  const [root, ...others] = returnsOf(row);
  const node = root && others.length === 0 ? unwrap(root) : undefined;
  return node && keyOf(node);
}

/** Whether a row's bindings read more than its item. Such rows must be bound when the scope wakes. */
export function readsOutside(element: Element, reads: (node: Node) => boolean): boolean {
  const inner = (item: Element): boolean => readsOutside(item, reads);
  const picks = (pick: Pick): boolean =>
    typeof pick !== "number" && ("value" in pick || reads(pick.test) || picks(pick.whenTrue) || picks(pick.otherwise));
  return (
    // Events in a portal don't pass its row, so they can't bind it.
    element.portal !== undefined ||
    // When the scope wakes, typed text is stored and refs are assigned, so the row must be bound by then.
    element.attributes.some(
      (item) =>
        item.kind === "field" ||
        item.kind === "ref" ||
        ((item.kind === "value" || item.kind === "spread") && item.live && reads(item.expression)),
    ) ||
    element.items.some((item) => {
      if (item.kind === "run") return item.parts.some((part) => typeof part !== "string" && reads(part));
      if (item.kind === "element") return inner(item);
      // A range is bound when the scope wakes: it may show components that read anything.
      if (item.kind === "component" || item.kind === "insert") return true;
      if (item.kind === "list") return reads(item.each) || !item.element || inner(item.element);
      if (item.kind === "branch") return picks(item.pick) || !item.branches || item.branches.some(inner);
      return false;
    })
  );
}
