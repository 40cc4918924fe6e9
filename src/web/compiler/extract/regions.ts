/** Step 3: extracts regions, which are lists, conditions and portals that the browser may have to create. */
import type { ESTree } from "vite";
import { DOM } from "../../../platform/shared/wire.ts";
import {
  holdsJsx,
  isComponentTag,
  isFunction,
  returnsOf,
  tagName,
  unwrap,
  type Expression,
  type FunctionNode,
  type Node,
} from "../parse/ast.ts";
import type { Scopes } from "../parse/scopes.ts";
import { normaliseText } from "../parse/jsx-text.ts";
import { readsGivenState, type Liveness, type Module } from "../analyze/analyze.ts";
import { decidingLiveness, shownLiveness } from "../analyze/shown-liveness.ts";
import { svcName } from "../analyze/declaration-kinds.ts";
import { fail, looseRegion, type Extraction, type Position } from "./extraction.ts";
import {
  attributeExpression,
  attributeText,
  casesOf,
  fixedText,
  hasAttribute,
  isAlternative,
  holdsComponent,
  mappedRows,
  onlyChild,
  readsOfRegion,
} from "./jsx-forms.ts";
import type { Branch, Element, Item, List, Pick, Scope } from "../model.ts";

/** Liveness of what an element or component shows: of a list or condition, that of what decides its content. */
export function livenessOfContent(module: Module, content: Node): Liveness {
  const reads = readsOfRegion(unwrap(content), module.scopes) ?? [content];
  const found = reads.map((read) => shownLiveness(module, read));
  return (["live", "maybe"] as const).find((liveness) => found.includes(liveness)) ?? "static";
}

/**
 * Whether the browser updates what these expressions decide. If they only may read signals, components in it could be ones that the browser
 * can't create, and the build would refuse a page that never changes. Props and results of hooks are trusted to contain signals.
 */
export function isDecided(module: Module, reads: readonly Node[], hasComponent: boolean): boolean {
  return reads.some((read) => {
    const liveness = decidingLiveness(module, read);
    return liveness === "live" || (liveness === "maybe" && (!hasComponent || readsGivenState(module, read)));
  });
}

/** A condition or list that the browser updates. */
export function region(extraction: Extraction, inner: Node, position: Position): List | Branch {
  if (!position.scope) throw looseRegion(extraction, inner);
  const rows = mappedRows(inner);
  if (rows) return listOf(extraction, inner, { ...rows, each: rows.list, by: undefined, virtual: undefined }, position);
  const contents: Node[] = [];
  return branchOf(extraction, inner, pickOf(inner, contents), contents, position);
}

function branchOf(extraction: Extraction, node: Node, pick: Pick, contents: Node[], position: Position): Branch {
  const roots = contents.map((content) => hostRoot(extraction.module.scopes, content));
  const branches = roots.every((root) => root !== undefined)
    ? roots.map((root) => extraction.regionRoot(root, position))
    : undefined;
  return { kind: "branch", node, level: position.level, pick, branches, contents, key: ++position.template.lastKey };
}

/** The only element of a row or branch. Undefined if it is a component, has several roots, or none: then it is a range of nodes. */
function hostRoot(scopes: Scopes, node: Node): Node | undefined {
  const inner = unwrap(node);
  if (inner.type === "JSXFragment") {
    const kept = inner.children.filter((child) => child.type !== "JSXText" || normaliseText(child.value) !== "");
    return kept.length === 1 && kept[0] ? hostRoot(scopes, kept[0]) : undefined;
  }
  if (inner.type !== "JSXElement") return undefined;
  const isHost = !isComponentTag(tagName(inner.openingElement.name));
  if (isHost) return inner;
  return svcName(inner.openingElement.name, scopes) === "Portal" && hostChild(scopes, inner) ? inner : undefined;
}

function hostChild(scopes: Scopes, portal: ESTree.JSXElement): Node | undefined {
  const child = onlyChild(portal);
  return child && hostRoot(scopes, child);
}

/** Whether the content of a `<Portal>` is one host element. Other content gets an element around it (client/created/portals.ts). */
export function hasHostRoot({ module }: Extraction, portal: ESTree.JSXElement): boolean {
  return hostChild(module.scopes, portal) !== undefined;
}

/** What a `<Show>` or `<Case>` shows: its only child, or a fragment of its children. */
function contentOf(node: ESTree.JSXElement): Node {
  const child = onlyChild(node);
  if (child && child.type !== "JSXText") return child;
  const { start, end } = node;
  return {
    type: "JSXFragment",
    children: node.children,
    openingFragment: { type: "JSXOpeningFragment", start, end: start },
    closingFragment: { type: "JSXClosingFragment", start: end, end },
    start,
    end,
  };
}

/** A condition as a tree. Adds what its branches show to `contents`. */
export function pickOf(node: Node, contents: Node[]): Pick {
  const inner = unwrap(node);
  if (inner.type === "ConditionalExpression") {
    return {
      test: inner.test,
      whenTrue: pickOf(inner.consequent, contents),
      otherwise: pickOf(inner.alternate, contents),
    };
  }
  if (inner.type === "LogicalExpression" && inner.operator === "&&") {
    return { test: inner.left, whenTrue: pickOf(inner.right, contents), otherwise: -1 };
  }
  if (isAlternative(inner)) {
    return {
      value: contents.push(inner.left) - 1,
      operator: inner.operator,
      otherwise: pickOf(inner.right, contents),
    };
  }
  if (fixedText(inner) === "") return -1;
  return contents.push(inner) - 1;
}

/** What decides what an expression shows: the list, the conditions, or the expression itself. */
export function decidingReads(node: Node, scopes: Scopes): Node[] {
  const inner = unwrap(node);
  const reads = readsOfRegion(inner, scopes);
  if (reads) return reads;
  if (inner.type === "ConditionalExpression")
    return [inner.test, ...decidingReads(inner.consequent, scopes), ...decidingReads(inner.alternate, scopes)];
  if (inner.type === "LogicalExpression") return [inner.left, ...decidingReads(inner.right, scopes)];
  return holdsJsx(inner) ? [] : [inner];
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
  const liveness = decidingLiveness(module, each);
  const virtual = virtualOf(node);
  const reacts =
    position.isRegion || virtual !== undefined || isDecided(module, [each], holdsComponent(row, module.scopes));
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
  const isOpen = scope.isClosure && declaresNames(parts.row);
  const host =
    root && roots.length === 1 && !position.isLoose && !isOpen ? hostRoot(extraction.module.scopes, root) : undefined;
  if (!host && parts.virtual) {
    throw fail(
      extraction,
      "SVC109",
      parts.row,
      "A row of a virtual list must be one host element, which the list can measure. Put an element such as <div> around it.",
    );
  }
  if (parts.virtual && holdsComponent(parts.row, extraction.module.scopes)) {
    throw fail(
      extraction,
      "SVC120",
      parts.row,
      "A row of a virtual list can't contain components. Write their elements in the row, or remove virtual.",
    );
  }
  const element = host && extraction.regionRoot(host, { ...position, level });
  if (parts.virtual) wakeWhenSeen(scope);
  return { kind: "list", node, ...parts, element, level: position.level, isSole: false, key: undefined };
}

/** Whether a row has constants of its own. Only a range declares them inside of a component's own code. */
function declaresNames({ body }: FunctionNode): boolean {
  return body?.type === "BlockStatement" && body.body.length > 1;
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
  const hasComponent = node.children.some((child) => holdsComponent(child, module.scopes));
  const reacts = position.isRegion || isDecided(module, [when], hasComponent);
  if (!position.scope || !reacts) {
    if (decidingLiveness(module, when) === "live") throw looseRegion(extraction, node);
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
  const contents: Node[] = [];
  const otherwise = fallback ? pickOf(fallback, contents) : -1;
  const whenTrue = pickOf(contentOf(node), contents);
  return branchOf(extraction, node, { test: when, whenTrue, otherwise }, contents, position);
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
    created: [],
    foreign: undefined,
  };
}

/** A `<Dynamic>` that follows a value: a range, which the browser creates anew at the first change. */
export function dynamicElement(node: ESTree.JSXElement, { level, template }: Position): Branch {
  return { kind: "branch", node, level, pick: 0, branches: undefined, contents: [node], key: ++template.lastKey };
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
  const reads = cases.flatMap(({ when }) => (when ? [when] : []));
  const hasComponent = cases.some(({ node: each }) =>
    each.children.some((child) => holdsComponent(child, module.scopes)),
  );
  const reacts = position.isRegion || isDecided(module, reads, hasComponent);
  if (!position.scope || !reacts) {
    if (reads.some((read) => decidingLiveness(module, read) === "live")) throw looseRegion(extraction, node);
    return { kind: "piece", expression: node };
  }
  const contents: Node[] = [];
  const picks = cases.map(({ when, node: each }) => ({ test: when, whenTrue: pickOf(contentOf(each), contents) }));
  const pick = picks.reduceRight<Pick>(
    (otherwise, { test, whenTrue }) => (test ? { test, whenTrue, otherwise } : whenTrue),
    -1,
  );
  return branchOf(extraction, node, pick, contents, position);
}
