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
import { ContextUseFinder } from "../analyze/contexts.ts";
import type { Returns } from "../analyze/early-returns.ts";
import { bindingAt, isMadeOfProps, isPropsObject, mayHoldHandlers, namedBy, propNamed } from "../analyze/prop-names.ts";
import { componentOf, propReads, topProperty } from "../analyze/prop-reads.ts";
import { assigning, mayRunAgain } from "../analyze/repeatable.ts";
import { isChildren, readsOfRegion } from "../extract/jsx-forms.ts";
import { LIVE_KEY } from "../extract/node-paths.ts";
import { functionOf, svcName } from "../analyze/declaration-kinds.ts";
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
import type { Binding } from "../parse/scopes.ts";
import { BrowserEmitter, type PropConditions } from "./emit-browser.ts";
import { ClientModule } from "./client-module.ts";
import { isAnyOf, type PassedProp } from "./passed-props.ts";
import { newScope, type Code, type Element, type Run, type Scope, type Slot, type SpreadAttribute } from "../model.ts";
import type { ServerOutput } from "./server-output.ts";

/** Query of an import that requests the browser module for live props. */
export const LIVE_QUERY = "?svc-live";

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

/** Server code of how the browser makes a value: an export of a template's module, applied to slots. */
interface Derived {
  block: string;
  symbol: string;
  slots: string;
}

/** One browser module: all of it, or only the part that an app needs. */
interface Target {
  client: ClientModule;
  browser: BrowserEmitter;
  isWanted(props: string): boolean;
}

export class LivePropsEmitter {
  readonly #module: Module;
  readonly #out: ServerOutput;
  readonly #frozen: ReadonlySet<string>;
  /** Emitted first, since it determines the slots of all instances, whatever the app passes. */
  readonly #all: Target;
  readonly #needed: Target | undefined;
  readonly #constants = new Map<Binding, string>();
  readonly #calls = new Map<Node, { passed: Passed | undefined }>();
  readonly #followed: Node[] = [];
  readonly passed: PassedProp[] = [];
  /** Names of the props that are functions, which the browser may call. */
  readonly functions = new Set<string>();
  /** What instances with live props show only once, because the browser can't run its code. */
  readonly stale: Node[] = [];
  /** Whether an element of the file gets props in a spread. */
  hasSpread = false;
  /** Position in the source behind which no name has a value for the slots that are being emitted. */
  #end: number | undefined;
  /** Whether one of these slots needs such a name. */
  #isMissing = false;
  #symbols = { p: 0, d: 0, f: 0 };
  readonly #called: ReadonlySet<string>;

  /**
   * @param wanted names of the props that the app passes as derived values. Default: any.
   * @param frozen local names of imported components that can't follow props.
   * @param called names of the props whose functions the app's browser code may call
   */
  constructor(
    module: Module,
    out: ServerOutput,
    wanted: ReadonlySet<string> | undefined,
    frozen: ReadonlySet<string> = new Set(),
    called: ReadonlySet<string> = new Set(),
  ) {
    this.#called = called;
    this.#module = module;
    this.#frozen = frozen;
    this.#out = out;
    this.#all = targetOf(module, () => true);
    this.#needed = wanted && targetOf(module, (props) => isAnyOf(props, wanted));
    for (const target of [this.#all, this.#needed]) if (target) this.follow(target.browser);
  }

  /** Makes an emitter of views keep instances whose props are live. */
  follow(browser: BrowserEmitter): void {
    browser.followLiveProps(this);
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
    own.slots.push({ source: "", isStore: false, kind: "value", node: root.node });
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
    const props = fn.params[0] ? this.#propsOf(fn) : "undefined";
    const spreads = own.slots.flatMap(({ spread }) => (spread ? [spread] : []));
    const block = this.#block(own, symbol, scope, componentName(this.#module, fn));
    const slots = own.slots.map((slot, at) => {
      if (at === known) return this.#out.local("mask");
      if (slot.spread) return this.#boundProps(slot.spread, block);
      const code = this.slot(slot);
      if (guards.has(slot) && code === slot.source && isMadeOfProps(this.#module, slot.node))
        this.stale.push(slot.node);
      // Before the mask are the slots of every instance.
      return at < known ? code : `${this.#out.local("mask")} & ${guards.get(slot) ?? -1} ? ${code} : 0`;
    });
    const also = spreads.map((spread) => `${this.#out.use("bindsSome")}(${this.#argumentsOf(spread)})`);
    scope.live = { block, props, boundCount: own.boundCount, conditions, slots, also };
  }

  #argumentsOf({ expression, skip }: SpreadAttribute): string {
    return `${this.#module.file.text.slice(expression.start, expression.end)}, ${JSON.stringify(skip)}`;
  }

  #boundProps(spread: SpreadAttribute, block: string): string {
    return `${this.#out.use("boundProps")}(${this.#argumentsOf(spread)}, ${block}, "${spread.own}")`;
  }

  /** Gives a spread of a named object, such as the props, the rest of them or the result of a hook, a symbol in the browser module. */
  #markSpread(attribute: SpreadAttribute): boolean {
    const fn = componentOf(this.#module, attribute.expression);
    const object = unwrap(attribute.expression);
    if (!fn || attribute.live || !mayHoldHandlers(this.#module, object)) return false;
    attribute.own = `d${this.#symbols.d++}`;
    for (const target of [this.#all, this.#needed])
      target?.browser.emitOwn(attribute.own, newScope(0, target.client.newEdits()));
    if (isPropsObject(this.#module, fn, object)) this.#followed.push(attribute.expression);
    this.hasSpread = true;
    return true;
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
    return copy;
  }

  #block(own: Scope, symbol: string | undefined, scope: Pick<Scope, "parts" | "events">, component: string): string {
    const { path } = this.#module.file;
    const uses = new ContextUseFinder(this.#module).list(own.creates);
    return this.#out.addBlock([
      JSON.stringify(path + LIVE_QUERY),
      symbol === undefined ? "0" : JSON.stringify(symbol),
      JSON.stringify([...scope.events].sort()),
      JSON.stringify([...new Set([...scope.parts, ...own.parts])].sort()),
      JSON.stringify([component, ...own.slots.map(({ source }) => source)]),
      ...(uses === undefined ? [] : ["false", uses]),
    ]);
  }

  /** Emits what content in no element shows of props, and completes its scope. Content that the browser can't create keeps its first value. */
  emitHost(scope: Scope, content: Node | Returns): void {
    const nodes = "contents" in content ? [...content.tests, ...content.contents] : [content];
    const names = new Set(nodes.flatMap((node) => propReads(this.#module, node).split(" ").filter(Boolean)));
    const fn = nodes[0] && componentOf(this.#module, nodes[0]);
    if (!fn || names.size === 0) return;
    const reads = [...names].sort().join(" ");
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
    const slots = this.#slotsOf(own, "contents" in content ? content.first.start : undefined);
    if (!slots) return;
    const { scopes } = this.#module;
    this.#followed.push(
      ...nodes.flatMap((node) => (isJsx(unwrap(node)) ? (readsOfRegion(unwrap(node), scopes) ?? []) : [node])),
    );
    scope.live = {
      block: this.#block(own, symbol, scope, componentName(this.#module, fn)),
      props: this.#propsOf(fn),
      boundCount: own.boundCount,
      conditions: [reads],
      slots,
      also: [],
    };
  }

  /** Code of slots. @param end names that are declared behind it have no value. @returns undefined if one of them is needed */
  #slotsOf({ slots }: Scope, end: number | undefined): string[] | undefined {
    this.#end = end;
    this.#isMissing = false;
    const code = slots.map((slot) => this.slot(slot));
    this.#end = undefined;
    return this.#isMissing ? undefined : code;
  }

  /** Whether a name has no value where the current slots are evaluated. The browser may be able to make its value. */
  #isUndeclared(node: Node): boolean {
    const binding = this.#module.scopes.within(node)[0]?.binding;
    return this.#end !== undefined && binding?.declared !== "param" && (binding?.source.start ?? 0) > this.#end;
  }

  /** Marks texts, attributes and conditions that read props and are not live otherwise. @returns whether there are any */
  #mark(element: Element): boolean {
    let found = false;
    const mark = (shown: { props?: string }, expression: Node): boolean => {
      const props = propReads(this.#module, expression);
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
      if (item.kind === "piece" && mark(item, item.expression)) item.key = `${LIVE_KEY}${at}`;
    });
    return found;
  }

  /** Marks the content of an element in which the parser takes comments for text. @returns whether it reads props */
  #markText(element: Element): boolean {
    const parts: Run["parts"] = [];
    for (const item of element.items) {
      if (item.kind === "text") parts.push(item.text);
      else if (item.kind === "piece" && !holdsJsx(item.expression) && !isChildren(unwrap(item.expression)))
        parts.push(item.expression as Expression);
      else return false;
    }
    const props = parts.flatMap((part) => (typeof part === "string" ? [] : propReads(this.#module, part).split(" ")));
    const names = [...new Set(props)].filter(Boolean).sort().join(" ");
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
        this.#followed.push(item.expression);
    }
  }

  /** Code of a captured value for an instance that may have live props. */
  slot(slot: Pick<Slot, "source" | "node" | "isView">): string {
    const { node } = slot;
    if (slot.isView) return slot.source;
    const isUndeclared = this.#isUndeclared(node);
    const source = isUndeclared ? "0" : slot.source;
    const code = this.#slotCode(source, node);
    if (isUndeclared && code === source) this.#isMissing = true;
    return code;
  }

  #slotCode(source: string, node: Node): string {
    const reads = propReads(this.#module, node);
    const fn = reads === "" ? undefined : componentOf(this.#module, node);
    if (!fn) return source;
    const prop = propNamed(this.#module, fn, node);
    if (prop !== undefined) return `${this.#out.use("prop")}(${this.#propsOf(fn)}, ${JSON.stringify(prop)}, ${source})`;
    const part = this.#partOfProp(fn, node, reads, source);
    if (part !== undefined) return part;
    const binding = bindingAt(this.#module, node);
    return (binding && this.#constant(binding, fn, reads, source)) ?? source;
  }

  /** `props.model.count`, as what is in the prop now. */
  #partOfProp(fn: FunctionNode, node: Node, reads: string, source: string): string | undefined {
    if (node.type !== "MemberExpression") return undefined;
    let base: Node = node;
    while (base.type === "MemberExpression" && propNamed(this.#module, fn, base) === undefined)
      base = unwrap(base.object);
    const name = propNamed(this.#module, fn, base);
    if (name === undefined) return undefined;
    const text = this.#module.file.text.slice(base.start, base.end);
    const own: Slot = { source: text, isStore: false, kind: "value", node: base };
    const code = [`${this.client.names.slots}[0]${this.#module.file.text.slice(base.end, node.end)}`];
    const first = `${this.#out.use("prop")}(${this.#propsOf(fn)}, ${JSON.stringify(name)}, ${text})`;
    return this.#deriveIf(fn, reads, this.#derive(code, [own, first]), source);
  }

  /** A constant that is made from props, or a prop with a default, as a derived value. */
  #constant(binding: Binding, fn: FunctionNode, reads: string, source: string): string | undefined {
    const known = this.#end === undefined ? this.#constants.get(binding) : undefined;
    if (known !== undefined) return known;
    const derive = this.#derivedConstant(binding, fn, reads, source);
    if (derive !== undefined && this.#end === undefined) this.#constants.set(binding, derive);
    return derive;
  }

  #derivedConstant(binding: Binding, fn: FunctionNode, reads: string, source: string): string | undefined {
    if (binding.declared === "param")
      return fn.params[0] && this.#withDefault(fn.params[0], binding, fn, reads, source);
    const set = assigning(this.#module, binding);
    if (set) {
      const body = set.statements.flatMap((statement): Code => [statement, "\n"]);
      const code: Code = ["(() => {\n", ...body, `return ${binding.name};\n})()`];
      return this.#deriveIf(fn, reads, this.#derive(code, undefined, set.declares), source);
    }
    const declarator = binding.source;
    if (declarator.type !== "VariableDeclarator" || !declarator.init || !mayRunAgain(this.#module, declarator.init))
      return undefined;
    const { init, id } = declarator;
    const property = id.type === "Identifier" ? undefined : namedBy(topProperty(id, binding), binding);
    if (id.type !== "Identifier" && init.type === "Identifier" && isPropsObject(this.#module, fn, init))
      return this.#withDefault(id, binding, fn, reads, source);
    if (id.type !== "Identifier" && property === undefined)
      return this.#deriveIf(fn, reads, this.#takenApart(id, binding, [init]), source);
    const code: Code = property === undefined ? [init] : ["(", init, `).${property}`];
    return this.#deriveIf(fn, reads, this.#derive(code), source);
  }

  /** A name in a pattern of the props object, apart from those that are only another name of a prop. */
  #withDefault(pattern: Node, binding: Binding, fn: FunctionNode, reads: string, source: string): string | undefined {
    const property = topProperty(pattern, binding);
    if (property?.type !== "Property" || property.key.type !== "Identifier" || property.computed) return undefined;
    const { value, key } = property;
    const { slots: dollar } = this.client.names;
    const read = `${dollar}[0]`;
    const props = this.#propsOf(fn);
    const own: Slot = { source: `${props}.${key.name}`, isStore: false, kind: "value", node: key };
    const first = `${this.#out.use("prop")}(${props}, ${JSON.stringify(key.name)}, ${own.source})`;
    if (value.type !== "AssignmentPattern" || value.left !== binding.node)
      return this.#deriveIf(fn, reads, this.#takenApart(value, binding, [read], [own, first]), source);
    const code: Code = [`${read} === undefined ? (`, value.right, `) : ${read}`];
    return this.#deriveIf(fn, reads, this.#derive(code, [own, first]), source);
  }

  /** A name of a pattern, such as `first` of `[first]` and `{ user: { first } }`. @param value code of what the pattern takes apart */
  #takenApart(pattern: Node, binding: Binding, value: Code, first?: [Slot, string]): Derived | undefined {
    const declares = this.#module.scopes.bindings.filter(({ node }) => isInside(node, pattern));
    return this.#derive(["((", pattern, `) => ${binding.name})(`, ...value, ")"], first, new Set(declares));
  }

  #derived(use: "derive" | "deriveRead", derived: Derived | undefined): string | undefined {
    return derived && `${this.#out.use(use)}(${derived.block}, "${derived.symbol}", [${derived.slots}])`;
  }

  #deriveIf(fn: FunctionNode, reads: string, derived: Derived | undefined, source: string): string | undefined {
    if (!derived) return undefined;
    const { block, symbol, slots } = derived;
    return `${this.#out.use("deriveIf")}(${this.#propsOf(fn)}, ${JSON.stringify(reads)}, ${block}, "${symbol}", () => [${slots}], ${source})`;
  }

  /** @param first the first slot, and its code. @param declares names that the code declares. @returns undefined if the browser can't run the code */
  #derive(code: Code, first?: [Slot, string], declares?: ReadonlySet<Binding>): Derived | undefined {
    const symbol = `d${this.#symbols.d++}`;
    const scope = newScope(0, this.#all.client.newEdits());
    if (first) scope.slots.push(first[0]);
    try {
      this.#all.browser.emitDerived(scope, code, symbol, declares);
    } catch (error) {
      if (error instanceof SvcError) return undefined;
      throw error;
    }
    if (this.#needed) {
      const copy = newScope(0, this.#needed.client.newEdits());
      copy.slots = [...scope.slots];
      this.#needed.browser.emitDerived(copy, code, symbol, declares);
    }
    const slots = scope.slots.map((slot) => (slot === first?.[0] ? first[1] : this.slot(slot)));
    return { block: this.#block(scope, undefined, scope, ""), symbol, slots: slots.join(", ") };
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
    const symbol = `d${this.#symbols.d++}`;
    const scope = newScope(0, this.#all.client.newEdits());
    emit(this.#all, scope);
    if (this.#needed) {
      const copy = newScope(0, this.#needed.client.newEdits());
      copy.slots = [...scope.slots];
      emit(this.#needed, copy);
    }
    this.passed.push({ name: "children", from: "" });
    const slots = scope.slots.map((slot) => this.slot(slot)).join(", ");
    return `${this.#out.use("derive")}(${this.#block(scope, undefined, scope, "")}, "${symbol}", [${slots}])`;
  }

  #passed(attribute: ESTree.JSXAttribute, expression: Node): Passed | undefined {
    const inner = unwrap(expression);
    const name = String(attribute.name.name);
    if (isFunction(inner) || isJsx(inner) || inner.type === "Literal" || name === "key") return undefined;
    if (this.serverTag(attribute) !== undefined) return undefined;
    const liveness = inner.type === "Identifier" ? "static" : this.#module.liveness(inner);
    const isSure = liveness !== "static";
    const reads = propReads(this.#module, expression);
    const fn = componentOf(this.#module, expression);
    if (!isSure && (reads === "" || !fn)) return undefined;
    const known = fn && !isSure ? propNamed(this.#module, fn, inner) : undefined;
    if (known !== undefined && fn) {
      this.passed.push({ name, from: reads });
      return { code: `${this.#out.use("livePart")}(${this.#propsOf(fn)}, ${JSON.stringify(known)})`, isSure };
    }
    const derived = this.#derive([expression]);
    const use = liveness === "maybe" ? "deriveRead" : "derive";
    const code = isSure || !fn ? this.#derived(use, derived) : this.#deriveIf(fn, reads, derived, "0");
    if (code === undefined) {
      if (!isSure && !holdsJsx(expression)) this.stale.push(expression);
      return undefined;
    }
    this.passed.push({ name, from: isSure ? "" : reads });
    return { code, isSure };
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
    const slots = scope.slots.map((slot) => this.slot(slot)).join(", ");
    const open = `${this.#out.use("fn")}(${this.#block(scope, undefined, scope, "")}, "${symbol}", [${slots}], `;
    const isSure = this.#module.liveness(expression) !== "static";
    const from = propReads(this.#module, expression);
    if (!isSure && from === "") return { open };
    this.passed.push({ name, from: isSure ? "" : from });
    return { open, live: { code: this.#out.use("CALLED"), isSure } };
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
    return fn?.params[0] && fn.params[0].type !== "RestElement" ? this.#propsOf(fn) : undefined;
  }

  /** Code that is true if the component around a node has live props; undefined outside of components with props. */
  hasLiveProps(node: Node): string | undefined {
    const props = this.propsAround(node);
    return props && `${props}?.[${this.#out.use("LIVE")}]`;
  }

  /** Code of a component's props object. */
  #propsOf(fn: FunctionNode): string {
    const [param] = fn.params;
    return param?.type === "Identifier" ? param.name : this.#out.useProps(fn);
  }
}

function targetOf(module: Module, isWanted: (props: string) => boolean): Target {
  const client = new ClientModule(module);
  return { client, browser: new BrowserEmitter(module, client), isWanted };
}

function bitOf(conditions: string[], props: string): number {
  let at = conditions.indexOf(props);
  if (at < 0 && conditions.length < MOST_BITS) at = conditions.push(props) - 1;
  if (at >= 0) return 2 ** at;
  conditions[MOST_BITS - 1] = ALL_PROPS;
  return 2 ** (MOST_BITS - 1);
}
