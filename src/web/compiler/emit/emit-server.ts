/**
 * Step 4, server code: rewrites the module in place, so JSX becomes string concatenation (docs/resume-protocol.md section 4). It handles
 * components, values and root templates. emit-server-parts.ts emits the inside of a template.
 */
import { isFunctionExpression } from "../extract/handlers.ts";
import { escapeText } from "../../../platform/shared/html/escape.ts";
import { DOM } from "../../../platform/shared/wire.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import type { Module } from "../analyze/analyze.ts";
import { mayReturn } from "../analyze/early-returns.ts";
import { KeptProps, type KeptByName } from "../analyze/kept-props.ts";
import type { PlacesByName } from "../analyze/prop-places.ts";
import { ChildViewsEmitter } from "./emit-child-views.ts";
import { extractElement, extractItems } from "../extract/extract.ts";
import {
  childrenOf,
  holdsJsx,
  isComponentTag,
  isFunction,
  isJsx,
  returnsOf,
  tagName,
  unwrap,
  type Expression,
  type FunctionNode,
  type JsxRoot,
  type Node,
} from "../parse/ast.ts";
import type { ClientModule } from "./client-module.ts";
import { componentName } from "../analyze/components.ts";
import type { BrowserEmitter } from "./emit-browser.ts";
import { ComponentCallEmitter, refuseAwait } from "./emit-component-call.ts";
import { isShownByAwait } from "../analyze/followed-resources.ts";
import { isUncertain } from "./uncertain-scopes.ts";
import { ItemEmitter, RANGE_END, RANGE_START, type Walker } from "./emit-server-parts.ts";
import { attempt, fail, looseRegion, type Extraction, type Position } from "../extract/extraction.ts";
import { isFixedChoice, roundedParts } from "../extract/html-pieces.ts";
import { livenessOfContent } from "../extract/regions.ts";
import { hooksOf, placeEffects, takeEffectsBack, type Hooks } from "../analyze/hooks.ts";
import { stringToAttribute } from "../parse/jsx-text.ts";
import { fixedText, holdsComponent, isStructured, mappedRows, type MappedRows } from "../extract/jsx-forms.ts";
import { svcName } from "../analyze/declaration-kinds.ts";
import { newScope, type Element, type Scope } from "../model.ts";
import { isChosenByProps } from "../analyze/chosen-components.ts";
import { ContextUseFinder } from "../analyze/contexts.ts";
import { emitContexts } from "./emit-contexts.ts";
import { ComponentValuesEmitter } from "./emit-component-values.ts";
import { LivePropsEmitter } from "./emit-live-props.ts";
import type { CalledNames } from "./passed-props.ts";
import { PropCalls } from "./prop-calls.ts";
import { LiftedEmitter } from "./emit-lifted.ts";
import type { WrittenTemplate } from "../build/explain-report.ts";
import { ServerOutput, type Segment } from "./server-output.ts";
import { StorePropReads } from "../analyze/store-prop-reads.ts";

export interface ServerOptions {
  isDevelopment: boolean;
  runtime: string;
  hasStyles: boolean;
  /** Whether browser code imports the module, and nothing renders it. */
  isBrowser: boolean;
  /** Names of the props that the app passes as derived values. Default: any. */
  /** Names of components that the browser can't create, although they are values. Default: none. */
  serverOnly?: ReadonlySet<string>;
  liveNames?: ReadonlySet<string>;
  /** Local names of imported components that can't follow props. Default: none. */
  frozen?: ReadonlySet<string>;
  /** Local names of imported components -> props that they keep (analyze/kept-props.ts). Default: none. */
  kept?: KeptByName;
  /** Local names of imported components -> children that they may create in the browser. Default: none. */
  created?: PlacesByName;
  /** Names of the props whose functions the app's browser code may call. Default: none. */
  calledNames?: CalledNames;
  /** Local names of imported hooks that return no state. Default: none. */
  plainHooks?: ReadonlySet<string>;
}

export class ServerEmitter {
  readonly #module: Module;
  readonly #extraction: Extraction;
  readonly #client: ClientModule;
  readonly #browser: BrowserEmitter;
  readonly #out: ServerOutput;
  readonly #items: ItemEmitter;
  readonly #calls: ComponentCallEmitter;
  readonly #live: LivePropsEmitter;
  /** The browser module of components that are values. Complete after `emit`. */
  readonly values: ComponentValuesEmitter;
  /** The browser module of children that the browser creates. Complete after `emit`. */
  readonly views: ChildViewsEmitter;
  readonly #createdImports: PlacesByName;
  readonly #stills: StorePropReads | undefined;
  /** Props that the module's components keep. Complete after `emit`. */
  readonly kept: KeptProps;
  readonly #keptImports: KeptByName;
  readonly #propCalls: PropCalls;
  readonly #isBrowser: boolean;
  #scopes = 0;
  /** Whether the condition that is being emitted is one that the browser updates. */
  #isRange = false;
  #replacedDepth = 0;
  /** Hooks of the component whose returned JSX is being emitted. */
  #hooks: Hooks | undefined;
  /** Name of the component that is being emitted; empty outside of components. */
  #componentName = "";
  /** Templates with browser code, in the order of emission. */
  readonly templates: WrittenTemplate[] = [];

  /** @param options as in CompileOptions. */
  constructor(
    extraction: Extraction,
    client: ClientModule,
    browser: BrowserEmitter,
    {
      isDevelopment,
      runtime,
      hasStyles,
      isBrowser,
      liveNames,
      plainHooks,
      serverOnly = new Set(),
      frozen,
      calledNames,
      kept = new Map(),
      created = new Map(),
    }: ServerOptions,
  ) {
    this.#keptImports = kept;
    this.kept = new KeptProps(extraction.module);
    this.#isBrowser = isBrowser;
    this.#module = extraction.module;
    this.#extraction = extraction;
    this.#client = client;
    this.#browser = browser;
    this.#out = new ServerOutput(extraction.module.file, client.names, { runtime, hasStyles });
    const walker: Walker = {
      rewrite: (node) => this.#rewrite(node),
      piece: (node) => this.#piece(node),
      still: (node, isWritten) => this.#still(node, isWritten),
      stillSpread: (spread) => {
        this.#still(spread.expression); // The last check of the same expression is the outermost one.
        this.#stills?.watchSpread(spread);
      },
      called: (spread) => this.#stills?.calledSpread(spread),
      row: (row, isRange) => this.#row(row, isRange),
      range: (node) => this.#range(node),
      replaced: (emit) => this.#replaced(emit),
      isReplaced: () => this.#replacedDepth > 0,
      keep: (node) => this.#keep(node),
      loose: (children, parts) => this.#loose(children, parts),
      functionProp: (node, head) => this.#functionProp(node, head),
      fallback: (node) => this.#fallback(node),
      root: (node) => this.#segmentsOfRoot(node),
    };
    this.#live = new LivePropsEmitter(extraction.module, this.#out, liveNames, frozen, calledNames, plainHooks);
    this.#live.follow(browser);
    this.values = new ComponentValuesEmitter(extraction.module, this.#out, serverOnly);
    this.#stills = isDevelopment ? new StorePropReads(extraction.module, this.#out, this.#live) : undefined;
    this.#propCalls = new PropCalls(extraction.module, this.#live);
    this.#items = new ItemEmitter(extraction.module, this.#out, walker);
    this.views = new ChildViewsEmitter(extraction.module, this.#out, this.#live);
    this.#createdImports = created;
    this.#calls = new ComponentCallEmitter(extraction, this.#out, walker, {
      live: this.#live,
      props: this.#propCalls,
      views: this.views,
    });
  }

  /** Whether the module contains JSX. Known after `emit`. */
  get hasJsx(): boolean {
    return this.#out.usesRuntime;
  }

  /** The browser module for live props. Complete after `emit`. */
  get live(): LivePropsEmitter {
    return this.#live;
  }

  /** The whole server module. @throws SvcError with all errors of the module */
  emit(): { code: string; map: string } {
    const { problems } = this.#module;
    this.#rewrite(this.#module.program);
    problems.attempt(() => {
      emitContexts(this.#module, this.#out, this.#isBrowser);
      new LiftedEmitter(this.#module, this.#client, this.#browser, this.#out, this.#live).emit();
    });
    for (const node of this.#live.stale) this.kept.add(node, "code");
    for (const node of this.#calls.provided) this.kept.add(node, "provider");
    for (const node of this.#calls.spreads) this.kept.add(node, "spread");
    if (!this.#isBrowser) {
      this.kept.refuseCalls(this.#propCalls.found, this.#keptImports);
      this.views.finish(this.#client.shownViews, this.#live.client.shownViews, this.#createdImports);
    }
    problems.throwAny();
    return this.#out.render();
  }

  /** Rewrites all JSX at or below `node`. JSX found here is a value. */
  #rewrite(node: Node): void {
    if (isJsx(node)) attempt(this.#extraction, () => this.#value(node));
    else if (isFunction(node) && this.#module.components.has(node)) this.#component(node);
    else {
      if (!this.#isBrowser) this.values.emit(node);
      const view = this.#isBrowser || !isFunction(node) ? undefined : this.views.addValue(node);
      for (const child of childrenOf(node)) this.#rewrite(child);
      if (view !== undefined) this.#out.wrap(node, this.views.liftBefore(node, view), ")");
    }
  }

  #value(node: JsxRoot): void {
    refuseAwait(this.#extraction, node);
    const view = this.#isBrowser ? undefined : this.views.addValue(node);
    this.#jsx(node);
    const open = view === undefined ? `${this.#out.use("html")}(` : `${this.#out.use("view")}(${view}, `;
    this.#out.wrap(node, `${open}() => `, ")");
  }

  /** A component returns HTML: its JSX as it is, everything else escaped by `t`. */
  #component(fn: FunctionNode): void {
    const { problems } = this.#module;
    const known = problems.count;
    problems.attempt(() => this.#refuseAsync(fn));
    // Its JSX would repeat the problem at each await.
    if (problems.count > known) return;
    const hooks = hooksOf(this.#module, fn, (node) => svcName(node, this.#module.scopes));
    for (const statement of hooks.browserOnly) this.#out.replace(statement.start, statement.end, ";");
    // Under another name, by which the server recognises effects that the browser has too.
    for (const callee of hooks.callees) this.#out.replace(callee.start, callee.end, this.#out.use("effect"));
    const outer = this.#hooks;
    const outerName = this.#componentName;
    this.#componentName = componentName(this.#module, fn);
    const results = new Set(returnsOf(fn));
    const choice = this.#choice(fn);
    const visit = (node: Node): void => {
      if (hooks.browserOnly.includes(node)) return;
      if (results.has(node)) {
        this.#hooks = hooks;
        problems.attempt(() => {
          this.#result(node, choice && node.start >= choice.start ? choice.attribute : undefined);
          this.#out.wrap(node, `${this.#out.use("made")}(`, ")");
        });
        this.#hooks = undefined;
      } else if (isJsx(node) || (isFunction(node) && node !== fn)) this.#rewrite(node);
      else {
        if (node.type === "TryStatement" && mayReturn(node)) this.kept.addTry(node.block);
        const test = mayReturn(node) ? testOf(node) : undefined;
        if (test && !this.#live.follows(test)) {
          this.#stills?.watchTest(test);
          this.kept.add(test, "return");
        }
        if (!this.#isBrowser) this.values.emit(node);
        for (const child of childrenOf(node)) visit(child);
      }
    };
    this.#hooks = undefined;
    for (const child of childrenOf(fn)) visit(child);
    this.#hooks = outer;
    this.#componentName = outerName;
    if (hooks.isPlaced || !hooks.first || problems.count > known) return;
    const error = fail(
      this.#extraction,
      "SVC109",
      hooks.first,
      "This component calls effect, onLoad or a similar function, but returns no host element to attach it to. Return an element such as <div>, not only other components.",
    );
    problems.add(error);
  }

  /** The scope of a component whose returns depend on props that may change. @returns code of its attribute, for returns behind `start` */
  #choice(fn: FunctionNode): { attribute: string; start: number } | undefined {
    const found = this.#live.emitChoice(fn, () => newScope(this.#scopes++, this.#client.newEdits()));
    return found && { attribute: this.#items.scopeAttribute(found.scope), start: found.start };
  }

  /** What a component returns. Content in no element that changes has a scope of its own. */
  #result(node: Node, choice: string | undefined): void {
    const inner = unwrap(node);
    const isFixed = (isJsx(inner) && !isChosenByProps(this.#module, inner)) || fixedText(inner) !== undefined;
    const host = choice ?? (isFixed ? undefined : this.#host(node));
    if (host === undefined) this.#piece(node);
    else this.#replacedContent(node);
    if (host !== undefined) this.#out.wrap(node, `${this.#out.use("hosted")}(${host}, `, ")");
  }

  /** Emits the scope of content in no element. @returns server code of its attribute; undefined if the content never changes */
  #host(content: Node): string | undefined {
    const scope = newScope(this.#scopes++, this.#client.newEdits());
    placeEffects(this.#hooks, scope);
    if (this.#hostReads(scope, content)) this.#addBlock(scope, content);
    else takeEffectsBack(this.#hooks, scope);
    this.#live.emitHost(scope, content);
    return scope.block === undefined && !scope.live ? undefined : this.#items.scopeAttribute(scope);
  }

  /** Emits the effects and the content in no element that reads signals. @returns whether it may do so */
  #hostReads(scope: Scope, content: Node): boolean {
    const liveness = livenessOfContent(this.#module, content);
    const changing = liveness === "static" ? undefined : content;
    // An effect runs whichever branch is shown.
    if (!changing && scope.effects.length + scope.resources.length === 0) return false;
    try {
      this.#browser.emitHost(scope, changing, this.#client.names.nextSymbol("b"), false);
      return true;
    } catch (error) {
      // What may be reactive is often plain. In development the server reports it if it is not.
      if (liveness !== "live" && error instanceof SvcError) return false;
      throw error;
    }
  }

  /** SVC106: rendering is synchronous, so a promise of HTML would be written as text. */
  #refuseAsync(fn: FunctionNode): void {
    if ((!fn.async && !fn.generator) || !returnsOf(fn).some(holdsJsx)) return;
    const kind = fn.async ? "async" : "a generator";
    throw fail(
      this.#extraction,
      "SVC106",
      { ...fn, end: fn.body?.start ?? fn.end },
      `This component is ${kind}, but rendering is synchronous. Load its data in load of page(…) and pass it as a prop.`,
    );
  }

  /** Makes an expression return HTML. */
  #piece(node: Node): void {
    // Without parentheses, a sequence would become several arguments.
    if (node.type === "ParenthesizedExpression" && node.expression.type !== "SequenceExpression")
      return this.#piece(node.expression);
    const inner = unwrap(node);
    if (isJsx(inner)) {
      this.#jsx(inner);
      if (inner !== node) this.#out.wrap(node, "(", ")");
      return;
    }
    const fixed = fixedText(inner);
    if (fixed !== undefined) return this.#out.replace(node.start, node.end, JSON.stringify(escapeText(fixed)));
    if (inner === node && (isStructured(inner) || isFixedChoice(inner))) return this.#structured(inner);
    this.#writtenOnce(node);
    const rounded = roundedParts(node);
    if (rounded) return this.#rounded(node, rounded);
    this.#rewrite(node);
    this.#out.wrap(node, `${this.#out.use("t")}(`, ")");
  }

  /** `x.toFixed(2)` -> `fixed(t, x, 2)`. */
  #rounded(node: Node, [value, digits]: [Node, Node]): void {
    this.#rewrite(value);
    this.#rewrite(digits);
    this.#out.replace(value.end, digits.start, ", ");
    this.#out.replace(digits.end, node.end, ")");
    this.#out.wrap(node, `${this.#out.use("fixed")}(${this.#out.use("t")}, `, "");
  }

  #structured(node: Node): void {
    if (node.type === "ConditionalExpression") {
      const hooks = this.#hooks;
      this.#writtenOnce(node.test);
      this.#rewrite(node.test);
      this.#piece(node.consequent);
      this.#hooks = hooks;
      return this.#piece(node.alternate);
    }
    if (node.type === "LogicalExpression") {
      this.#writtenOnce(node.left);
      this.#rewrite(node.left);
      this.#piece(node.right);
      this.#out.replace(node.left.end, node.right.start, " ? ");
      return this.#out.wrap(node, "(", ' : "")');
    }
    const rows = mappedRows(node);
    if (rows) this.#writtenOnce(rows.list);
    if (rows) this.#each(node, rows);
  }

  #replaced(emit: () => Segment[]): Segment[] {
    this.#replacedDepth++;
    try {
      return emit();
    } finally {
      this.#replacedDepth--;
    }
  }

  /** Content that the browser removes, with its portals, when a signal or prop changes. */
  #replacedContent(node: Node): void {
    this.#replaced(() => {
      if (livenessOfContent(this.#module, node) === "static") this.#piece(node);
      else this.#range(node);
      return [];
    });
  }

  /** A condition whose range the browser replaces, so the values that it reads may change. */
  #range(node: Node): void {
    const outer = this.#isRange;
    this.#isRange = true;
    try {
      this.#piece(node);
    } finally {
      this.#isRange = outer;
    }
  }

  /** SVC109: a value outside of every element can't be updated. */
  #writtenOnce(node: Node): void {
    if (this.#isRange) return;
    if (this.#module.liveness(node) === "live") throw looseRegion(this.#extraction, node);
    this.#still(node);
  }

  /** Checks an expression that the browser will not write again. */
  #still(node: Node, isWritten = true): void {
    if (isWritten) this.#stills?.watch(node);
    if (!this.#live.follows(node)) this.kept.add(node, "code");
  }

  /** A prop of a component of the framework, or what chooses a component. Unless bindings follow it, it is used once. */
  #keep(node: Node): void {
    if (this.#live.follows(node) || isShownByAwait(this.#module, node)) return;
    if (!node.type.startsWith("JSX")) this.#stills?.watchProps(node);
    this.kept.add(node, "once");
  }

  /** `list.map(row)` -> `$each(list, row)`. */
  #each(node: Node, { list, row, before, behind }: MappedRows): void {
    this.#rewrite(list);
    this.#row(row);
    if (list.start > node.start) this.#out.replace(node.start, list.start, before);
    this.#out.replace(list.end, row.start, `${behind}, `);
    if (node.end > row.end) this.#out.replace(row.end, node.end, ")");
    this.#out.wrap(node, `${this.#out.useEach()}(`, "");
  }

  #row(row: FunctionNode, isRange?: true): void {
    const hooks = this.#hooks;
    this.#hooks = undefined;
    const results = new Set(returnsOf(row));
    const visit = (node: Node): void => {
      if (results.has(node)) {
        if (!isRange) return this.#piece(node);
        this.#range(node);
        this.#out.wrap(node, `"${RANGE_START}" + (`, `) + "${RANGE_END}"`);
      } else if (isJsx(node) || isFunction(node)) this.#rewrite(node);
      else for (const child of childrenOf(node)) visit(child);
    };
    for (const child of childrenOf(row)) visit(child);
    this.#hooks = hooks;
  }

  /** Replaces JSX by a concatenation. */
  #jsx(node: JsxRoot): void {
    const outer = this.#isRange;
    this.#isRange = false;
    try {
      this.#out.write(node, this.#segmentsOfRoot(node));
    } finally {
      this.#isRange = outer;
    }
  }

  #segmentsOfRoot(node: Node): Segment[] {
    return attempt(this.#extraction, () => this.#rootSegments(node)) ?? [];
  }

  #rootSegments(node: Node): Segment[] {
    if (node.type === "JSXFragment") return this.#loose(node.children);
    if (node.type !== "JSXElement") return [];
    if (isComponentTag(tagName(node.openingElement.name))) {
      const builtin = svcName(node.openingElement.name, this.#module.scopes);
      const isPlaced = builtin !== undefined && ["For", "Show", "Match", "Case"].includes(builtin);
      return isPlaced ? this.#loose([node]) : this.#calls.emit(node);
    }
    const scope = newScope(this.#scopes++, this.#client.newEdits());
    const position: Position = { scope, template: { lastKey: 0 }, level: 0, isRegion: false, ancestors: [] };
    this.#attachHooks(scope);
    const element = extractElement(this.#extraction, node, position);
    this.#finishScope(scope, element);
    return this.#items.root(element, scope);
  }

  /** Children that no element of this component contains. Each host element is a root template. */
  #loose(children: readonly Node[], parts?: Expression[]): Segment[] {
    const position: Position = {
      scope: undefined,
      template: { lastKey: 0 },
      level: 0,
      isRegion: false,
      isHosted: true,
      ancestors: [],
    };
    if (parts) position.parts = parts;
    const items = extractItems(this.#extraction, children, position);
    for (const item of items)
      if (item.kind === "piece" && item.part === undefined && !isHostElement(item.expression))
        item.host = this.#host(item.expression);
    return items.flatMap((item) => this.#items.item(item));
  }

  /** Lifecycle calls and effects of a component belong to the first element that it returns. */
  #attachHooks(scope: Scope): void {
    const hooks = this.#hooks;
    this.#hooks = undefined;
    if (!hooks) return;
    hooks.isPlaced = true;
    scope.effects.push(...hooks.effects);
    scope.resources.push(...hooks.resources);
    for (const [type, functions] of hooks.moments) {
      const symbol = this.#extraction.nextHandler();
      const attribute = DOM.on + type;
      scope.handlers.push({ symbol, level: 0, functions, takesElement: true, before: [], attribute });
      scope.events.add(type);
      scope.hookAttributes.push(` ${attribute}="${symbol}"`);
    }
    if (hooks.media !== undefined) scope.hookAttributes.push(` ${DOM.media}="${stringToAttribute(hooks.media)}"`);
  }

  /** Only the server can show a fallback that contains components. */
  #fallback(node: Node): string | undefined {
    const fn = unwrap(node);
    const results = isFunction(fn) ? returnsOf(fn) : [];
    const root = results[0] && unwrap(results[0]);
    if (!isFunction(fn) || results.length !== 1 || root?.type !== "JSXElement") return undefined;
    if (holdsComponent(root, this.#module.scopes)) return undefined;
    const scope = newScope(this.#scopes++, this.#client.newEdits());
    scope.frames.push({ fn, level: 1, isFallback: true });
    const position: Position = { scope, template: { lastKey: 0 }, level: 1, isRegion: true, ancestors: [] };
    const element = extractElement(this.#extraction, root, position);
    if (scope.hasPortals)
      throw fail(
        this.#extraction,
        "SVC109",
        root,
        "A fallback replaces the content of its boundary, so it can't contain <Portal>. Write the content in the fallback itself.",
      );
    const symbol = this.#extraction.nextHandler();
    this.#browser.emitFallback(scope, element, symbol);
    this.#addBlock(scope, element);
    this.#items.fallback(fn, element, scope);
    const end = ` ${DOM.on}${DOM.caught}="${symbol}" ${DOM.boundary}></template>`;
    return `"<template" + ${this.#items.scopeAttribute(scope)} + ${JSON.stringify(end)}`;
  }

  /** `onSelect={(id) => …}` of a component. The child may use it in handlers, so the browser must be able to create it. */
  #functionProp(node: Node, head = ""): string | undefined {
    const inner = unwrap(node);
    const [reference] = inner.type === "Identifier" ? this.#module.scopes.within(inner) : [];
    const kind = reference?.binding && this.#module.kind(reference.binding);
    const isNamed = (kind === "function" || kind === "import") && !/^[A-Z]/.test(reference?.name ?? "");
    if (!isNamed && !isFunction(inner) && !isFunctionExpression(this.#module, inner)) return undefined;
    if (holdsJsx(inner)) return undefined;
    const scope = newScope(this.#scopes++, this.#client.newEdits());
    const symbol = this.#extraction.nextHandler();
    this.#browser.emitFunction(scope, node, symbol, head);
    this.#addBlock(scope, node);
    const slots = scope.slots.map((slot) => this.#live.slot(slot)).join(", ");
    return `${this.#out.use("fn")}(${scope.block}, "${symbol}", [${slots}], `;
  }

  #finishScope(scope: Scope, element: Element): void {
    this.#browser.emitScope(scope, element);
    if (scope.bind !== undefined || scope.handlers.length > 0) this.#addBlock(scope, element);
    this.#live.emitScope(scope, element);
  }

  #addBlock(scope: Scope, element: Element | Node): void {
    this.templates.push({ scope, element, component: this.#componentName });
    const args = [
      JSON.stringify(this.#module.file.path),
      scope.bind === undefined ? "0" : JSON.stringify(scope.bind),
      JSON.stringify([...scope.events].sort()),
      JSON.stringify([...scope.parts].sort()),
      JSON.stringify([this.#componentName, ...scope.slots.map(({ source }) => source)]),
    ];
    const uses = new ContextUseFinder(this.#module).list(scope.creates);
    const conditions = [...scope.conditions].map(
      ([key, [type, text]]) => `${JSON.stringify(key)}: [${JSON.stringify(type)}, ${text}]`,
    );
    // Trailing arguments are omitted if they have their defaults.
    const isLast = uses === undefined && conditions.length === 0;
    if (isUncertain(scope)) args.push("true");
    else if (!isLast) args.push("false");
    if (!isLast) args.push(uses ?? "undefined");
    if (conditions.length > 0) args.push(`{ ${conditions.join(", ")} }`);
    scope.block = this.#out.addBlock(args);
  }
}

/** What decides which statements run. */
function testOf(statement: Node): Node | undefined {
  if (statement.type === "SwitchStatement") return statement.discriminant;
  if (statement.type === "ForOfStatement" || statement.type === "ForInStatement") return statement.right;
  if (/^(?:If|While|DoWhile|For)Statement$/.test(statement.type) && "test" in statement)
    return (statement.test as Node | null) ?? undefined;
  return undefined;
}

function isHostElement(expression: Node): boolean {
  const inner = unwrap(expression);
  return inner.type === "JSXElement" && !isComponentTag(tagName(inner.openingElement.name));
}
