/**
 * Step 4 for live props: a parent passes a value that changes in the browser, and the component stays as the server rendered it. What the
 * component shows of its props is bound by code in a second browser module of its file, which only instances with live props load, so the
 * chunk of the file stays as it is. The same module makes the derived values that a file passes as props.
 */
import type { ESTree } from "vite";
import { SvcError } from "../../../platform/shared/errors.ts";
import { ALL_PROPS } from "../../../platform/shared/wire.ts";
import { isInside, type Module } from "../analyze/analyze.ts";
import { isHook } from "../analyze/escaping.ts";
import { createsState } from "../analyze/repeatable.ts";
import { componentName } from "../analyze/components.ts";
import type { Returns } from "../analyze/early-returns.ts";
import {
  bindingAt,
  isMadeOfProps,
  isPropsObject,
  importBehind,
  mayHoldHandlers,
  propNamed,
  rootOfObject,
} from "../analyze/prop-names.ts";
import { choiceByProps } from "../analyze/chosen-components.ts";
import { componentOf, passedReads, propReads, propsOfAll } from "../analyze/prop-reads.ts";
import { isNamedStore, readsStore } from "../analyze/store-items.ts";
import { isChildren, readsOfRegion } from "../extract/jsx-forms.ts";
import { LIVE_KEY } from "../extract/node-paths.ts";
import { functionOf, svcName } from "../analyze/declaration-kinds.ts";
import { hookOf, isHeld } from "../analyze/held-state.ts";
import { diagnostic } from "../diagnostics.ts";
import { isFrozen } from "../analyze/frozen-components.ts";
import { holdsJsx, isFunction, isJsx, tagName, unwrap, type Expression, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";
import type { BrowserEmitter } from "./emit-browser.ts";
import type { ClientModule } from "./client-module.ts";
import { DerivedValues, targetOf, type Target } from "./derived-values.ts";
import { isAnyOf, type PassedProp } from "./passed-props.ts";
import {
  newScope,
  type Element,
  type PropConditions,
  type Run,
  type Scope,
  type Slot,
  type SpreadAttribute,
} from "../model.ts";
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
  /** What instances with live props show only once, because the browser can't run its code. */
  readonly stale: Node[] = [];
  /** Imports whose objects, or the objects that they return, are spread on elements. */
  readonly spreadImports: { binding: Binding; node: Node }[] = [];
  /** Whether an element of the file gets props in a spread. */
  hasSpread = false;
  #symbols = { p: 0, f: 0, s: 0 };
  readonly #called: ReadonlySet<string>;

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
    called: ReadonlySet<string> = new Set(),
    plainHooks: ReadonlySet<string> = new Set(),
  ) {
    this.#called = called;
    this.#module = module;
    this.#frozen = frozen;
    this.#out = out;
    this.#all = targetOf(module, () => true);
    this.#needed = wanted && targetOf(module, (reads) => isAnyOf(reads, wanted) || readsHook(reads, plainHooks));
    this.#values = new DerivedValues(module, out, this.#all, this.#needed);
    for (const target of [this.#all, this.#needed]) if (target) this.follow(target.browser);
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
    const props = this.#values.propsWith(fn, conditions.join(" "));
    const spreads = own.slots.flatMap(({ spread }) => (spread ? [spread] : []));
    const block = this.#values.block(own, symbol, scope, componentName(this.#module, fn));
    const slots = own.slots.map((slot, at) => {
      if (at === known) return this.#out.local("mask");
      if (slot.spread) return this.#boundProps(slot.spread, block);
      const code = at < known ? this.#values.slot(slot) : this.#values.shownSlot(slot);
      if (guards.has(slot) && code === slot.source && isMadeOfProps(this.#module, slot.node))
        this.stale.push(slot.node);
      // Before the mask are the slots of every instance.
      return at < known ? code : `${this.#out.local("mask")} & ${guards.get(slot) ?? -1} ? ${code} : 0`;
    });
    const also = spreads.map(
      (spread) =>
        `${this.#out.use("bindsSome")}(${this.#argumentsOf(spread)}${spread.again === undefined ? "" : `, ${spread.again}`})`,
    );
    scope.live = { block, props, boundCount: own.boundCount, conditions, slots, also };
  }

  #argumentsOf({ expression, skip, once }: SpreadAttribute): string {
    return `${once ?? this.#module.file.text.slice(expression.start, expression.end)}, ${JSON.stringify(skip)}`;
  }

  #boundProps(spread: SpreadAttribute, block: string): string {
    const again = spread.again === undefined ? "" : `, ${spread.again}`;
    return `${this.#out.use("boundProps")}(${this.#argumentsOf(spread)}, ${block}, "${spread.own}"${again})`;
  }

  /** Gives a spread of a named object, such as the props, the rest of them or the result of a hook, a symbol in the browser module. */
  #markSpread(attribute: SpreadAttribute): boolean {
    const fn = componentOf(this.#module, attribute.expression);
    const object = unwrap(attribute.expression);
    if (!fn || attribute.live || !mayHoldHandlers(this.#module, object)) return false;
    const root = rootOfObject(object);
    const binding = root && bindingAt(this.#module, root);
    const source = binding && importBehind(this.#module, binding);
    if (root && source) this.spreadImports.push({ binding: source, node: root });
    if (binding?.declared === "import") return false;
    attribute.own = this.#values.newSymbol();
    for (const target of [this.#all, this.#needed])
      target?.browser.emitOwn(attribute.own, newScope(0, target.client.newEdits()));
    const isMade = object.type === "CallExpression" || binding?.owner === null;
    if (isMade && !holdsJsx(object)) this.#markCall(attribute);
    if (binding?.owner === null && attribute.again === undefined && !this.#isHookCall(object))
      throw diagnostic(
        this.#module.file,
        "SVC103",
        attribute.expression,
        "This spread contains handlers, and its code can't run in the browser, because it uses something that only the server has or a variable of the module. Write the handlers as attributes: onClick={…}.",
      );
    if (isPropsObject(this.#module, fn, object)) this.#followed.push(attribute.expression);
    this.hasSpread = true;
    return true;
  }

  /** The server calls it once. The browser calls it again if what it uses may change, or if only the call makes its handlers. */
  #markCall(attribute: SpreadAttribute): void {
    const { expression } = attribute;
    attribute.once = this.#out.local(`spread${this.#symbols.s++}`);
    if (this.#isHookCall(unwrap(expression))) return;
    const made = this.#values.derived("derive", this.#values.derive([expression]));
    if (made !== undefined) attribute.again = `() => ${made}`;
  }

  /** Whether a call creates state, so that the browser must not repeat it. Functions of hooks have records of their own. */
  #isHookCall(object: Node): boolean {
    const callee = object.type === "CallExpression" ? unwrap(object.callee) : undefined;
    const binding = callee && bindingAt(this.#module, callee);
    const fn = binding && functionOf(binding);
    return (
      callee !== undefined && (createsState(this.#module, callee) || (fn !== undefined && isHook(this.#module, fn)))
    );
  }

  #emitAgain(
    target: Target,
    { slots, boundCount }: Scope,
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
    copy.boundCount = boundCount;
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
    copy.boundCount = scope.boundCount;
    copy.frames = [...scope.frames];
    copy.events = scope.events;
    copy.parts = new Set(scope.parts);
    return copy;
  }

  /** Emits what content in no element shows of props, and completes its scope. Content that the browser can't create keeps its first value. */
  emitHost(scope: Scope, content: Node | Returns): void {
    const nodes = "contents" in content ? [...content.tests, ...content.contents] : this.#decides(content);
    const reads = propsOfAll(this.#module, nodes);
    const fn = nodes[0] && componentOf(this.#module, nodes[0]);
    if (!fn || reads === "") return;
    const symbol = `p${this.#symbols.p++}`;
    const own = newScope(scope.index, this.#all.client.newEdits());
    try {
      this.#all.browser.emitHost(own, content, symbol, true);
    } catch (error) {
      if (error instanceof SvcError) return;
      throw error;
    }
    if (this.#needed?.isWanted(reads)) {
      const copy = newScope(scope.index, this.#needed.client.newEdits());
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
      boundCount: own.boundCount,
      conditions: [reads],
      slots,
      also: [],
    };
  }

  /** What decides the content: what chooses a component, or all of an expression. */
  #decides(content: Node): readonly Node[] {
    const inner = unwrap(content);
    const choice = inner.type === "JSXElement" ? choiceByProps(this.#module, inner) : [];
    return choice.length > 0 ? choice : [content];
  }

  /** Code of a captured value for an instance that may have live props. */
  slot(slot: Pick<Slot, "source" | "node" | "isView">): string {
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
      if (attribute.kind === "spread") found = this.#markSpread(attribute) || found;
    }
    if (element.rawHtml && !element.rawHtml.live) mark(element.rawHtml, element.rawHtml.expression);
    if (TEXT_TAGS.has(element.tag)) return this.#markText(element) || found;
    element.items.forEach((item, at) => {
      if (item.kind === "element") found = this.#mark(item) || found;
      if (item.kind === "piece" && mark(item, ...(item.choice ?? [item.expression]))) item.key = `${LIVE_KEY}${at}`;
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

  #passed(attribute: ESTree.JSXAttribute, expression: Node): Passed | undefined {
    const inner = unwrap(expression);
    const name = String(attribute.name.name);
    if (isFunction(inner) || isJsx(inner) || inner.type === "Literal" || name === "key") return undefined;
    if (this.serverTag(attribute) !== undefined) return undefined;
    if (isNamedStore(this.#module, inner)) {
      // The store itself is what the component follows.
      this.passed.push({ name, from: "" });
      return { code: this.#module.file.text.slice(inner.start, inner.end), isSure: true };
    }
    const held = inner.type === "Identifier" ? this.#values.held.of(inner) : undefined;
    if (held) {
      this.passed.push({ name, from: held.name });
      return { code: `${this.#out.use("wholeState")}(${held.source})`, isSure: true };
    }
    const liveness = inner.type === "Identifier" ? "static" : this.#module.liveness(inner);
    const isSure = liveness !== "static" || readsStore(this.#module, inner);
    const reads = passedReads(this.#module, expression);
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
      isSure: isSure || (fn !== undefined && this.#values.propsWith(fn, reads) !== this.#values.propsOf(fn)),
    };
  }

  /**
   * Records how the browser creates a function that is a prop.
   * @returns code before the function, and how it is live; undefined for other values, and for functions that only the server can run
   * @throws SvcError if browser code of the app may call the function, and can't create it
   */
  passedFunction(attribute: ESTree.JSXAttribute, expression: Node): { open: string; live?: Passed } | undefined {
    const name = String(attribute.name.name);
    if (!this.#isFunction(unwrap(expression)) || this.serverTag(attribute) !== undefined) return undefined;
    const symbol = `f${this.#symbols.f++}`;
    const scope = newScope(0, this.#all.client.newEdits());
    const isCalled = this.#called.has(name);
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
    const ofStore = readsStore(this.#module, expression);
    const isSure = ofStore || this.#module.liveness(expression) !== "static";
    const from = passedReads(this.#module, expression);
    if (!isSure && from === "") return { open };
    this.passed.push({ name, from: isSure ? "" : from });
    return { open, live: { code: this.#out.use(ofStore ? "CALLED_FOR_STORE" : "CALLED"), isSure } };
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
    return this.#followed.some((expression) => isInside(node, expression));
  }

  /** Code of the props object of the component around a node; undefined outside of components with props. */
  propsAround(node: Node): string | undefined {
    const fn = componentOf(this.#module, node);
    return fn?.params[0] && fn.params[0].type !== "RestElement" ? this.#values.propsOf(fn) : undefined;
  }

  /** Code of the live props of an instance, with the state in results of hooks that have one of these names, which spaces separate. */
  stateIn(node: Node, names: string): string | undefined {
    const fn = componentOf(this.#module, node);
    return fn && this.#values.propsWith(fn, names);
  }

  /** Code that is true if the component around a node has live props; undefined outside of components with props. */
  hasLiveProps(node: Node): string | undefined {
    const props = this.propsAround(node);
    return props && `${props}?.[${this.#out.use("LIVE")}]`;
  }
}

/** Whether one of the names, which are separated by spaces, is for the result of a hook that may return state. */
function readsHook(names: string, plainHooks: ReadonlySet<string>): boolean {
  return names.split(" ").some((name) => isHeld(name) && !plainHooks.has(hookOf(name)));
}

function bitOf(conditions: string[], props: string): number {
  let at = conditions.indexOf(props);
  if (at < 0 && conditions.length < MOST_BITS) at = conditions.push(props) - 1;
  if (at >= 0) return 2 ** at;
  conditions[MOST_BITS - 1] = ALL_PROPS;
  return 2 ** (MOST_BITS - 1);
}
