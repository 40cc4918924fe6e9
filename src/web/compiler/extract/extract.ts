/**
 * Step 3: extracts the model (model.ts) of one root template from JSX: elements, attributes, text runs, regions, handlers. It decides
 * which parts the browser may have to update. It emits no code.
 */
import type { ESTree } from "vite";
import { extractAttributes } from "./attributes.ts";
import { holdsJsx, isComponentTag, returnsOf, tagName, unwrap, type Expression, type Node } from "../parse/ast.ts";
import type { Liveness, Module } from "../analyze/analyze.ts";
import { decidingLiveness, shownLiveness } from "../analyze/shown-liveness.ts";
import { choiceByProps } from "../analyze/chosen-components.ts";
import { CREATED_BUILTINS } from "../emit/client-module.ts";
import { attempt, fail, looseRegion, report, type Extraction, type Position } from "./extraction.ts";
import { choosesJsx } from "./given-jsx.ts";
import { foreignRoot, RAW_TEXT_TAGS } from "../analyze/html-facts.ts";
import { escapeText } from "../../../platform/shared/html/escape.ts";
import { VOID_TAGS } from "../../../platform/shared/html/html.ts";
import { nestingProblem, textProblem } from "../../../platform/shared/html/html-nesting.ts";
import { fixedText, holdsComponent, isAlternative, isChildren, isStructured, readsOfRegion } from "./jsx-forms.ts";
import { decodeEntities, normaliseText, textToHtml } from "../parse/jsx-text.ts";
import type { Problems } from "../problems.ts";
import { functionOf, svcName } from "../analyze/declaration-kinds.ts";
import { bindingAt } from "../analyze/prop-names.ts";
import { listOfRow } from "../analyze/store-items.ts";
import { isTextKind, valueKind } from "../analyze/expression-kinds.ts";
import type { Element, Item, Run } from "../model.ts";
import {
  decidingReads,
  dynamicElement,
  forElement,
  hasHostRoot,
  isDecided,
  matchElement,
  portalElement,
  region,
  showElement,
} from "./regions.ts";

type Atom =
  | { kind: "text"; html: string; text: string }
  | { kind: "expression"; expression: Expression; live: boolean }
  | { kind: "item"; item: Item };

/** Extracts a host element and its descendants. */
export function extractElement(extraction: Extraction, node: ESTree.JSXElement, position: Position): Element {
  const tag = tagName(node.openingElement.name);
  const problem = nestingProblem(tag, position.ancestors);
  if (problem !== undefined) {
    report(extraction, fail(extraction, "SVC108", node.openingElement, problem));
    // Elements inside would repeat the problem.
    return extractElement(extraction, node, { ...position, ancestors: [] });
  }
  const known = position.scope?.handlers.length ?? 0;
  const { attributes, rawHtml, content } = extractAttributes(extraction, node, tag, position);
  // The handlers of a view are attached where its elements are created, so they are no exports of the chunk.
  const created = position.isView ? (position.scope?.handlers.splice(known) ?? []) : [];
  const element: Element = {
    kind: "element",
    node,
    tag,
    scope: position.scope,
    template: position.template,
    level: position.level,
    attributes,
    items: [],
    rawHtml,
    key: undefined,
    created,
    foreign: foreignRoot(
      position.ancestors.length === 0 && tag !== "svg" && tag !== "math" ? [tag] : position.ancestors,
    ),
  };
  if (VOID_TAGS.has(tag) || rawHtml) return element;
  if (content !== undefined) {
    element.items = [{ kind: "text", html: escapeText(content), text: content }];
    return element;
  }
  if (RAW_TEXT_TAGS.has(tag)) {
    element.items = rawText(extraction, node, tag);
    return element;
  }
  element.items = extractItems(extraction, node.children, {
    ...position,
    isLoose: false,
    ancestors: [...position.ancestors, tag],
  });
  return element;
}

/** Content of `<script>` and `<style>`. HTML has no escapes there, so only text that is known at build time is allowed. */
function rawText(extraction: Extraction, node: ESTree.JSXElement, tag: string): Item[] {
  const parts = node.children.map((child) => {
    if (child.type === "JSXText") return decodeEntities(normaliseText(child.value));
    const text = child.type === "JSXExpressionContainer" ? fixedText(unwrap(child.expression)) : undefined;
    if (text !== undefined) return text;
    if (child.type === "JSXExpressionContainer" && child.expression.type === "JSXEmptyExpression") return "";
    throw fail(
      extraction,
      "SVC109",
      child,
      `In <${tag}> HTML has no escapes, so a value could become code. Pass it in a data-… attribute, or use dangerouslySetInnerHTML={{ __html: … }}.`,
    );
  });
  const text = parts.join("");
  if (text.toLowerCase().includes(`</${tag}`))
    throw fail(extraction, "SVC109", node, `The text of <${tag}> holds "</${tag}", which ends it. Write "<\\/${tag}".`);
  return text === "" ? [] : [{ kind: "text", html: text, text }];
}

/** Children of an element, or of a fragment or component (then without a scope). */
export function extractItems(extraction: Extraction, children: readonly Node[], position: Position): Item[] {
  const atoms = children.flatMap((child) => attempt(extraction, () => atomsOf(extraction, child, position)) ?? []);
  const items = groupRuns(extraction, atoms, position);
  const sole = items.length === 1 ? items[0] : undefined;
  for (const item of items) {
    const isSole = item === sole && !position.isLoose;
    if (item.kind === "run" || item.kind === "insert") item.isSole = isSole;
    // A virtual list has a spacer behind its rows, so it needs an end marker.
    if (item.kind === "list") item.isSole = isSole && !item.virtual && item.element !== undefined;
    if ((item.kind === "run" || item.kind === "list") && !item.isSole) item.key = ++position.template.lastKey;
  }
  return items;
}

/** Reports SVC108 for text that the HTML parser would move out of its element. */
function refuseText(extraction: Extraction, node: Node, { ancestors }: Position): void {
  const problem = textProblem(ancestors);
  if (problem !== undefined) throw fail(extraction, "SVC108", node, problem);
}

function atomsOf(extraction: Extraction, child: Node, position: Position): Atom[] {
  if (child.type === "JSXText") {
    const text = normaliseText(child.value);
    if (text.trim() !== "") refuseText(extraction, child, position);
    return text === "" ? [] : [{ kind: "text", html: textToHtml(text), text: decodeEntities(text) }];
  }
  if (child.type === "JSXExpressionContainer") {
    return child.expression.type === "JSXEmptyExpression" ? [] : atomsOf(extraction, child.expression, position);
  }
  if (child.type === "JSXSpreadChild") {
    throw fail(extraction, "SVC109", child, "Spread children are not supported. Write {list} or <For each={list} …>.");
  }
  const inner = unwrap(child);
  if (inner.type === "JSXFragment")
    return inner.children.flatMap((item) => attempt(extraction, () => atomsOf(extraction, item, position)) ?? []);
  if (inner.type === "JSXElement") return atomsOfElement(extraction, inner, position);
  return atomsOfExpression(extraction, child as Expression, inner, position);
}

function atomsOfElement(extraction: Extraction, node: ESTree.JSXElement, position: Position): Atom[] {
  const tag = tagName(node.openingElement.name);
  if (!isComponentTag(tag)) {
    if (!position.scope) return [{ kind: "item", item: { kind: "piece", expression: node } }];
    return [{ kind: "item", item: extractElement(extraction, node, position) }];
  }
  const builtin = svcName(node.openingElement.name, extraction.module.scopes);
  const reads = readsOfRegion(node, extraction.module.scopes);
  const part =
    reads &&
    partOf(
      node,
      reads.map((read) => decidingLiveness(extraction.module, read)),
      position,
    );
  if (part) return [part];
  if (builtin === "For") return [{ kind: "item", item: forElement(extraction, node, position) }];
  if (builtin === "Show") return [{ kind: "item", item: showElement(extraction, node, position) }];
  if (builtin === "Match") return [{ kind: "item", item: matchElement(extraction, node, position) }];
  if (builtin === "Case") throw fail(extraction, "SVC109", node.openingElement, "Put <Case> directly into <Match>.");
  if (builtin === "Portal" && position.isRegion && position.scope && hasHostRoot(extraction, node))
    return [{ kind: "item", item: portalElement(extraction, node, position) }];
  if (position.isRegion) {
    refuseServerComponent(extraction, node, builtin);
    return [{ kind: "item", item: { kind: "component", node, key: ++position.template.lastKey } }];
  }
  if (builtin === "Dynamic" && position.scope && followsAttribute(extraction, node))
    return [{ kind: "item", item: dynamicElement(node, position) }];
  const choice = position.scope || position.isHosted ? choiceByProps(extraction.module, node) : [];
  if (choice.length > 0) return [{ kind: "item", item: { kind: "piece", expression: node, choice } }];
  if (builtin === "Await" && foreignRoot(position.ancestors)) {
    throw fail(
      extraction,
      "SVC109",
      node.openingElement,
      "<Await> is inside SVG or MathML, but late content is parsed as HTML. Put the whole <svg> or <math> into the <Await>.",
    );
  }
  return [{ kind: "item", item: { kind: "component", node, key: undefined } }];
}

function followsAttribute({ module }: Extraction, { openingElement }: ESTree.JSXElement): boolean {
  return openingElement.attributes.some((attribute) => {
    const { value } = attribute.type === "JSXAttribute" ? attribute : {};
    return value?.type === "JSXExpressionContainer" && isDecided(module, [value.expression], true);
  });
}

/** Reports SVC120 for a component of the framework that only the server can run. */
export function refuseServerComponent(
  extraction: Extraction,
  node: ESTree.JSXElement,
  builtin: string | undefined,
): void {
  if (builtin === undefined || Object.hasOwn(CREATED_BUILTINS, builtin)) return;
  throw fail(
    extraction,
    "SVC120",
    node.openingElement,
    `<${builtin}> is in a row or branch that the browser may create, but it runs only on the server. Move it outside, or make the condition one that doesn't change in the browser.`,
  );
}

function atomsOfExpression(extraction: Extraction, child: Expression, inner: Node, position: Position): Atom[] {
  const { module } = extraction;
  const fixed = fixedText(inner);
  if (fixed !== undefined) return fixed === "" ? [] : [{ kind: "text", html: escapeText(fixed), text: fixed }];
  const liveness = shownLiveness(module, child);
  const reacts = position.isRegion || liveness === "live" || (liveness === "maybe" && position.scope !== undefined);
  const part = partOf(child, [liveness], position);
  if (part) return [part];
  // In its own code, a created component has its children as a value.
  const isGiven = !position.scope?.isClosure && choosesJsx(module, inner);
  if (!reacts) {
    // JSX can't be in the same text as values beside it that change.
    if (isStructured(inner) || holdsJsx(inner) || isGiven || isChildren(inner, module.scopes) || !position.scope) {
      return [{ kind: "item", item: { kind: "piece", expression: child } }];
    }
    return [{ kind: "expression", expression: child, live: false }];
  }
  const isRegion = isStructured(inner) || isAlternative(inner) || isGiven;
  if (position.isView && !isRegion && isInsert(module, position, inner)) {
    return [
      { kind: "item", item: { kind: "insert", expression: child, isSole: false, key: ++position.template.lastKey } },
    ];
  }
  if (isRegion || holdsJsx(inner) || callsView(module, inner)) {
    const isSure =
      position.isRegion || liveness === "live" || isDecided(module, decidingReads(inner, module.scopes), true);
    if (!isSure && holdsComponent(inner, module.scopes))
      return [{ kind: "item", item: { kind: "piece", expression: child } }];
    return [{ kind: "item", item: region(extraction, inner, position) }];
  }
  if (!position.scope) throw looseRegion(extraction, child);
  refuseText(extraction, child, position);
  return [{ kind: "expression", expression: child, live: true }];
}

/** Whether an expression uses a function of the module that returns JSX: `badge(row)`. */
function callsView({ scopes }: Module, expression: Node): boolean {
  return scopes.within(expression).some(({ binding }) => {
    const fn = binding && functionOf(binding);
    return fn !== undefined && fn !== expression && returnsOf(fn).some(holdsJsx);
  });
}

/** Content in no element that changes: a part of a component's children, or content with a scope of its own. */
function partOf(
  expression: Expression,
  liveness: readonly Liveness[],
  { scope, parts, isHosted }: Position,
): Atom | undefined {
  if (scope) return undefined;
  if (parts && liveness.includes("live"))
    return { kind: "item", item: { kind: "piece", expression, part: parts.push(expression) - 1 } };
  const isPiece = isHosted && liveness.some((one) => one !== "static");
  return isPiece ? { kind: "item", item: { kind: "piece", expression } } : undefined;
}

/** Whether an expression in a view may have JSX as its value. Only code inside a component can, and what it passes to a function. */
function isInsert(module: Module, { scope }: Position, inner: Node): boolean {
  if (holdsJsx(inner) || isArgument(module, inner)) return true;
  return scope?.isClosure === true && !isTextKind(valueKind(inner));
}

/** Whether an expression is the parameter of a function that returns JSX: `(content) => <a>{content}</a>`. The items of rows are data. */
function isArgument(module: Module, inner: Node): boolean {
  const { declared, owner } = bindingAt(module, inner) ?? {};
  if (declared !== "param" || !owner || module.components.has(owner)) return false;
  return returnsOf(owner).some(holdsJsx) && listOfRow(module, owner) === undefined;
}

/** Joins adjacent texts and expressions. A live expression makes the whole run live. */
function groupRuns(extraction: Extraction, atoms: Atom[], position: Position): Item[] {
  const items: Item[] = [];
  let open: Exclude<Atom, { kind: "item" }>[] = [];
  const close = (): void => {
    if (open.some((atom) => atom.kind === "expression" && atom.live)) items.push(runOf(open, items.at(-1)));
    else
      for (const atom of open) items.push(atom.kind === "text" ? atom : { kind: "piece", expression: atom.expression });
    open = [];
  };
  for (const atom of atoms) {
    if (atom.kind !== "item") open.push(atom);
    else {
      close();
      items.push(atom.item);
    }
  }
  close();
  if (!position.scope && items.some((item) => item.kind === "run")) {
    const live = atoms.find((atom) => atom.kind === "expression" && atom.live);
    if (live?.kind === "expression") throw looseRegion(extraction, live.expression);
  }
  return items;
}

function runOf(atoms: Exclude<Atom, { kind: "item" }>[], before: Item | undefined): Run {
  const parts = atoms.map((atom) => (atom.kind === "text" ? atom.text : atom.expression));
  const needsSeparator = before?.kind === "piece" || before?.kind === "component";
  return { kind: "run", parts, isSole: false, needsSeparator, key: undefined };
}

/** The root element of a row or branch. */
function regionRoot(extraction: Extraction, node: Node, position: Position): Element {
  let inner = unwrap(node);
  if (inner.type === "JSXFragment") {
    const kept = inner.children.filter((child) => child.type !== "JSXText" || normaliseText(child.value) !== "");
    if (kept.length === 1 && kept[0]) inner = unwrap(kept[0]);
  }
  if (inner.type === "JSXElement" && !isComponentTag(tagName(inner.openingElement.name))) {
    return extractElement(extraction, inner, { ...position, template: { lastKey: 0 }, isRegion: true });
  }
  if (inner.type === "JSXElement") {
    const inRegion = { ...position, template: { lastKey: 0 }, isRegion: true };
    for (const { kind, ...atom } of atomsOfElement(extraction, inner, inRegion))
      if (kind === "item" && "item" in atom && atom.item.kind === "element") return atom.item;
  }
  throw fail(
    extraction,
    "SVC109",
    node,
    "The browser moves and replaces this content, so it must be one host element. Put an element such as <div> or <span> around it.",
  );
}

/** @param nextHandler returns the symbol of the next handler. @param problems keeps errors; default: the first one is thrown */
export function newExtraction(module: Module, nextHandler: () => string, problems?: Problems): Extraction {
  const extraction: Extraction = {
    module,
    problems,
    nextHandler,
    regionRoot: (node, position) => regionRoot(extraction, node, position),
  };
  return extraction;
}
