/**
 * Step 4 for live props: a parent passes a value that changes in the browser, and the component stays as the server rendered it. What the
 * component shows of its props is bound by code in a second browser module of its file, which only instances with live props load, so the
 * chunk of the file stays as it is. The same module makes the derived values that a file passes as props.
 */
import type { ESTree } from "vite";
import { SvcError } from "../../../platform/shared/errors.ts";
import { ALL_PROPS } from "../../../platform/shared/wire.ts";
import { isInside, type Module } from "../analyze/analyze.ts";
import { componentName } from "../analyze/components.ts";
import { returnsOfChoice, type Returns } from "../analyze/early-returns.ts";
import { bindingAt, isMadeOfProps, propNamed } from "../analyze/prop-names.ts";
import { choiceByProps } from "../analyze/chosen-components.ts";
import { componentOf, propReads, propsOfAll, shownReads } from "../analyze/prop-reads.ts";
import { isListOfFunctions, isLiteralWithStore, isResource, changingBehind } from "../analyze/passed-objects.ts";
import { isNamedStore, readsStore } from "../analyze/store-items.ts";
import { isChildren, readsOfRegion } from "../extract/jsx-forms.ts";
import { followedRows } from "../extract/followed-rows.ts";
import { LIVE_KEY } from "../extract/node-paths.ts";
import { functionOf, svcName } from "../analyze/declaration-kinds.ts";
import { hookOf, isHeld } from "../analyze/held-state.ts";
import { itemOf, originIn } from "../analyze/origins.ts";
import { contextIn, contextName, contextsIn } from "../analyze/context-names.ts";
import { providedFrom } from "../analyze/provided-contexts.ts";
import { isFrozen } from "../analyze/frozen-components.ts";
import {
  holdsJsx,
  isFunction,
  isJsx,
  tagName,
  unwrap,
  type Expression,
  type FunctionNode,
  type Node,
} from "../parse/ast.ts";
import type { BrowserEmitter } from "./emit-browser.ts";
import type { ClientModule } from "./client-module.ts";
import type { Captured } from "./emit-captured.ts";
import { BoundSpreads } from "./bound-spreads.ts";
import { DerivedValues, targetOf, type Target } from "./derived-values.ts";
import { isAnyOf, type CalledNames, type PassedProp } from "./passed-props.ts";
import { newScope, type Element, type PropConditions, type Run, type Scope, type Slot } from "../model.ts";
import type { ServerOutput } from "./server-output.ts";

/** Most conditions that have a bit of their own. The last bit is for all others. */
const MOST_BITS = 30;

/** Elements in which the parser takes comments for text. */
const TEXT_TAGS: ReadonlySet<string> = new Set(["title", "textarea"]);

/** Server code of what a call passes beside a prop. */
interface Passed {
  code: string;
  /** Whether it is live in any case, not only if a prop that it reads is. */
  isSure: boolean;
}

export class LivePropsEmitter {
  readonly #module: Module;
  readonly #out: ServerOutput;
  readonly #frozen: ReadonlySet<string>;
  /** Emitted first, since it determines the slots of all instances, whatever the app passes. */
  readonly #all: Target;
  readonly #needed: Target | undefined;
  readonly #values: DerivedValues;
  readonly #calls = new Map<Node, { passed: Passed | undefined }>();
  readonly #followed: Node[] = [];
  readonly passed: PassedProp[] = [];
  /** Names of the props that are functions, which the browser may call. */
  readonly functions = new Set<string>();
  /** Names of the props that one piece of code reads, separated by spaces. It runs if one of them is live. */
  readonly readTogether = new Set<string>();
  /** What instances with live props show only once, because the browser can't run its code. */
  readonly stale: Node[] = [];
  readonly spreads: BoundSpreads;
  #symbols = { p: 0, f: 0 };
  readonly #called: CalledNames;

  /**
   * @param wanted names of the props that the app passes as derived values. Default: any.
   * @param frozen local names of imported components that can't follow props.
   * @param called names of the props whose functions the app's browser code may call
   * @param plainHooks local names of imported hooks that return no state
   */
  constructor(
    module: Module,
    out: ServerOutput,
    wanted: ReadonlySet<string> | undefined,
    frozen: ReadonlySet<string> = new Set(),
    called: CalledNames = { anywhere: new Set(), shown: new Set(), besideLive: new Set() },
    plainHooks: ReadonlySet<string> = new Set(),
  ) {
    this.#called = called;
    this.#module = module;
    this.#frozen = frozen;
    this.#out = out;
    this.#all = targetOf(module, () => true);
    this.#needed =
      wanted && targetOf(module, (reads) => isAnyOf(contextsIn(reads), wanted) || readsHook(reads, plainHooks));
    this.#values = new DerivedValues(module, out, this.#all, this.#needed);
    const targets = this.#needed ? [this.#all, this.#needed] : [this.#all];
    for (const { browser } of targets) this.follow(browser);
    this.spreads = new BoundSpreads(module, out, this.#values, targets);
  }

  /** Makes an emitter of views keep instances whose props are live. */
  follow(browser: BrowserEmitter): void {
    browser.followLiveProps(this);
  }

  /** Local names of the hooks whose results may contain stores that instances follow although no prop is live. */
  get hooks(): ReadonlySet<string> {
    return this.#values.held.hooks;
  }

  /** The browser module. */
  get client(): ClientModule {
    return (this.#needed ?? this.#all).client;
  }

  /** Marks what a root template shows of props, and emits its bindings. Called when its other bindings are emitted. */
  emitScope(scope: Scope, root: Element): void {
    const fn = componentOf(this.#module, root.node);
    if (!fn) return;
    const hasBindings = this.#mark(root);
    const known = scope.slots.length;
    if (!hasBindings && !scope.slots.some(({ node }) => propReads(this.#module, node) !== "")) return;
    const symbol = `p${this.#symbols.p++}`;
    const conditions: string[] = [];
    const guards = new Map<Slot, number>();
    const own = this.#copyOf(scope, this.#all);
    own.slots.push({ source: "", kind: "value", node: root.node });
    this.#all.browser.emitLiveProps(own, root, symbol, scope.bind, {
      maskSlot: known,
      isWanted: () => true,
      bitOf(props, read) {
        const bit = bitOf(conditions, props);
        for (const slot of read) guards.set(slot, (guards.get(slot) ?? 0) | bit);
        return bit;
      },
    });
    this.#noteFollowed(root);
    if (this.#needed) this.#emitAgain(this.#needed, own, { scope, root, symbol, conditions, known });
    for (const names of conditions) this.readTogether.add(names);
    const shown = conditions.join(" ");
    const props = this.#values.propsWith(fn, shown);
    const given = this.#values.givenWith(fn, shown);
    const spreads = own.slots.flatMap(({ spread }) => (spread ? [spread] : []));
    const block = this.#values.block(own, symbol, scope, componentName(this.#module, fn));
    const slots = own.slots.map((slot, at) => {
      if (at === known) return this.#out.local("mask");
      if (slot.spread) return this.spreads.boundProps(slot.spread, block);
      const code = at < known ? this.#values.slot(slot) : this.#values.shownSlot(slot);
      if (guards.has(slot) && code === slot.source && isMadeOfProps(this.#module, slot.node))
        this.stale.push(slot.node);
      // Before the mask are the slots of every instance.
      return at < known ? code : `${this.#out.local("mask")} & ${guards.get(slot) ?? -1} ? ${code} : 0`;
    });
    const also = spreads.map((spread) => this.spreads.bindsSome(spread));
    // The mask is a number, so no change of it wakes the scope. Counting it keeps the indices in one row.
    if (Math.max(...own.bound) > known) own.bound.add(known);
    scope.live = { block, props, given, bound: own.bound, conditions, slots, also };
  }

  #emitAgain(
    target: Target,
    { slots, bound }: Scope,
    {
      scope,
      root,
      symbol,
      conditions,
      known,
    }: { scope: Scope; root: Element; symbol: string; conditions: string[]; known: number },
  ): void {
    const copy = this.#copyOf(scope, target);
    copy.slots = [...slots];
    copy.bound = new Set(bound);
    const isWanted = (props: string): boolean => target.isWanted(props);
    target.browser.emitLiveProps(copy, root, symbol, scope.bind, {
      maskSlot: known,
      isWanted,
      bitOf: (props) => bitOf(conditions, props),
    } satisfies PropConditions);
  }

  /** A scope with the slots and rows of another one, for the code of one module. */
  #copyOf(scope: Scope, target: Target): Scope {
    const copy = newScope(scope.index, target.client.newEdits());
    copy.slots = [...scope.slots];
    copy.bound = new Set(scope.bound);
    copy.frames = [...scope.frames];
    copy.events = scope.events;
    copy.parts = new Set(scope.parts);
    return copy;
  }

  /**
   * Emits the scope of a component whose returns depend on what may change. Returns before the last call of a hook can't read what the others
   * need, so they are left out if the scope of all is impossible.
   * @returns the scope, and the position in the source of its first return
   */
  emitChoice(fn: FunctionNode, newScopeOf: () => Scope): { scope: Scope; start: number } | undefined {
    for (const start of [0, this.#values.held.endOfHooks(fn)]) {
      const returns = start === undefined ? undefined : returnsOfChoice(fn, start);
      if (!returns || propsOfAll(this.#module, returns.tests) === "") continue;
      const scope = newScopeOf();
      this.emitHost(scope, returns);
      if (scope.live) return { scope, start: returns.first.start };
    }
    return undefined;
  }

  /** Emits what content in no element shows of props, and completes its scope. Content that the browser can't create keeps its first value. */
  emitHost(scope: Scope, content: Node | Returns): void {
    const nodes = "contents" in content ? [...content.tests, ...content.contents] : this.#decides(content);
    const reads = propsOfAll(this.#module, nodes);
    const fn = nodes[0] && componentOf(this.#module, nodes[0]);
    if (!fn || reads === "") return;
    this.readTogether.add(reads);
    const symbol = `p${this.#symbols.p++}`;
    const own = this.#hostScope(scope, this.#all);
    try {
      this.#all.browser.emitHost(own, content, symbol, true);
    } catch (error) {
      if (error instanceof SvcError) return;
      throw error;
    }
    if (this.#needed?.isWanted(reads)) {
      const copy = this.#hostScope(scope, this.#needed);
      copy.slots = [...own.slots];
      this.#needed.browser.emitHost(copy, content, symbol, true);
    }
    const slots = this.#values.slotsOf(own, "contents" in content ? content.first.start : undefined);
    if (!slots) return;
    const { scopes } = this.#module;
    this.#followed.push(
      ...nodes.flatMap((node) => (isJsx(unwrap(node)) ? (readsOfRegion(unwrap(node), scopes) ?? []) : [node])),
    );
    scope.live = {
      block: this.#values.block(own, symbol, scope, componentName(this.#module, fn)),
      props: this.#values.propsWith(fn, reads),
      given: this.#values.givenWith(fn, reads),
      bound: own.bound,
      conditions: [reads],
      slots,
      also: [],
    };
  }

  /** A scope with the effects of another one, in place of which it is resumed. */
  #hostScope({ index, effects, resources }: Scope, { client }: Target): Scope {
    return { ...newScope(index, client.newEdits()), effects, resources };
  }

  /** What decides the content: what chooses a component, or all of an expression. */
  #decides(content: Node): readonly Node[] {
    const inner = unwrap(content);
    const choice = inner.type === "JSXElement" ? choiceByProps(this.#module, inner) : [];
    return choice.length > 0 ? choice : [content];
  }

  /** Code of a captured value for an instance that may have live props. */
  slot(slot: Captured): string {
    return this.#values.slot(slot);
  }

  /** Marks texts, attributes and conditions that read props and are not live otherwise. @returns whether there are any */
  #mark(element: Element): boolean {
    let found = false;
    const mark = (shown: { props?: string }, ...expressions: readonly Node[]): boolean => {
      const props = propsOfAll(this.#module, expressions);
      if (props === "") return false;
      found = true;
      shown.props = props;
      return true;
    };
    for (const attribute of element.attributes) {
      if (attribute.kind === "value" && !attribute.live) mark(attribute, attribute.expression);
      if (attribute.kind === "spread") found = this.spreads.mark(attribute) || found;
    }
    if (element.rawHtml && !element.rawHtml.live) mark(element.rawHtml, element.rawHtml.expression);
    if (TEXT_TAGS.has(element.tag)) return this.#markText(element) || found;
    element.items.forEach((item, at) => {
      if (item.kind === "element") found = this.#mark(item) || found;
      if (item.kind !== "piece" || !mark(item, ...(item.choice ?? [item.expression]))) return;
      item.key = `${LIVE_KEY}${at}`;
      const rows = followedRows(this.#module, item.expression);
      if (rows) item.rows = { ...rows, key: item.key };
    });
    return found;
  }

  /** Marks the content of an element in which the parser takes comments for text. @returns whether it reads props */
  #markText(element: Element): boolean {
    const parts: Run["parts"] = [];
    for (const item of element.items) {
      if (item.kind === "text") parts.push(item.text);
      else if (
        item.kind === "piece" &&
        !holdsJsx(item.expression) &&
        !isChildren(unwrap(item.expression), this.#module.scopes)
      )
        parts.push(item.expression as Expression);
      else return false;
    }
    const names = propsOfAll(
      this.#module,
      parts.filter((part) => typeof part !== "string"),
    );
    if (names === "") return false;
    element.liveText = {
      run: { kind: "run", parts, isSole: true, needsSeparator: false, key: undefined },
      props: names,
    };
    return true;
  }

  #noteFollowed(element: Element): void {
    if (element.liveText?.props !== undefined)
      this.#followed.push(...element.liveText.run.parts.filter((part) => typeof part !== "string"));
    for (const item of [...element.attributes, ...element.items]) {
      if (item.kind === "element") this.#noteFollowed(item);
      else if ((item.kind === "value" || item.kind === "piece") && item.props !== undefined)
        this.#followed.push(...((item.kind === "piece" && item.choice) || [item.expression]));
    }
  }

  /** What a component call passes beside the value of a prop; undefined if the prop is not live. */
  passedProp(attribute: ESTree.JSXAttribute, expression: Node): Passed | undefined {
    const known = this.#calls.get(attribute);
    if (known) return known.passed;
    const passed = this.#passed(attribute, expression);
    this.#calls.set(attribute, { passed });
    return passed;
  }

  /** Whether a component follows live props: one of the app whose returns the browser can choose. */
  followsProps({ name }: ESTree.JSXOpeningElement): boolean {
    const [reference] = this.#module.scopes.within(name);
    const { binding } = reference ?? {};
    if (!binding || name.type !== "JSXIdentifier" || this.serverTagOf({ name })) return false;
    if (binding.declared === "import") return binding.owner === null && !this.#frozen.has(binding.name);
    const fn = functionOf(binding);
    return fn !== undefined && this.#module.components.has(fn) && !isFrozen(this.#module, fn);
  }

  /** The tag of an attribute whose component only the server runs. */
  serverTag(attribute: ESTree.JSXAttribute): string | undefined {
    const parent = this.#module.parentOf(attribute);
    return parent?.type === "JSXOpeningElement" ? this.serverTagOf(parent) : undefined;
  }

  serverTagOf({ name }: Pick<ESTree.JSXOpeningElement, "name">): string | undefined {
    const builtin = svcName(name, this.#module.scopes);
    const tag = tagName(name);
    return builtin !== undefined || tag.endsWith(".Provider") || tag === "Fragment" ? tag : undefined;
  }

  /** What a component call passes beside children that change. @throws SvcError if the browser can't make them */
  passedChildren(parts: readonly Expression[]): string {
    const emit = (target: Target, scope: Scope): void => target.browser.emitChildren(scope, parts, symbol);
    const symbol = this.#values.newSymbol();
    const scope = newScope(0, this.#all.client.newEdits());
    emit(this.#all, scope);
    if (this.#needed) {
      const copy = newScope(0, this.#needed.client.newEdits());
      copy.slots = [...scope.slots];
      emit(this.#needed, copy);
    }
    this.passed.push({ name: "children", from: "" });
    const slots = scope.slots.map((slot) => this.#values.slot(slot)).join(", ");
    return `${this.#out.use("derive")}(${this.#values.block(scope, undefined, scope, "")}, "${symbol}", [${slots}])`;
  }

  /** Records that components may read state from a context. */
  #noteProvided(attribute: ESTree.JSXAttribute, value: Node): void {
    const call = this.#module.parentOf(attribute);
    const tag = call?.type === "JSXOpeningElement" && call.name.type === "JSXMemberExpression" ? call.name : undefined;
    const from = tag?.property.name === "Provider" ? providedFrom(this.#module, value) : undefined;
    if (tag && from !== undefined) this.passed.push({ name: contextName(this.#module, tag.object), from });
  }

  #passed(attribute: ESTree.JSXAttribute, expression: Node): Passed | undefined {
    const inner = unwrap(expression);
    const name = String(attribute.name.name);
    if (isFunction(inner) || isJsx(inner) || inner.type === "Literal" || name === "key") return undefined;
    if (this.serverTag(attribute) !== undefined) {
      this.#noteProvided(attribute, inner);
      return undefined;
    }
    const text = this.#module.file.text.slice(inner.start, inner.end);
    if (isNamedStore(this.#module, inner) && !isLiteralWithStore(this.#module, inner)) {
      // The store itself is what the component follows.
      this.passed.push({ name, from: "" });
      return { code: text, isSure: true };
    }
    const held = inner.type === "Identifier" ? this.#values.held.behind(inner) : undefined;
    if (held) {
      this.passed.push({ name, from: held.name });
      return { code: `${this.#out.use("passedState")}(${text})`, isSure: true };
    }
    if (isLiteralWithStore(this.#module, inner)) {
      this.passed.push({ name, from: "" });
      return { code: `${this.#out.use("passedState")}(${text})`, isSure: true };
    }
    if (isListOfFunctions(this.#module, inner) || isResource(this.#module, inner)) {
      // The resource, or the functions in the list, are what the component follows.
      this.passed.push({ name, from: "" });
      return { code: text, isSure: true };
    }
    const made = inner.type === "Identifier" ? changingBehind(this.#module, inner) : inner;
    const liveness = made ? this.#module.liveness(made) : "static";
    const isSure = liveness !== "static" || readsStore(this.#module, inner);
    const reads = shownReads(this.#module, expression);
    const fn = componentOf(this.#module, expression);
    if (!isSure && (reads === "" || !fn)) return undefined;
    const known = fn && !isSure ? propNamed(this.#module, fn, inner) : undefined;
    if (known !== undefined && fn) {
      this.passed.push({ name, from: reads });
      return { code: `${this.#out.use("livePart")}(${this.#values.propsOf(fn)}, ${JSON.stringify(known)})`, isSure };
    }
    const derived = this.#values.derive([expression], undefined, undefined, isSure ? "" : reads);
    const use = liveness === "maybe" ? "deriveRead" : "derive";
    const code = isSure || !fn ? this.#values.derived(use, derived) : this.#values.deriveIf(fn, reads, derived, "0");
    if (code === undefined) {
      if (!isSure && !holdsJsx(expression)) this.stale.push(expression);
      return undefined;
    }
    this.passed.push({ name, from: isSure ? "" : reads });
    return {
      code,
      isSure: isSure || (fn !== undefined && this.#values.givenWith(fn, reads) !== this.#values.propsOf(fn)),
    };
  }

  /** The function of the component that a name refers to; other code as it is. */
  #functionBehind(code: Node): Node {
    const binding = bindingAt(this.#module, unwrap(code));
    return (binding?.owner && functionOf(binding)) || code;
  }

  /**
   * Records how the browser creates a function that is a prop.
   * @returns code before the function, and how it is live; undefined for other values, and for functions that only the server can run
   * @throws SvcError if browser code of the app may call the function, and can't create it
   */
  passedFunction(attribute: ESTree.JSXAttribute, expression: Node): { open: string; live?: Passed } | undefined {
    const name = String(attribute.name.name);
    const tag = this.serverTag(attribute);
    if (!this.#isFunction(unwrap(expression)) || (tag !== undefined && tag !== "Dynamic")) return undefined;
    const symbol = `f${this.#symbols.f++}`;
    const scope = newScope(0, this.#all.client.newEdits());
    const isCalled =
      this.#called.anywhere.has(name) || (this.#called.besideLive.has(name) && this.#isBesideLive(attribute));
    this.functions.add(name);
    try {
      this.#all.browser.emitFunction(scope, expression, symbol);
    } catch (error) {
      if (error instanceof SvcError && !isCalled) return undefined;
      throw error;
    }
    if (this.#needed && isCalled) {
      const copy = newScope(0, this.#needed.client.newEdits());
      copy.slots = [...scope.slots];
      this.#needed.browser.emitFunction(copy, expression, symbol);
    }
    const slots = scope.slots.map((slot) => this.#values.slot(slot)).join(", ");
    const open = `${this.#out.use("fn")}(${this.#values.block(scope, undefined, scope, "")}, "${symbol}", [${slots}], `;
    const code = this.#functionBehind(expression);
    const ofStore = readsStore(this.#module, code);
    const isSure = ofStore || this.#module.liveness(code) !== "static";
    const from = shownReads(this.#module, code);
    if (!isSure && from === "") return { open };
    this.passed.push({ name, from: isSure ? "" : from });
    return { open, live: { code: this.#out.use(ofStore ? "CALLED_FOR_STORE" : "CALLED"), isSure } };
  }

  /**
   * Emits a function in an object that components, contexts or hooks get.
   * @param receivers names of these. @param head keywords of a method. @param isOfModule whether it is the name of a value that both sides have
   * @returns server code of the first arguments of `lift` or `moduleValue`; undefined for functions that only the server can run
   * @throws SvcError if browser code of the app captures it, and can't create it
   */
  giveFunction(receivers: readonly string[], code: Node, head: string, isOfModule: boolean): string | undefined {
    const isCaptured = receivers.some((name) => this.#isCaptured(name, code));
    const symbol = `f${this.#symbols.f++}`;
    const emit = ({ browser, client }: Target, own: Scope): void => {
      browser.emitFunction(own, code, isOfModule ? `${symbol}o` : symbol, head);
      const { slots } = client.names;
      const value = `${slots}.reduce((at, key) => at[key], ${symbol}o())`;
      if (isOfModule) client.add(own.edits, [`export const ${symbol} = (${slots}) => ${value};\n`]);
    };
    const scope = newScope(0, this.#all.client.newEdits());
    for (const name of receivers) this.functions.add(originIn(name));
    try {
      emit(this.#all, scope);
    } catch (error) {
      if (error instanceof SvcError && !isCaptured) return undefined;
      throw error;
    }
    if (this.#needed && isCaptured) {
      const copy = newScope(0, this.#needed.client.newEdits());
      copy.slots = [...scope.slots];
      emit(this.#needed, copy);
    }
    const slots = scope.slots.map((slot) => this.#values.slot(slot)).join(", ");
    const block = this.#values.block(scope, undefined, scope, "");
    return isOfModule ? `${block}, "${symbol}"` : `${block}, "${symbol}", () => [${slots}]`;
  }

  #isCaptured(receiver: string, code: Node): boolean {
    const { anywhere, shown, besideLive } = this.#called;
    const fn = this.#functionBehind(code);
    const isStatic = this.#module.liveness(fn) === "static" && shownReads(this.#module, fn) === "";
    const others = !isHeld(receiver) ? besideLive : isStatic ? [] : shown;
    return [...anywhere, ...others].some((name) => includes(name, receiver) || name === ALL_PROPS);
  }

  /** Whether a component gets a prop that changes next to this one. */
  #isBesideLive(attribute: ESTree.JSXAttribute): boolean {
    const call = this.#module.parentOf(attribute);
    if (call?.type !== "JSXOpeningElement") return false;
    return call.attributes.some((other) => {
      if (other.type === "JSXSpreadAttribute") return true;
      if (other === attribute || other.value?.type !== "JSXExpressionContainer") return false;
      const { expression } = other.value;
      if (this.#module.liveness(expression) !== "static" || readsStore(this.#module, expression)) return true;
      return this.#needed?.isWanted(shownReads(this.#module, expression)) === true;
    });
  }

  /** Whether an expression is a function that returns no JSX. */
  #isFunction(inner: Node): boolean {
    if (isFunction(inner)) return !holdsJsx(inner);
    const binding = bindingAt(this.#module, inner);
    if (!binding || /^[A-Z]/.test(binding.name)) return false;
    const fn = functionOf(binding);
    return fn ? !holdsJsx(fn) : binding.declared === "import";
  }

  /** Whether bindings of live props show the value of an expression, or of one around it. */
  follows(node: Node): boolean {
    return [...this.#followed, ...this.spreads.followed].some((expression) => isInside(node, expression));
  }

  /** Code of the live props of an instance, with the state in results of hooks that have one of these names, which spaces separate. */
  stateIn(node: Node, names: string): string | undefined {
    const fn = componentOf(this.#module, node);
    return fn && this.#values.propsWith(fn, names);
  }

  /** Code that is true if the component around a node has live props; undefined outside of components with props. */
  hasLiveProps(node: Node): string | undefined {
    const fn = componentOf(this.#module, node);
    if (!fn?.params[0] || fn.params[0].type === "RestElement") return undefined;
    return `${this.#values.propsOf(fn)}?.[${this.#out.use("LIVE")}]`;
  }
}

/** Whether one of the names, which are separated by spaces, is for the result of a hook that may return state. */
function readsHook(names: string, plainHooks: ReadonlySet<string>): boolean {
  const hooks = names.split(" ").filter((name) => isHeld(name) && contextIn(name) === undefined);
  return hooks.some((name) => !plainHooks.has(hookOf(name)));
}

/** Whether the value of a name contains that of another one: a context contains its members. */
function includes(name: string, other: string): boolean {
  return name === other || name === itemOf(other) || name === originIn(other) || originIn(name) === other;
}

function bitOf(conditions: string[], props: string): number {
  let at = conditions.indexOf(props);
  if (at < 0 && conditions.length < MOST_BITS) at = conditions.push(props) - 1;
  if (at >= 0) return 2 ** at;
  conditions[MOST_BITS - 1] = ALL_PROPS;
  return 2 ** (MOST_BITS - 1);
}
