/** Step 4, browser code: emits bindings, region templates, handlers and helpers of one scope (docs/resume-protocol.md section 5). */
import { bindingAt } from "../analyze/prop-names.ts";
import { DOM, PATHS } from "../../../platform/shared/wire.ts";
import type { Module } from "../analyze/analyze.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { holdsJsx, unwrap, type Node } from "../parse/ast.ts";
import type { ESTree } from "vite";
import { isChildren, isStructured, readsOfRegion } from "../extract/jsx-forms.ts";
import { decidingReads, pickOf } from "../extract/regions.ts";
import { newExtraction } from "../extract/extract.ts";
import { attempt, type Extraction } from "../extract/extraction.ts";
import { accessOf, result, thunk } from "./emit-thunks.ts";
import { EffectEmitter } from "./emit-effects.ts";
import { ListEmitter } from "./emit-lists.ts";
import { RangeEmitter } from "./emit-ranges.ts";
import { ViewEmitter, type ElementEmitter, type LiveCalls } from "./emit-views.ts";
import { plainAttribute } from "../extract/attribute-text.ts";
import { Captures, type Place } from "../extract/captures.ts";
import type { ClientModule } from "./client-module.ts";
import type { Returns } from "../analyze/early-returns.ts";
import { HandlerEmitter } from "./emit-handlers.ts";
import { heldChildren } from "../extract/node-paths.ts";
import { makerCode, selectedValue } from "../extract/template-html.ts";
import type { Binding } from "../parse/scopes.ts";
import { isTextKind, valueKind } from "../analyze/expression-kinds.ts";
import type {
  AwaitedName,
  Attribute,
  AttributeKind,
  Branch,
  Code,
  Element,
  FieldAttribute,
  Item,
  Pick,
  Piece,
  PropConditions,
  Run,
  Scope,
  Slot,
  SpreadAttribute,
  ValueAttribute,
} from "../model.ts";

export class BrowserEmitter implements ElementEmitter {
  readonly #module: Module;
  readonly #client: ClientModule;
  readonly #captures: Captures;
  readonly #handlers: HandlerEmitter;
  /** Emits effects and resources, also those of hooks. */
  readonly effects: EffectEmitter;
  readonly #ranges: RangeEmitter;
  readonly #lists: ListEmitter;
  readonly #views: ViewEmitter;
  #templates = 0;
  #elements = 0;
  /** Declarations of the elements that the current bind function refers to. */
  #held: string[] = [];
  /** Set while bindings of live props are emitted. */
  #props: PropConditions | undefined;
  readonly #extraction: Extraction;

  constructor(module: Module, client: ClientModule) {
    this.#module = module;
    this.#client = client;
    this.#captures = new Captures(module, client);
    const extraction = newExtraction(module, () => DOM.createdHandler);
    this.#extraction = extraction;
    const views = new ViewEmitter(module, client, this.#captures, extraction, this);
    this.#captures.views = views;
    this.#views = views;
    this.#ranges = new RangeEmitter(module, client, this.#captures, views);
    this.#lists = new ListEmitter(module, client, this.#captures, this.#ranges, this);
    this.#handlers = new HandlerEmitter(module, client, this.#captures);
    this.effects = new EffectEmitter(module, client, this.#captures, extraction);
  }

  /** Emits the browser code of a root template. Sets `scope.bind` and completes `scope.slots`. */
  emitScope(scope: Scope, root: Element): void {
    const { problems } = this.#module;
    this.#extraction.problems = problems;
    this.#captures.problems = problems;
    this.#emitScope(scope, root);
    this.#extraction.problems = undefined;
    this.#captures.problems = undefined;
  }

  /** Emits a binding or handler. Its error is kept, so that the others are checked too, unless a caller has another use for the code. */
  #attempt<T>(step: () => T): T | undefined {
    return attempt(this.#extraction, step);
  }

  #emitScope(scope: Scope, root: Element): void {
    const { names } = this.#client;
    const body: Code = [];
    this.#held = [];
    this.#bindElement(root, names.root, { scope, level: 0, isBinding: true }, body);
    body.unshift(...this.#held);
    this.effects.bindAll(scope, body);
    if (scope.parts.has("form")) body.push(`${this.#client.part("form", "keepTouched", scope)}();\n`);
    const handlers = scope.handlers.map((handler) => this.#attempt(() => this.#handlers.emit(handler, scope)) ?? []);
    for (const { code } of scope.helpers.values()) this.#client.add(scope.edits, code);
    if (body.length > 0) {
      scope.bind = names.nextSymbol("b");
      const head = `export const ${scope.bind} = (${names.slots}, ${names.root}) => {\n`;
      this.#client.add(scope.edits, [head, ...body, "};\n"]);
    }
    for (const handler of handlers) this.#client.add(scope.edits, handler);
  }

  /** Emits the code that creates a boundary's fallback, and the code that resumes a fallback from the server. */
  emitFallback(scope: Scope, root: Element, symbol: string): void {
    scope.isNeeded = true;
    const { names } = this.#client;
    const { slots, event, element } = names;
    const make = this.#template(root, scope);
    const binder = this.#binder(root, { scope, level: 1, isBinding: true });
    const bind = `${names.prefix}fallback${this.#templates}`;
    const handlers = scope.handlers.map((handler) => this.#handlers.emit(handler, scope));
    for (const { code } of scope.helpers.values()) this.#client.add(scope.edits, code);
    scope.bind = names.nextSymbol("b");
    const part = (name: string): string => this.#client.part("boundary", name, scope);
    this.#client.add(scope.edits, [`const ${bind} = `, ...binder, ";\n"]);
    this.#client.add(scope.edits, [
      `export const ${scope.bind} = (${slots}, ${names.root}) => ${part("Fell")}(${slots}, ${names.root}, ${bind});\n`,
      `export const ${symbol} = (${slots}, ${event}, ${element}) => ${part("Caught")}(${event}, ${element}, ${make}, ${bind}, ${slots});\n`,
    ]);
    for (const handler of handlers) this.#client.add(scope.edits, handler);
  }

  /** Emits the factory of a function or computed. @param head keywords that the function of a method lacks */
  emitFunction(scope: Scope, node: Node, symbol: string, head = ""): void {
    this.#captures.capture(node, { scope, level: 0, isBinding: false });
    for (const { code } of scope.helpers.values()) this.#client.add(scope.edits, code);
    this.#client.add(scope.edits, [`export const ${symbol} = (${this.#client.names.slots}) => (${head}`, node, ");\n"]);
  }

  #core(name: string): string {
    return this.#client.runtime(PATHS.core, name);
  }

  #bindElement(element: Element, path: string, place: Place, body: Code): void {
    const selected = selectedValue(element);
    for (const attribute of element.attributes)
      if (attribute !== selected) this.#attempt(() => this.#bindPlain(attribute, path, place, body));
    const { rawHtml, portal } = element;
    if (rawHtml) this.#attempt(() => this.#bindRawHtml(rawHtml, path, place, body));
    if (this.#props) return this.#bindProps(element, path, place, body);
    if (element.created.length > 0) this.#attempt(() => this.#bindCreated(element.created, path, place, body));
    if (portal) this.#attempt(() => this.#bindPortal(portal, path, place, body));
    const held = this.#holdChildren(element, path, place.scope);
    for (const item of element.items) this.#attempt(() => this.#bindItem(item, held, path, place, body));
    // After its options, because a select chooses one of them.
    for (const attribute of element.attributes)
      if (attribute.kind === "field") this.#attempt(() => this.#bindField(attribute, path, place, body));
    if (selected) this.#attempt(() => this.#bindValue(selected, path, place, body));
  }

  /** An attribute that does not depend on the children of its element. */
  #bindPlain(attribute: Attribute, path: string, place: Place, body: Code): void {
    if (attribute.kind === "value") return this.#bindValue(attribute, path, place, body);
    if (this.#props && attribute.kind === "spread" && attribute.own !== undefined)
      return this.#bindOwn(attribute, path, place, body);
    if (this.#props) return;
    if (attribute.kind === "ref") this.#bindRef(attribute, path, place, body);
    else if (attribute.kind === "autofocus")
      body.push(`${this.#client.part("ref", "focusCreated", place.scope)}(${path});\n`);
    else if (attribute.kind === "spread" && attribute.live) this.#bindSpread(attribute, path, place, body);
  }

  #bindItem(item: Item, held: ReadonlyMap<Element, string>, path: string, place: Place, body: Code): void {
    if (item.kind === "run") this.#bindRun(item, path, place, body);
    else if (item.kind === "list") this.#lists.bind(item, path, place, body);
    else if (item.kind === "branch") this.#bindBranch(item, path, place, body);
    else if (item.kind === "insert") this.#ranges.insert(item, path, place, body);
    else if (item.kind === "component") this.#ranges.component(item, path, place, body);
    else if (item.kind === "element") {
      const inner = held.get(item);
      if (inner !== undefined) this.#bindElement(item, inner, place, body);
    }
  }

  /** What an element and its descendants show of live props. */
  #bindProps(element: Element, path: string, place: Place, body: Code): void {
    const { liveText } = element;
    if (liveText) this.#whenLive(liveText, place, body, (code) => this.#bindRun(liveText.run, path, place, code));
    const held = this.#holdChildren(element, path, place.scope);
    for (const item of element.items) {
      const inner = item.kind === "element" ? held.get(item) : undefined;
      if (item.kind === "element" && inner !== undefined) this.#bindElement(item, inner, place, body);
      if (item.kind === "piece" && item.props !== undefined)
        this.#whenLive(item, place, body, (code) => this.#bindPiece(item, path, place, code));
    }
    const selected = selectedValue(element);
    if (selected) this.#bindValue(selected, path, place, body);
  }

  #bindValue(attribute: ValueAttribute, path: string, place: Place, body: Code): void {
    if (this.#props)
      this.#whenLive(attribute, place, body, (code) => this.#bindAttribute(attribute, path, place, code));
    else if (attribute.live) this.#bindAttribute(attribute, path, place, body);
  }

  #bindRawHtml(rawHtml: NonNullable<Element["rawHtml"]>, path: string, place: Place, body: Code): void {
    const bind = (code: Code): void => {
      this.#captures.capture(rawHtml.expression, place);
      code.push(`${this.#client.part("raw", "H", place.scope)}(${path}, () => (`, rawHtml.expression, ").__html);\n");
    };
    if (this.#props) this.#whenLive(rawHtml, place, body, bind);
    else if (rawHtml.live) bind(body);
  }

  /** Emits a binding for instances in which a prop is live that it reads. A binding that the browser can't run stays out. */
  #whenLive(shown: { props?: string }, place: Place, body: Code, emit: (code: Code) => void): void {
    const { props } = shown;
    const { scope } = place;
    if (props === undefined || !this.#props?.isWanted(props)) return;
    const code: Code = [];
    const slots = scope.slots.length;
    const helpers = new Set(scope.helpers.keys());
    scope.read = new Set();
    try {
      emit(code);
      const bit = this.#props.bitOf(props, scope.read);
      body.push(`if (${this.#client.names.slots}[${this.#props.maskSlot}] & ${bit}) {\n`, ...code, "}\n");
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      delete shown.props;
      scope.slots.length = slots;
      for (const binding of scope.helpers.keys()) if (!helpers.has(binding)) scope.helpers.delete(binding);
    } finally {
      scope.read = undefined;
    }
  }

  /** Text, a condition or a list as a range, which keeps the content of the server until the value changes. */
  #bindPiece({ expression, key, rows }: Piece, path: string, place: Place, body: Code): void {
    if (rows) this.#lists.bindFollowed(rows, path, place, body);
    else if (key !== undefined) this.#follow(expression, this.#ranges.at(key, path, place), place, body);
  }

  /** Keeps a range equal to an expression. @param range code of it */
  #follow(expression: Node, range: string, place: Place, body: Code): void {
    const code = this.#shown(expression, place, body);
    if (isChildren(unwrap(expression), this.#module.scopes)) {
      this.#captures.capture(expression, place);
      const [before, bind] = ["Before", "I"].map((name) => this.#client.createPart(name, place.scope));
      const kids = this.#client.part("prop", "Kids", place.scope);
      body.push(`${kids}(`, expression, `, ${range}, ${before}, ${bind}) || `);
    }
    this.#ranges.follow(range, place, code, body);
  }

  /**
   * Emits the binding of content that is in no element of its component. The root of its scope is the `<template>` behind it.
   * @param content undefined if it never changes, in a component with effects. @param ofProps whether it follows live props
   */
  emitHost(scope: Scope, content: Node | Returns | undefined, symbol: string, ofProps: boolean): void {
    const { slots, root } = this.#client.names;
    const place: Place = { scope, level: 0, isBinding: true };
    const body: Code = [];
    if (ofProps) body.push(`${this.#client.part("prop", "L", scope)}(${slots}, ${root});\n`);
    const rangeOf = (): string => `${this.#client.createPart("Before", scope)}(${root})`;
    if (content && "contents" in content) {
      const contents = content.contents.map((node) => this.#ranges.content(node, place, body));
      this.#ranges.follow(rangeOf(), place, this.#pick(content.pick, place, contents, "null"), body);
    } else if (content) this.#follow(content, rangeOf(), place, body);
    this.effects.bindAll(scope, body);
    for (const { code } of scope.helpers.values()) this.#client.add(scope.edits, code);
    const open = `export const ${symbol} = (${slots}, ${root}) => ${this.#client.createPart("Host", scope)}(${root}, () => {\n`;
    this.#client.add(scope.edits, [open, ...body, "});\n"]);
    scope.bind = symbol;
  }

  /** Code of what a range shows: text, a condition whose branches are views, or a view of a list. */
  #shown(expression: Node, place: Place, body: Code): Code {
    const inner = unwrap(expression);
    const reads = readsOfRegion(inner, this.#module.scopes);
    if (reads) {
      const name = `${this.#client.names.prefix}l${this.#elements++}`;
      body.push(`const ${name} = ${this.#views.following(inner, reads, place)};\n`);
      return [name];
    }
    if (!isStructured(inner)) return [expression, accessOf(this.#module, expression)];
    return this.#choice(inner, place, body);
  }

  /** Emits the factory of a component's children: the parts of them that change. */
  emitChildren(scope: Scope, parts: readonly Node[], symbol: string): void {
    const { slots } = this.#client.names;
    const place: Place = { scope, level: 0, isBinding: false };
    const body: Code = [];
    const reads = parts.flatMap((part): Code => ["() => (", ...this.#shown(part, place, body), "), "]);
    for (const item of reads) if (typeof item !== "string") this.#captures.capture(item, { ...place, isCreated: true });
    const head = `export const ${symbol} = (${slots}) => {\n`;
    for (const helper of scope.helpers.values()) this.#client.add(scope.edits, helper.code);
    const children = this.#client.part("prop", "S", scope);
    this.#client.add(scope.edits, [head, ...body, `return ${children}(`, ...reads, ");\n};\n"]);
  }

  /** Emits the factory of a component's children as a view. @param parts those that change */
  emitChildrenView(scope: Scope, node: ESTree.JSXElement, parts: readonly Node[], symbol: string): void {
    const place: Place = { scope, level: 0, isBinding: false };
    const reads = parts.flatMap((part) => decidingReads(part, this.#module.scopes));
    this.#addFactory(scope, symbol, this.#views.childrenOf(node, reads, place));
  }

  /** Emits the factory of JSX in a prop as a view, or of a function that returns JSX. */
  emitJsxView(scope: Scope, node: Node, symbol: string): void {
    this.#addFactory(scope, symbol, this.#views.valueOf(node, { scope, level: 0, isBinding: false }));
  }

  #addFactory(scope: Scope, symbol: string, code: string): void {
    for (const helper of scope.helpers.values()) this.#client.add(scope.edits, helper.code);
    this.#client.add(scope.edits, [`export const ${symbol} = (${this.#client.names.slots}) => ${code};\n`]);
  }

  /** A condition whose branches are views, each of which is made once. */
  #choice(node: Node, place: Place, body: Code): Code {
    const nodes: Node[] = [];
    const pick = pickOf(node, nodes);
    const contents = nodes.map((content) => this.#ranges.content(content, place, body));
    for (const content of contents)
      if (typeof content !== "string") this.#captures.capture(content, { ...place, isCreated: true });
    return this.#pick(pick, place, contents, "null");
  }

  /** A component whose props are live needs no new instance when they change. */
  followLiveProps(calls: LiveCalls): void {
    this.#views.calls = calls;
  }

  /** Emits the bindings of a scope for instances with live props. @param bind symbol of the scope's other bindings, or 0 */
  emitLiveProps(scope: Scope, root: Element, symbol: string, bind: string | undefined, props: PropConditions): void {
    const { slots, root: rootName } = this.#client.names;
    const body: Code = [];
    this.#held = [];
    this.#props = props;
    this.#bindElement(root, rootName, { scope, level: 0, isBinding: true }, body);
    this.#props = undefined;
    const begin = (symbol?: string): string =>
      `${this.#client.part("prop", "L", scope)}(${slots}, ${rootName}${symbol === undefined ? "" : `, ${JSON.stringify(symbol)}`});\n`;
    // The other bindings store what was typed before this code came, so those of props must exist by then.
    const isFirst = !scope.parts.has("form");
    const start = begin(isFirst ? bind : undefined);
    if (!isFirst) body.push(begin(bind));
    for (const { code } of scope.helpers.values()) this.#client.add(scope.edits, code);
    const head = `export const ${symbol} = (${slots}, ${rootName}) => {\n`;
    this.#client.add(scope.edits, [head, ...this.#held, start, ...body, "};\n"]);
  }

  /** Emits the factory of a derived value: what a parent passes as a prop that changes. @param declares names that the code declares */
  emitDerived(scope: Scope, code: Code, symbol: string, declares?: ReadonlySet<Binding>): void {
    const place: Place = { scope, level: 0, isBinding: false, isDerived: true, ...(declares && { declares }) };
    const body: Code = [];
    const [only] = code;
    const isJsx = code.length === 1 && only !== undefined && typeof only !== "string" && holdsJsx(only);
    const value = isJsx && isStructured(unwrap(only)) ? this.#choice(unwrap(only), place, body) : code;
    for (const item of value)
      if (typeof item !== "string") this.#captures.capture(item, isJsx ? { ...place, isCreated: true } : place);
    this.#emitFactory(scope, body, value, symbol);
  }

  #emitFactory(scope: Scope, body: Code, value: Code, symbol: string): void {
    const derive = this.#client.part("prop", "D", scope);
    for (const helper of scope.helpers.values()) this.#client.add(scope.edits, helper.code);
    const head = `export const ${symbol} = (${this.#client.names.slots}) => {\n`;
    this.#client.add(scope.edits, [head, ...body, `return ${derive}(() => (`, ...value, "));\n};\n"]);
  }

  /** Emits the factory of a name that the children of an `<Await>` get. The first slot has the value of the `<Await>`. */
  emitAwaited(scope: Scope, { pattern, name, fetch, symbol, declares }: AwaitedName): void {
    const place: Place = { scope, level: 0, isBinding: false, isDerived: true, declares };
    const body: Code = [];
    if (fetch.length > 0) this.effects.fetchAgain(fetch, place, body);
    const settled = `${this.#client.part("resource", "S", scope)}(${this.#client.names.slots}[0])`;
    this.#captures.capture(pattern, place);
    this.#emitFactory(scope, body, ["((", pattern, `) => ${name})(${settled})`], symbol);
  }

  #bindSpread({ expression, skip }: SpreadAttribute, path: string, place: Place, body: Code): void {
    this.#captures.capture(expression, place);
    body.push(`${this.#spread(place.scope)}(${path}, () => (`, expression, `), ${JSON.stringify(skip)});\n`);
  }

  /** The part that binds spreads. Their handlers are those of created elements. */
  #spread(scope: Scope): string {
    this.#client.createPart("H", scope);
    return this.#client.runtime(PATHS.spread, "Spread");
  }

  /** The props of a spread that the browser binds. */
  #bindOwn(attribute: SpreadAttribute, path: string, place: Place, body: Code): void {
    const { scope } = place;
    const known = scope.slots.findIndex(({ spread }) => spread === attribute);
    const slot: Slot = { source: "", kind: "value", node: attribute.expression, spread: attribute };
    const at = known < 0 ? scope.slots.push(slot) - 1 : known;
    scope.bound.add(at);
    const own = `${this.#client.names.slots}[${at}]`;
    body.push(`if (${own}) ${this.#spread(scope)}(${path}, () => ${own}, ${JSON.stringify(attribute.skip)});\n`);
  }

  /** Emits the factory of the props of a spread that the browser binds. */
  emitOwn(symbol: string, scope: Scope): void {
    const own = this.#client.part("prop", "Own", scope);
    this.#client.add(scope.edits, [`export const ${symbol} = ${own};\n`]);
  }

  #bindCreated(created: Element["created"], path: string, place: Place, body: Code): void {
    const { slots } = this.#client.names;
    body.push(`${this.#client.createPart("H", place.scope)}(${path}, ${slots}, { `);
    for (const handler of created)
      body.push(
        `${JSON.stringify(handler.attribute)}: `,
        ...this.#handlers.code(handler, { ...place, isBinding: false, usesAll: true }),
        ", ",
      );
    body.push("});\n");
    for (const { attribute } of created) {
      const type = attribute.slice(DOM.on.length);
      if (["visible", "idle", "load"].includes(type))
        body.push(`${this.#client.runtime(PATHS.createdMoments, "Moment")}(${path}, "${type}");\n`);
    }
  }

  /** Declares the needed child elements at the start of the bind function, before anything is added or moved. */
  #holdChildren(parent: Element, path: string, scope: Scope): Map<Element, string> {
    const newName = (): string => `${this.#client.names.prefix}n${this.#elements++}`;
    const byKey = (name: string, key: number | string): string =>
      `${this.#client.part("region", "K", scope)}(${name}, ${JSON.stringify(key)})`;
    const held = heldChildren(parent, path, newName, byKey, this.#props !== undefined);
    this.#held.push(...held.map(({ name, path: from }) => `const ${name} = ${from};\n`));
    return new Map(held.map(({ element, name }) => [element, name]));
  }

  #bindRef(
    { target, isFunction: isCalled, isCreated }: Attribute & { kind: "ref" },
    path: string,
    place: Place,
    body: Code,
  ): void {
    place.scope.isNeeded = true;
    this.#captures.capture(target, place);
    // The browser binds a created element before it inserts it.
    if (isCalled && isCreated)
      body.push(`${this.#client.part("ref", "whenConnected", place.scope)}(${path}, `, target, ");\n");
    else if (isCalled) body.push("(", target, `)(${path});\n`);
    else if (this.#isOwnRef(target)) body.push(target, `.current = ${path};\n`);
    else body.push(`${this.#client.part("ref", "fill", place.scope)}(`, target, `, ${path});\n`);
  }

  /** Whether a target is `createRef()` of the component itself. That of a prop or a context may be missing, or a function. */
  #isOwnRef(target: Node): boolean {
    const binding = bindingAt(this.#module, unwrap(target));
    return binding !== undefined && this.#module.kind(binding) === "ref";
  }

  #bindField({ property, target, access }: FieldAttribute, path: string, place: Place, body: Code): void {
    place.scope.isNeeded = true;
    const value = `${this.#client.names.prefix}v`;
    this.#captures.capture(target, place);
    body.push(
      `${this.#client.part("form", "F", place.scope)}(${path}, ${JSON.stringify(property)}, () => `,
      target,
      `${access}, `,
    );
    body.push(`(${value}) => { `, target, `${access} = ${value}; });\n`);
  }

  #bindAttribute(attribute: ValueAttribute, path: string, place: Place, body: Code): void {
    const { how, expression } = attribute;
    const name = JSON.stringify(attribute.name);
    const plain = plainAttribute(how, expression);
    if (plain) {
      this.#captures.capture(expression, place);
      return void body.push(`${this.#core("A")}(${path}, ${name}, () => `, ...plain, ");\n");
    }
    const value = thunk(this.#module, this.#captures, expression, place);
    if (how === "class" || how === "style") {
      body.push(`${this.#client.part("attr", how === "class" ? "C" : "S", place.scope)}(${path}, `, ...value, ");\n");
    } else body.push(`${this.#binderOf(how, place.scope)}(${path}, ${name}, `, ...value, ");\n");
  }

  #binderOf(how: AttributeKind, scope: Scope): string {
    if (how === "url") return this.#client.part("attr", "U", scope);
    if (how === "enumerated") return this.#client.part("attr", "B", scope);
    if (how === "form-member" || how === "document-member") return this.#client.part("raw", "N", scope);
    return this.#core(how === "property" ? "P" : "A");
  }

  #bindRun(run: Run, path: string, place: Place, body: Code): void {
    const at = run.isSole
      ? `${this.#core("T")}(${path}`
      : `${this.#client.part("region", "X", place.scope)}(${path}, ${run.key}`;
    body.push(`${at}, () => `, ...this.#runText(run, place), ");\n");
  }

  /** A value or a list of values, which `T` writes as `t` does on the server. A template literal if all parts are texts or numbers. */
  #runText(run: Run, place: Place): Code {
    const isText = run.parts.every((part) => typeof part === "string" || isTextKind(valueKind(part)));
    for (const part of run.parts) if (typeof part !== "string") this.#captures.capture(part, place);
    const [only] = run.parts;
    if (run.parts.length === 1 && only !== undefined && typeof only !== "string") return result(this.#module, only);
    if (!isText) {
      const codeOf = (part: string | Node): Code =>
        typeof part === "string" ? [JSON.stringify(part), ","] : [part, `${accessOf(this.#module, part)},`];
      return ["[", ...run.parts.flatMap(codeOf), "]"];
    }
    const code: Code = ["`"];
    for (const part of run.parts) {
      if (typeof part === "string") code.push(part.replaceAll(/[`\\]|\$(?=\{)/g, "\\$&"));
      else code.push("${", part, "}");
    }
    return [...code, "`"];
  }

  #bindBranch(branch: Branch, path: string, place: Place, body: Code): void {
    if (!branch.branches) {
      const contents = branch.contents.map((node) => this.#ranges.content(node, place, body));
      const code = this.#pick(branch.pick, place, contents, "null");
      return this.#ranges.follow(this.#ranges.at(branch.key, path, place), place, code, body);
    }
    const { slots } = this.#client.names;
    const pick = this.#pick(branch.pick, place, Object.keys(branch.branches), "-1");
    body.push(`${this.#client.part("region", "Branch", place.scope)}(${path}, ${branch.key}, () => `, ...pick, ", [");
    for (const element of branch.branches) {
      const { make, bind } = this.content(element, place);
      body.push(`[${make}, `, ...bind, "], ");
    }
    body.push(`], ${slots});\n`);
  }

  #bindPortal({ to, content }: NonNullable<Element["portal"]>, path: string, place: Place, body: Code): void {
    place.scope.isNeeded = true;
    const { scope } = place;
    const portal = this.#client.part("portal", "Portal", scope);
    if (to !== undefined && typeof to !== "string") this.#captures.capture(to, place);
    const target = to === undefined || typeof to === "string" ? String(JSON.stringify(to)) : to;
    const { make, bind } = this.content(content, place);
    body.push(`${portal}(${path}, `, target, `, ${make}, `, ...bind, `, ${this.#client.names.slots});\n`);
  }

  /** @param results code for each branch. @param none code for no branch */
  #pick(pick: Pick, place: Place, results: readonly (string | Node)[], none: string): Code {
    if (typeof pick === "number") return [results[pick] ?? none];
    if ("value" in pick) {
      const otherwise = this.#pick(pick.otherwise, place, results, none);
      return ["(", results[pick.value] ?? none, `) ${pick.operator} (`, ...otherwise, ")"];
    }
    this.#captures.capture(pick.test, place);
    if (pick.equals) this.#captures.capture(pick.equals, place);
    const equals: Code = pick.equals ? [" === (", pick.equals, ")"] : [];
    const [whenTrue, otherwise] = [pick.whenTrue, pick.otherwise].map((side) => this.#pick(side, place, results, none));
    return ["(", pick.test, ")", ...equals, " ? ", ...(whenTrue ?? []), " : ", ...(otherwise ?? [])];
  }

  /** Emits the code of a whole function or declaration whose JSX the browser creates. */
  emitCreated(head: string, node: Node, scope: Scope): void {
    this.#captures.capture(node, { scope, level: 0, isBinding: false, isCreated: true });
    this.#client.add(scope.edits, [head, node, ";\n"]);
  }

  /** Emits the code that creates and binds a row or branch. Binding comes first, because it assigns the keys that the HTML contains. */
  content(element: Element, place: Place): { make: string; bind: Code } {
    const bind = this.#binder(element, place);
    return { make: this.#template(element, place.scope), bind };
  }

  #binder(element: Element, place: Place): Code {
    const { slots, root } = this.#client.names;
    const body: Code = [];
    const outer = this.#held;
    const props = this.#props;
    this.#held = [];
    this.#props = undefined;
    this.#bindElement(element, root, place, body);
    body.unshift(...this.#held);
    this.#held = outer;
    this.#props = props;
    return body.length === 0 ? ["0"] : [`(${slots}, ${root}) => {\n`, ...body, "}"];
  }

  #template(element: Element, scope: Scope): string {
    const name = `${this.#client.names.prefix}t${this.#templates++}`;
    const { prefix } = this.#client.names;
    const tpl = element.tag === "" ? this.#client.createPart("M", scope) : this.#client.part("region", "tpl", scope);
    // A chunk may need few of the components of a module of create functions.
    const pure = this.#client.isCreateModule ? "/* @__PURE__ */ " : "";
    const make = makerCode(element, tpl, prefix);
    this.#client.add(scope.edits, [`const ${name} = ${pure}${make};\n`]);
    return name;
  }
}
