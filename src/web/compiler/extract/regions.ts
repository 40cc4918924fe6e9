/** Step 3: extracts regions, which are lists, conditions and portals that the browser may have to create. */
import type { ESTree } from "vite";
import { DOM } from "../../../platform/shared/wire.ts";
import { isFunction, returnsOf, unwrap, type Expression, type Node } from "../parse/ast.ts";
import { fail, looseRegion, type Extraction, type Position } from "./extraction.ts";
import {
  attributeExpression,
  attributeText,
  casesOf,
  fixedText,
  hasAttribute,
  holdsComponent,
  mappedRows,
  onlyChild,
} from "./jsx-forms.ts";
import type { Branch, Element, Item, List, Pick, Scope } from "../model.ts";

/** A condition or list that the browser updates. */
export function region(extraction: Extraction, inner: Node, position: Position): List | Branch {
  if (!position.scope) throw looseRegion(extraction, inner);
  const rows = mappedRows(inner);
  if (rows) return listOf(extraction, inner, { ...rows, each: rows.list, by: undefined, virtual: undefined }, position);
  const branches: Element[] = [];
  const pick = pickOf(extraction, inner, branches, position);
  return branchOf(inner, pick, branches, position);
}

function branchOf(node: Node, pick: Pick, branches: Element[], position: Position): Branch {
  return { kind: "branch", node, level: position.level, pick, branches, key: ++position.template.lastKey };
}

function pickOf(extraction: Extraction, node: Node, branches: Element[], position: Position): Pick {
  const inner = unwrap(node);
  if (inner.type === "ConditionalExpression") {
    return {
      test: inner.test,
      whenTrue: pickOf(extraction, inner.consequent, branches, position),
      otherwise: pickOf(extraction, inner.alternate, branches, position),
    };
  }
  if (inner.type === "LogicalExpression" && inner.operator === "&&") {
    return { test: inner.left, whenTrue: pickOf(extraction, inner.right, branches, position), otherwise: -1 };
  }
  if (fixedText(inner) === "") return -1;
  branches.push(extraction.regionRoot(inner, position));
  return branches.length - 1;
}

export function forElement(extraction: Extraction, node: ESTree.JSXElement, position: Position): Item {
  const each = attributeExpression(node, "each");
  const row = onlyChild(node);
  if (!each || !row || !isFunction(row)) {
    throw fail(
      extraction,
      "SVC109",
      node,
      "<For> needs each={list} and a function written inside it: <For each={list} by={(item) => item.id}>{(item) => <li>…</li>}</For>.",
    );
  }
  const { module } = extraction;
  const liveness = module.liveness(each);
  const virtual = virtualOf(node);
  const reacts =
    position.isRegion ||
    virtual !== undefined ||
    liveness === "live" ||
    (liveness === "maybe" && !holdsComponent(row, module.scopes));
  if (!position.scope || !reacts) {
    if (liveness === "live" || virtual !== undefined) throw looseRegion(extraction, node);
    return { kind: "piece", expression: node };
  }
  const by = attributeExpression(node, "by");
  return listOf(extraction, node, { each, before: "", behind: "", by, isByIndex: false, virtual, row }, position);
}

/** The value of `virtual` or `virtual={{ first: 20 }}`; undefined for a list that renders all rows. */
function virtualOf(node: ESTree.JSXElement): Expression | true | undefined {
  const options = attributeExpression(node, "virtual");
  if (options?.type === "Literal") return options.value === true ? true : undefined;
  return options ?? (hasAttribute(node, "virtual") ? true : undefined);
}

/** Event type that fires when an element is first visible. */
const SEEN = "visible";

type ListParts = Omit<List, "kind" | "node" | "element" | "level" | "isSole" | "key"> & { each: Expression };

function listOf(extraction: Extraction, node: Node, parts: ListParts, position: Position): List {
  const { scope } = position;
  if (!scope) throw looseRegion(extraction, node);
  const level = position.level + 1;
  scope.frames.push({ fn: parts.row, level });
  const roots = returnsOf(parts.row);
  const root = roots[0];
  if (!root || roots.length > 1) {
    throw fail(
      extraction,
      "SVC109",
      parts.row,
      "A row function must return one element in one place. Put the condition inside the element.",
    );
  }
  const element = extraction.regionRoot(root, { ...position, level });
  if (parts.virtual) wakeWhenSeen(scope);
  return { kind: "list", node, ...parts, element, level: position.level, isSole: false, key: undefined };
}

/** A virtual list must wake before the first event, because it follows the scroll position. */
function wakeWhenSeen(scope: Scope): void {
  if (scope.events.has(SEEN)) return;
  scope.events.add(SEEN);
  scope.hookAttributes.push(` ${DOM.on}${SEEN}="${DOM.noHandler}"`);
}

export function showElement(extraction: Extraction, node: ESTree.JSXElement, position: Position): Item {
  const { module } = extraction;
  const when = attributeExpression(node, "when");
  if (!when) throw fail(extraction, "SVC109", node.openingElement, "<Show> needs when={condition}.");
  const reacts =
    position.isRegion ||
    module.liveness(when) === "live" ||
    (module.liveness(when) === "maybe" && !node.children.some((child) => holdsComponent(child, module.scopes)));
  if (!position.scope || !reacts) {
    if (module.liveness(when) === "live") throw looseRegion(extraction, node);
    return { kind: "piece", expression: node };
  }
  const fallback = attributeExpression(node, "fallback");
  if (fallback && fallback.start < when.start) {
    throw fail(
      extraction,
      "SVC109",
      fallback,
      "Write when={…} before fallback={…}, in the order in which they are evaluated.",
    );
  }
  const branches: Element[] = [];
  const otherwise = fallback ? pickOf(extraction, fallback, branches, position) : -1;
  const child = onlyChild(node);
  if (!child)
    throw fail(
      extraction,
      "SVC109",
      node,
      "<Show> that changes in the browser must hold one element. Put an element such as <div> around its children.",
    );
  const whenTrue = pickOf(extraction, child, branches, position);
  return branchOf(node, { test: when, whenTrue, otherwise }, branches, position);
}

/** A `<Portal>` in a row or branch: an empty placeholder, and content that the browser creates and moves elsewhere. */
export function portalElement(extraction: Extraction, node: ESTree.JSXElement, position: Position): Element {
  const { scope, template, level } = position;
  const child = onlyChild(node);
  if (!child || !scope) {
    throw fail(
      extraction,
      "SVC109",
      node,
      "<Portal> in a row or branch that the browser may create must hold one element. Put an element such as <div> around its children.",
    );
  }
  scope.hasPortals = true;
  const content = extraction.regionRoot(child, { ...position, ancestors: [] });
  const to = attributeExpression(node, "to") ?? attributeText(node, "to");
  return {
    kind: "element",
    node,
    tag: "template",
    scope,
    template,
    level,
    attributes: [],
    items: [],
    portal: { to, content },
    rawHtml: undefined,
    key: undefined,
    foreign: undefined,
  };
}

/** `<Match>`: the first case whose condition holds, as nested conditions. */
export function matchElement(extraction: Extraction, node: ESTree.JSXElement, position: Position): Item {
  const { module } = extraction;
  const cases = casesOf(node, module.scopes);
  if (!cases || cases.slice(0, -1).some(({ when }) => !when)) {
    throw fail(
      extraction,
      "SVC109",
      node.openingElement,
      "<Match> holds <Case when={condition}> elements and nothing else; only the last may be without a condition, for all that is left.",
    );
  }
  const liveness = cases.map(({ when }) => (when ? module.liveness(when) : "static"));
  const isLive = liveness.includes("live");
  const reacts =
    position.isRegion ||
    isLive ||
    (liveness.includes("maybe") &&
      !cases.some(({ node: each }) => each.children.some((child) => holdsComponent(child, module.scopes))));
  if (!position.scope || !reacts) {
    if (isLive) throw looseRegion(extraction, node);
    return { kind: "piece", expression: node };
  }
  const branches: Element[] = [];
  const picks = cases.map((each) => {
    const child = onlyChild(each.node);
    if (child) return { test: each.when, whenTrue: pickOf(extraction, child, branches, position) };
    throw fail(
      extraction,
      "SVC109",
      each.node,
      "A <Case> that changes in the browser must hold one element. Put an element such as <div> around its children.",
    );
  });
  const pick = picks.reduceRight<Pick>(
    (otherwise, { test, whenTrue }) => (test ? { test, whenTrue, otherwise } : whenTrue),
    -1,
  );
  return branchOf(node, pick, branches, position);
}
