/** Extracts attributes of host elements: fixed ones, values, handlers. Handlers get their symbols here; step 4 emits them. */
import type { ESTree } from "vite";
import { attempt, fail, type Extraction, type Position } from "./extraction.ts";
import { hasAttribute } from "./jsx-forms.ts";
import { isFunction as isFunctionNode, tagName, unwrap, type Expression, type Node } from "../parse/ast.ts";
import { diagnostic } from "../diagnostics.ts";
import { checkOptions, eventName, listedName, listenerOf, type EventName, type EventOptions } from "./events.ts";
import { bindsField, boundProperty, fieldAttribute, namesBehind } from "./bound-fields.ts";
import { checkHandler, handlerFlags } from "./handlers.ts";
import { refuseLatePrevention } from "./prevent-default.ts";
import { isEnumerated, isUrlAttribute } from "../../../platform/shared/html/html.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { FIELD_TAGS, FORM_PROPERTIES, membersBehind } from "../../../platform/shared/html/hidden-members.ts";
import { ATTRIBUTES_BEHIND, FOREIGN_PREFIXES, PROPERTIES } from "../analyze/html-facts.ts";
import { attributeToHtml, decodeEntities, stringToAttribute } from "../parse/jsx-text.ts";
import { valueKind } from "../analyze/expression-kinds.ts";
import type { Module } from "../analyze/analyze.ts";
import { shownLiveness } from "../analyze/shown-liveness.ts";
import { isPropsObject } from "../analyze/prop-names.ts";
import { componentOf } from "../analyze/prop-reads.ts";
import { initOf } from "../analyze/declaration-kinds.ts";
import { slotNameOf } from "./slots.ts";
import {
  spreadName,
  type Attribute,
  type AttributeKind,
  type Element,
  type GivenHandler,
  type HandlerStep,
} from "../model.ts";

/** Every field fires this event whenever the user changes it. */
const FIELD_EVENT = "input";

interface Found {
  attributes: Attribute[];
  rawHtml: Element["rawHtml"];
  /** Fixed `value` of a `<textarea>`, which is its content in HTML. */
  content: string | undefined;
}

export function extractAttributes(
  extraction: Extraction,
  node: ESTree.JSXElement,
  tag: string,
  position: Position,
): Found {
  const found: Found = { attributes: [], rawHtml: undefined, content: undefined };
  for (const item of node.openingElement.attributes)
    attempt(extraction, () => {
      if (item.type === "JSXSpreadAttribute") addSpread(extraction, node, item, tag, position, found.attributes);
      else addAttribute(extraction, node, item, tag, position, found);
    });
  return found;
}

function addSpread(
  extraction: Extraction,
  node: ESTree.JSXElement,
  item: ESTree.JSXSpreadAttribute,
  tag: string,
  position: Position,
  attributes: Attribute[],
): void {
  if (position.isRegion && !position.isView) refusePropsSpread(extraction, item);
  const skip = namesOver(node, item, attributes);
  const handlers = position.isView ? [] : spreadHandlers(extraction, node, item, position);
  const live = position.scope !== undefined && (position.isRegion || changes(extraction, item.argument));
  attributes.push({
    kind: "spread",
    expression: item.argument,
    skip: [...skip, ...handlers.map(({ name }) => name)],
    tag,
    live,
  });
  attributes.push(...handlers.map(({ attribute }) => attribute));
}

/** SVC120: props may contain what only the server has. */
function refusePropsSpread(extraction: Extraction, item: ESTree.JSXSpreadAttribute): void {
  const { module } = extraction;
  const fn = componentOf(module, item);
  if (!fn || !isPropsObject(module, fn, unwrap(item.argument))) return;
  throw fail(
    extraction,
    "SVC120",
    item,
    "Props in {...spread} in a row or branch that the browser may create: the browser has only the props that the code names. Write each attribute.",
  );
}

/** Whether attributes of a spread may change. The handlers of an object literal don't. */
function changes({ module }: Extraction, argument: Expression): boolean {
  const object = literalOf(module, argument);
  if (!object) return shownLiveness(module, argument) !== "static";
  return object.properties.some((item) => {
    const value = item.type === "Property" ? item.value : item.argument;
    return !isFunctionNode(unwrap(value)) && shownLiveness(module, value) !== "static";
  });
}

/** An object literal, or that of a constant. */
function literalOf(module: Module, argument: Expression): ESTree.ObjectExpression | undefined {
  const inner = unwrap(argument);
  const binding = inner.type === "Identifier" ? module.scopes.within(inner)[0]?.binding : undefined;
  const object = binding?.declared === "const" ? initOf(binding) : inner;
  return object?.type === "ObjectExpression" ? object : undefined;
}

function addAttribute(
  extraction: Extraction,
  node: ESTree.JSXElement,
  item: ESTree.JSXAttribute,
  tag: string,
  position: Position,
  found: Found,
): void {
  const { attributes } = found;
  const name = jsxName(item);
  const expression = valueOf(item);
  const property = boundProperty(name);
  if (property !== undefined) {
    if (attributes.some(({ kind }) => kind === "field"))
      throw fail(
        extraction,
        "SVC110",
        item,
        "This element has another binding, and a field has one value. Remove one bind: attribute.",
      );
    const bound = { attribute: item, property, expression };
    attributes.push(
      fieldAttribute(extraction, node, tag, bound, position),
      ...keepingHandler(extraction, node, position),
    );
  } else if (name === "dangerouslySetInnerHTML" && expression) {
    found.rawHtml = { expression, live: isLive(extraction, expression, position) };
  } else if (name === "ref") {
    attributes.push(refAttribute(extraction, item, expression, position));
  } else if (tag === "textarea" && name === "value") {
    found.content = fixedText(item, expression);
    if (found.content === undefined) attributes.push(extractAttribute(extraction, node, item, position));
  } else if (tag === "select" && name === "value") {
    attributes.push(selectValue(extraction, node, item, position));
  } else if (name === "autofocus" && position.isRegion && isAlways(item, expression)) {
    attributes.push({ kind: "static", html: " autofocus" }, { kind: "autofocus" });
  } else if (name !== "key" && !(name === "slot" && slotNameOf(extraction, node) !== ""))
    attributes.push(extractAttribute(extraction, node, item, position));
}

/** `autofocus`, `autofocus=""` or `autofocus={true}`. */
function isAlways(attribute: ESTree.JSXAttribute, expression: Expression | undefined): boolean {
  return expression ? fixedValue(expression) === true : attribute.value?.type !== "JSXExpressionContainer";
}

function fixedText(attribute: ESTree.JSXAttribute, expression: Expression | undefined): string | undefined {
  if (!expression) return attribute.value?.type === "Literal" ? decodeEntities(String(attribute.value.value)) : "";
  const fixed = fixedValue(expression);
  return fixed === undefined ? undefined : String(fixed ?? "");
}

function jsxName(attribute: ESTree.JSXAttribute): string {
  const { name } = attribute;
  return name.type === "JSXNamespacedName" ? `${name.namespace.name}:${name.name.name}` : name.name;
}

/** Attributes that override a spread: those behind it, and those before it that the browser writes. */
function namesOver(node: ESTree.JSXElement, spread: ESTree.JSXSpreadAttribute, before: readonly Attribute[]): string[] {
  const all = node.openingElement.attributes;
  const place = all.indexOf(spread);
  const isWritten = (name: string): boolean => before.some((one) => spreadName(one) === name);
  return all.flatMap((item, at) => {
    if (item.type !== "JSXAttribute") return [];
    const names = namesOf(jsxName(item));
    return at > place ? names : names.filter((name) => !isWritten(name));
  });
}

function namesOf(jsx: string): string[] {
  const property = boundProperty(jsx);
  return property === undefined ? [jsx] : namesBehind(property);
}

function valueOf(attribute: ESTree.JSXAttribute): Expression | undefined {
  if (attribute.value?.type !== "JSXExpressionContainer") return undefined;
  return attribute.value.expression.type === "JSXEmptyExpression" ? undefined : attribute.value.expression;
}

function extractAttribute(
  extraction: Extraction,
  node: ESTree.JSXElement,
  attribute: ESTree.JSXAttribute,
  position: Position,
): Attribute {
  const name = jsxName(attribute);
  const tag = tagName(node.openingElement.name);
  const expression = valueOf(attribute);
  if (/^on[A-Z].*\$$/.test(name)) {
    const own = name.slice(0, -1);
    throw fail(extraction, "SVC103", attribute, `${name} is a name of Qwik. Write ${own}={(event, element) => …}.`);
  }
  const event = eventName(name);
  if (event) return handlerAttribute(extraction, node, { name, expression, node: attribute }, event, position);
  refuseMisplaced(extraction, attribute, name);
  const fieldName = expression ? fixedValue(expression) : attribute.value?.type === "Literal" && attribute.value.value;
  if ((name === "name" || name === "id") && FIELD_TAGS.has(tag) && FORM_PROPERTIES.has(String(fieldName))) {
    throw fail(
      extraction,
      "SVC115",
      attribute,
      `A field with the ${name} "${String(fieldName)}" hides the property ${String(fieldName)} of its form, which handlers and bindings use. Choose another ${name}.`,
    );
  }
  if (!expression) {
    const text = attribute.value?.type === "Literal" ? attribute.value.value : undefined;
    return { kind: "static", html: text === undefined ? ` ${name}` : ` ${name}="${attributeToHtml(String(text))}"` };
  }
  const fixed = fixedValue(expression);
  if (fixed !== undefined && name !== "style") return { kind: "static", html: fixedHtml(name, fixed) };
  return {
    kind: "value",
    name,
    how: howOf(name, tag, expression),
    expression,
    live: isLive(extraction, expression, position),
  };
}

/** SVC103: code in an attribute. SVC118: a name of another framework. */
function refuseMisplaced(extraction: Extraction, attribute: ESTree.JSXAttribute, name: string): void {
  if (/^on[a-z]+$/i.test(name)) {
    throw fail(
      extraction,
      "SVC103",
      attribute,
      `${name} in lower case would be code in an attribute, which the page's Content-Security-Policy blocks. Write on${name.slice(2, 3).toUpperCase()}${name.slice(3)}={(event, element) => …}.`,
    );
  }
  const behind = ATTRIBUTES_BEHIND.get(name);
  if (behind !== undefined) {
    throw fail(
      extraction,
      "SVC118",
      attribute,
      `${name} is no attribute of HTML, so browsers would ignore it. The attribute is ${behind}, in JSX too. Write ${behind}=….`,
    );
  }
  const [prefix = "", rest] = name.split(":");
  const instead = rest !== undefined && Object.hasOwn(FOREIGN_PREFIXES, prefix) ? FOREIGN_PREFIXES[prefix] : undefined;
  if (instead)
    throw fail(
      extraction,
      "SVC118",
      attribute,
      `${name} is syntax of another framework, and browsers would ignore it. Write ${instead(rest ?? "")}.`,
    );
}

/** `value` of a `<select>` is no attribute in HTML: the server marks the option, and the browser sets the property. */
function selectValue(
  extraction: Extraction,
  node: ESTree.JSXElement,
  attribute: ESTree.JSXAttribute,
  position: Position,
): Attribute {
  const text = attribute.value?.type === "Literal" ? attribute.value : undefined;
  const isPlain = text !== undefined && !/[&\n\r]/.test(String(text.value));
  const expression = valueOf(attribute) ?? (isPlain ? text : undefined);
  if (!expression || hasAttribute(node, "multiple")) {
    throw fail(
      extraction,
      "SVC109",
      attribute,
      "value of a <select> is one value: value={town.value}. For a list of values write bind:value={signal}, or selected={…} on the options.",
    );
  }
  return {
    kind: "value",
    name: "value",
    how: "property",
    expression,
    live: isLive(extraction, expression, position),
  };
}

function isLive(extraction: Extraction, expression: Expression, position: Position): boolean {
  return (
    position.scope !== undefined && (position.isRegion || shownLiveness(extraction.module, expression) !== "static")
  );
}

function howOf(name: string, tag: string, expression: Expression): AttributeKind {
  if (name === "class" || name === "style") return name;
  if (isUrlAttribute(name.toLowerCase(), tag)) return "url";
  if (isEnumerated(name.toLowerCase())) return "enumerated";
  const members = membersBehind(name, tag);
  if (members && !isHarmlessName(unwrap(expression))) return `${members}-member`;
  if (PROPERTIES.has(name) && !(name === "open" && tag !== "details" && tag !== "dialog")) return "property";
  return "plain";
}

/** Whether a name certainly contains a character besides letters: `row-${id}`. Names of members have letters only. */
function isHarmlessName(expression: Node): boolean {
  if (expression.type === "TemplateLiteral")
    return expression.quasis.some(({ value }) => /[^a-z]/i.test(value.cooked ?? ""));
  return valueKind(expression) === "number" || valueKind(expression) === "boolean";
}

function fixedValue(expression: Expression): string | number | boolean | null | undefined {
  const inner = unwrap(expression);
  if (inner.type !== "Literal") return undefined;
  const { value } = inner;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null
    ? value
    : undefined;
}

function fixedHtml(name: string, value: string | number | boolean | null): string {
  if (typeof value === "boolean" && isEnumerated(name.toLowerCase())) return ` ${name}="${value}"`;
  if (value === null || value === false) return "";
  if (value === true) return ` ${name}`;
  return ` ${name}="${stringToAttribute(String(value))}"`;
}

/** The handlers of an object literal, `{...{ onClick: () => … }}` or a name of one. An attribute for the same event overrides them. */
function spreadHandlers(
  extraction: Extraction,
  node: ESTree.JSXElement,
  { argument }: ESTree.JSXSpreadAttribute,
  position: Position,
): { name: string; attribute: Attribute }[] {
  const object = literalOf(extraction.module, argument);
  if (!object) return [];
  return object.properties.flatMap((property) => {
    if (property.type !== "Property" || property.computed || property.key.type !== "Identifier") return [];
    const { name } = property.key;
    const event = eventName(name);
    if (!event || namedHandler(node, attributeOf(node, event))) return [];
    const found = { name, expression: property.value as Expression, node: property };
    return [{ name, attribute: handlerAttribute(extraction, node, found, event, position) }];
  });
}

interface NamedHandler {
  name: string;
  expression: Expression | undefined;
  /** The position of errors. */
  node: Node;
}

function handlerAttribute(
  extraction: Extraction,
  node: ESTree.JSXElement,
  { name, expression, node: attribute }: NamedHandler,
  event: EventName,
  position: Position,
): Attribute {
  const { module } = extraction;
  const { scope, level } = position;
  if (!expression || !scope) {
    throw fail(extraction, "SVC103", attribute, `${name} needs a function: ${name}={(event, element) => …}.`);
  }
  const { handler, options, condition } = listenerOf(module, name, expression);
  checkOptions(module, attribute, event, options);
  // In a component that the browser creates, every function is what its name says.
  if (handler && !scope.isClosure) checkHandler(module, name, handler, scope.frames, position.isView);
  if (handler && !condition && options.preventDefault === undefined)
    refuseLatePrevention(module, name, handler, event.isGlobal || isBeside(node, event));
  const flags = flagsOf(extraction, event, handler, options);
  const symbol = extraction.nextHandler();
  const dom = attributeOf(node, event);
  if (isBeside(node, event) && (condition || options.preventDefault)) throw refusedSecond(extraction, attribute);
  refuseSecond(extraction, node, attribute, dom);
  const before = stepsBefore(event, options, event.type === FIELD_EVENT && bindsField(node), isBeside(node, event));
  if (before.includes("once") && before.includes("keep"))
    throw fail(extraction, "SVC103", attribute, "A bound field handles every input event. Remove once.");
  scope.handlers.push({
    symbol,
    level,
    functions: handler ? [unwrap(handler)] : [],
    takesElement: false,
    before,
    // The page evaluates the condition for all elements but those of views, whose code has loaded.
    ...(condition && position.isView && { condition: condition.text }),
    attribute: dom,
    node: attribute,
  });
  const listed = { ...event, isGlobal: dom.startsWith(DOM.on + DOM.window) };
  scope.events.add(listedName(listed, options, flags.includes("!") || condition !== undefined));
  const html = ` ${dom}="${flags}${symbol}"`;
  if (!condition || position.isView) {
    const given = options.preventDefault === undefined && !event.isGlobal ? givenBy(module, handler) : undefined;
    const at = html.length - symbol.length - 1;
    return { kind: "static", html, ...(given && { handler: { ...given, at } }) };
  }
  const type = dom.slice(DOM.on.length);
  scope.conditions.set(condition.key, [type, condition.text]);
  return { kind: "static", html: `${html} ${DOM.prevent}${type}="${condition.key}"` };
}

/** The prop, or the member of a value that only the server knows, that is a handler or makes it. */
function givenBy(module: Module, handler: Expression | undefined): Omit<GivenHandler, "at"> | undefined {
  if (!handler) return undefined;
  const inner = unwrap(handler);
  const isMade = inner.type === "CallExpression";
  const expression = isMade ? unwrap(inner.callee) : inner;
  let root: Node = expression;
  while (root.type === "MemberExpression" && !root.computed) root = unwrap(root.object);
  const binding = root.type === "Identifier" ? module.scopes.within(root)[0]?.binding : undefined;
  const kind = binding?.owner ? module.kind(binding) : undefined;
  const isGiven = kind === "value" || (kind === "props" && root !== expression);
  return isGiven ? { expression, isMade } : undefined;
}

/** The first attribute that has a handler in this attribute of the page. */
function namedHandler(node: ESTree.JSXElement, dom: string): ESTree.JSXAttributeItem | undefined {
  return node.openingElement.attributes.find((item) => {
    const event = item.type === "JSXAttribute" ? eventName(jsxName(item)) : undefined;
    return event && attributeOf(node, event) === dom;
  });
}

function attributeOf(node: ESTree.JSXElement, event: EventName): string {
  return `${DOM.on}${event.isGlobal || isBeside(node, event) ? DOM.window : ""}${event.type}`;
}

/**
 * Whether an element has a handler of the capture phase beside one of the same event. The attribute of the event is taken, so the former is in
 * that of the window, from which the loader also runs handlers of the capture phase first.
 */
function isBeside(node: ESTree.JSXElement, { type, isCapture }: EventName): boolean {
  if (!isCapture) return false;
  return node.openingElement.attributes.some((item) => {
    const other = item.type === "JSXAttribute" ? eventName(jsxName(item)) : undefined;
    return other?.type === type && !other.isGlobal && !other.isCapture;
  });
}

/** SVC103: an element has one attribute per name, so one handler per event type. */
function refuseSecond(extraction: Extraction, node: ESTree.JSXElement, attribute: Node, dom: string): void {
  const first = namedHandler(node, dom);
  if (first && first !== attribute) throw refusedSecond(extraction, attribute);
}

function refusedSecond(extraction: Extraction, attribute: Node): Error {
  return fail(
    extraction,
    "SVC103",
    attribute,
    "This element already has a handler for this event, on the element or the window. Call both functions from one handler, or put one of them on an element around it.",
  );
}

/** Flags that apply before the handler's code arrives (docs/resume-protocol.md section 2). */
function flagsOf(
  { module }: Extraction,
  event: EventName,
  handler: Expression | undefined,
  options: EventOptions,
): string {
  if (event.isGlobal) return "";
  const seen = handler ? handlerFlags(module, handler) : "";
  const isCapture = event.isCapture || options.capture === true;
  const isPrevented = options.preventDefault ?? seen.includes("!");
  // The stub walks outwards, so it can't know about a stop further out.
  const isStopped = !isCapture && (options.stopPropagation ?? seen.includes("."));
  return (isPrevented ? "!" : "") + (isStopped ? "." : "") + (isCapture ? "^" : "");
}

function stepsBefore(event: EventName, options: EventOptions, keepsField: boolean, isWithin: boolean): HandlerStep[] {
  const steps: [HandlerStep, boolean | undefined][] = [
    ["global", event.isGlobal],
    ["within", isWithin],
    ["once", options.once],
    ["stop", options.stopPropagation],
    ["keep", keepsField],
  ];
  return steps.flatMap(([step, isTaken]) => (isTaken ? [step] : []));
}

/** The handler that stores a bound field's value, unless the element's own handler does both. */
function keepingHandler(extraction: Extraction, node: ESTree.JSXElement, position: Position): Attribute[] {
  const { scope, level } = position;
  const dom = DOM.on + FIELD_EVENT;
  const isOwn = node.openingElement.attributes.some((item) => {
    const event = item.type === "JSXAttribute" ? eventName(jsxName(item)) : undefined;
    return event?.type === FIELD_EVENT && !event.isGlobal;
  });
  if (isOwn || !scope) return [];
  const symbol = extraction.nextHandler();
  scope.handlers.push({ symbol, level, functions: [], takesElement: false, before: ["keep"], attribute: dom });
  scope.events.add(FIELD_EVENT);
  return [{ kind: "static", html: ` ${dom}="${symbol}"` }];
}

/** @throws SvcError SVC103 for a target that is neither a ref nor a function */
function refAttribute(
  { module }: Extraction,
  attribute: Node,
  expression: Expression | undefined,
  { isRegion }: Position,
): Attribute {
  const target = expression && unwrap(expression);
  const binding = target?.type === "Identifier" ? module.scopes.within(target)[0]?.binding : undefined;
  const kind = binding && module.kind(binding);
  const isFunction = target !== undefined && (isFunctionNode(target) || kind === "function" || kind === "import");
  const isObject = target?.type === "MemberExpression" || kind === "value" || kind === "ref" || kind === "let";
  if (expression && (isFunction || isObject))
    return { kind: "ref", target: expression, isFunction, isCreated: isRegion };
  throw diagnostic(
    module.file,
    "SVC103",
    expression ?? attribute,
    "ref needs a ref object or a function: const field = createRef<HTMLInputElement>() and ref={field}, or ref={(element) => …}.",
  );
}
