/**
 * Server code of the values that browser code captures. In instances with live props some are derived values: an export of the browser
 * module for live props (emit-live-props.ts), applied to slots.
 */
import { SvcError } from "../../../platform/shared/errors.ts";
import { initOf } from "../analyze/declaration-kinds.ts";
import { isInside, type AwaitedValue, type Module } from "../analyze/analyze.ts";
import { ContextUseFinder } from "../analyze/contexts.ts";
import { bindingAt, isPropsObject, namedBy, propNamed } from "../analyze/prop-names.ts";
import { componentOf, propReads, shownReads, topProperty } from "../analyze/prop-reads.ts";
import { isHeld } from "../analyze/held-state.ts";
import { isPassedInCreated, isUsedInFunctions } from "../analyze/members-read.ts";
import { assigning, mayRunAgain } from "../analyze/repeatable.ts";
import { newScope, type Code, type Scope, type Slot } from "../model.ts";
import { isComponentTag, tagName, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";
import { capturedCode, type Captured } from "./emit-captured.ts";
import { BrowserEmitter } from "./emit-browser.ts";
import { ClientModule } from "./client-module.ts";
import { HeldValues } from "./held-values.ts";
import type { ServerOutput } from "./server-output.ts";

/** Query of an import that requests the browser module for live props. */
export const LIVE_QUERY = "?svc-live";

/** Server code of how the browser makes a value: an export of a template's module, applied to slots. */
export interface Derived {
  block: string;
  symbol: string;
  slots: string;
}

/** One browser module: all of it, or only the part that an app needs. */
export interface Target {
  client: ClientModule;
  browser: BrowserEmitter;
  isWanted(props: string): boolean;
}

export class DerivedValues {
  readonly #module: Module;
  readonly #out: ServerOutput;
  /** Emitted first, since it determines the slots of all instances, whatever the app passes. */
  readonly #all: Target;
  readonly #needed: Target | undefined;
  readonly #constants = new Map<Binding, string>();
  /** What the children of each `<Await>` get. */
  readonly #shown = new Map<Binding, Derived | undefined>();
  readonly held: HeldValues;
  /** Position in the source behind which no name has a value for the slots that are being emitted. */
  #end: number | undefined;
  /** Whether one of these slots needs such a name. */
  #isMissing = false;
  #count = 0;
  /** How the browser makes props objects. */
  #ownSymbol: Pick<Derived, "block" | "symbol"> | undefined;

  constructor(module: Module, out: ServerOutput, all: Target, needed: Target | undefined) {
    this.#module = module;
    this.#out = out;
    this.#all = all;
    this.#needed = needed;
    this.held = new HeldValues(module, out);
  }

  /** A name for the export of a derived value. */
  newSymbol(): string {
    return `d${this.#count++}`;
  }

  /** @param symbol of the bindings, if the block is a template. @param scope of the template, whose own bindings run too */
  block(
    own: Scope,
    symbol: string | undefined,
    scope: Pick<Scope, "parts" | "events" | "creates">,
    component: string,
  ): string {
    const { path } = this.#module.file;
    const uses = new ContextUseFinder(this.#module).list([...own.creates, ...scope.creates]);
    return this.#out.addBlock([
      JSON.stringify(path + LIVE_QUERY),
      symbol === undefined ? "0" : JSON.stringify(symbol),
      JSON.stringify([...scope.events].sort()),
      JSON.stringify([...new Set([...scope.parts, ...own.parts])].sort()),
      JSON.stringify([component, ...own.slots.map(({ source }) => source)]),
      ...(uses === undefined ? [] : ["false", uses]),
    ]);
  }

  /** Code of slots. @param end names that are declared behind it have no value. @returns undefined if one of them is needed */
  slotsOf({ slots }: Scope, end: number | undefined): string[] | undefined {
    this.#end = end;
    this.#isMissing = false;
    const code = slots.map((slot) => this.shownSlot(slot));
    this.#end = undefined;
    return this.#isMissing ? undefined : code;
  }

  /** Whether a name has no value where the current slots are evaluated. The browser may be able to make its value. */
  #isUndeclared(node: Node): boolean {
    const binding = this.#module.scopes.within(node)[0]?.binding;
    return this.#end !== undefined && binding?.declared !== "param" && (binding?.source.start ?? 0) > this.#end;
  }

  /** Code of a captured value for an instance that may have live props. */
  slot(slot: Captured, isShown = false): string {
    const { node } = slot;
    if (slot.isView) return slot.source;
    const isUndeclared = this.#isUndeclared(node);
    const source = isUndeclared ? "0" : slot.source;
    const code = this.#slotCode({ ...slot, source }, isShown);
    if (isUndeclared && code === source) this.#isMissing = true;
    return code === source && !isUndeclared ? this.#captured(slot) : code;
  }

  /** As `slot`, for code that only shows values, so that it needs no other members of a value that contains a store. */
  shownSlot(slot: Captured): string {
    const value = slot.isView || slot.isWhole ? undefined : this.held.of(slot.node);
    return this.slot(
      value ? { ...slot, source: this.held.shown(slot.node, value, slot.source), members: undefined } : slot,
      true,
    );
  }

  /** Code of the parts of a value that browser code uses. */
  #captured(slot: Captured): string {
    return capturedCode(this.#out, slot);
  }

  #slotCode(slot: Captured, isShown: boolean): string {
    const { source, node } = slot;
    // A hook must not run again.
    const reads = (this.held.of(node) ? propReads : shownReads)(this.#module, node);
    const fn = reads === "" ? undefined : componentOf(this.#module, node);
    if (!fn) return source;
    if (node.type === "Identifier" && isPropsObject(this.#module, fn, node)) return this.#wholeProps(source, node);
    const prop = propNamed(this.#module, fn, node);
    if (prop !== undefined) {
      const isWhole =
        (!isShown && isUsedInFunctions(this.#module, fn, prop)) || isPassedInCreated(this.#module, fn, prop);
      return this.#prop(isWhole ? this.propsOf(fn) : this.propsWith(fn, prop), prop, this.#captured(slot));
    }
    const part = this.#partOfProp(fn, node, reads, source);
    if (part !== undefined) return part;
    const binding = bindingAt(this.#module, node);
    if (!binding) return source;
    const awaited = this.#module.awaitedValue(binding);
    if (awaited)
      return this.deriveIf(fn, reads, this.#awaited(awaited, binding, reads), this.#captured(slot)) ?? source;
    return this.#constant(binding, fn, reads, source) ?? source;
  }

  #prop(props: string, name: string, value: string): string {
    return `${this.#out.use("prop")}(${props}, ${JSON.stringify(name)}, ${value})`;
  }

  /** The props object, or the rest of it, as an object whose members follow. It has the children if a component gets them in a spread. */
  #wholeProps(source: string, name: Node): string {
    this.#ownSymbol ??= this.#addOwn();
    const { block, symbol } = this.#ownSymbol;
    const args = `${source}, ${block}, "${symbol}"${isSpreadIntoComponent(this.#module, name) ? ", true" : ""}`;
    return `${this.#out.use("wholeProps")}(${args})`;
  }

  #addOwn(): Pick<Derived, "block" | "symbol"> {
    const symbol = this.newSymbol();
    const scope = newScope(0, this.#all.client.newEdits());
    this.#all.browser.emitOwn(symbol, scope);
    this.#needed?.browser.emitOwn(symbol, newScope(0, this.#needed.client.newEdits()));
    return { symbol, block: this.block(scope, undefined, scope, "") };
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
    const own: Slot = { source: text, kind: "value", node: base };
    const code = [`${this.#all.client.names.slots}[0]${this.#module.file.text.slice(base.end, node.end)}`];
    const first = this.#prop(this.propsWith(fn, name), name, text);
    return this.deriveIf(fn, reads, this.derive(code, [own, first]), source);
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
      return this.deriveIf(fn, reads, this.derive(code, undefined, set.declares, reads), source);
    }
    const declarator = binding.source;
    if (declarator.type !== "VariableDeclarator" || !declarator.init || !mayRunAgain(this.#module, declarator.init))
      return undefined;
    const { init, id } = declarator;
    const property = id.type === "Identifier" ? undefined : namedBy(topProperty(id, binding), binding);
    if (id.type !== "Identifier" && init.type === "Identifier" && isPropsObject(this.#module, fn, init))
      return this.#withDefault(id, binding, fn, reads, source);
    if (id.type !== "Identifier" && property === undefined)
      return this.deriveIf(fn, reads, this.#takenApart(id, binding, [init], undefined, reads), source);
    const code: Code = property === undefined ? [init] : ["(", init, `).${property}`];
    return this.deriveIf(fn, reads, this.derive(code, undefined, undefined, reads), source);
  }

  /** What an `<Await>` shows. The browser fetches a resource again when a prop changes which its source reads. */
  #awaited(awaited: AwaitedValue, shown: Binding, reads: string): Derived | undefined {
    if (!this.#shown.has(shown)) this.#shown.set(shown, this.#deriveAwaited(awaited, shown, reads));
    return this.#shown.get(shown);
  }

  #deriveAwaited({ value, resource }: AwaitedValue, shown: Binding, reads: string): Derived | undefined {
    const call = resource && initOf(resource);
    const fetch = call?.type === "CallExpression" ? call.arguments : [];
    const pattern = shown.owner?.params[0];
    if (!pattern) return undefined;
    const text = this.#module.file.text.slice(value.start, value.end);
    const slot: Slot = { source: text, kind: "resource", node: resource?.node ?? value };
    const code = resource ? text : this.slot(slot);
    const declares = new Set(this.#module.scopes.bindings.filter(({ node }) => isInside(node, pattern)));
    const symbol = this.newSymbol();
    const emit = ({ browser }: Target, scope: Scope): void =>
      browser.emitAwaited(scope, { pattern, name: shown.name, fetch, symbol, declares });
    return this.#derived(emit, symbol, [slot, code], reads);
  }

  /** A name in a pattern of the props object, apart from those that are only another name of a prop. */
  #withDefault(pattern: Node, binding: Binding, fn: FunctionNode, reads: string, source: string): string | undefined {
    const property = topProperty(pattern, binding);
    if (property?.type !== "Property" || property.key.type !== "Identifier" || property.computed) return undefined;
    const { value, key } = property;
    const { slots: dollar } = this.#all.client.names;
    const read = `${dollar}[0]`;
    const own: Slot = { source: `${this.propsOf(fn)}.${key.name}`, kind: "value", node: key };
    const first = this.#prop(this.propsWith(fn, key.name), key.name, own.source);
    if (value.type !== "AssignmentPattern" || value.left !== binding.node)
      return this.deriveIf(fn, reads, this.#takenApart(value, binding, [read], [own, first]), source);
    const code: Code = [`${read} === undefined ? (`, value.right, `) : ${read}`];
    return this.deriveIf(fn, reads, this.derive(code, [own, first]), source);
  }

  /** A name of a pattern, such as `first` of `[first]` and `{ user: { first } }`. @param value code of what the pattern takes apart */
  #takenApart(pattern: Node, binding: Binding, value: Code, first?: [Slot, string], reads = ""): Derived | undefined {
    const declares = this.#module.scopes.bindings.filter(({ node }) => isInside(node, pattern));
    return this.derive(["((", pattern, `) => ${binding.name})(`, ...value, ")"], first, new Set(declares), reads);
  }

  /** @param use name of the function that makes it */
  derived(use: "derive" | "deriveRead", derived: Derived | undefined): string | undefined {
    return derived && `${this.#out.use(use)}(${derived.block}, "${derived.symbol}", [${derived.slots}])`;
  }

  /** Code of a derived value if one of the props that it reads is live, else of `source`. */
  deriveIf(fn: FunctionNode, reads: string, derived: Derived | undefined, source: string): string | undefined {
    if (!derived) return undefined;
    const { block, symbol, slots } = derived;
    return `${this.#out.use("deriveIf")}(${this.propsWith(fn, reads)}, ${JSON.stringify(reads)}, ${block}, "${symbol}", () => [${slots}], ${source})`;
  }

  /** Code of a component's props object. */
  propsOf(fn: FunctionNode): string {
    return this.held.propsOf(fn);
  }

  /** The same, with the state in the results of hooks that have one of these names, which spaces separate. */
  propsWith(fn: FunctionNode, names: string): string {
    return this.held.propsWith(fn, names.split(" "));
  }

  /** Code of an object that has live props if `propsWith` has some. */
  givenWith(fn: FunctionNode, names: string): string {
    return this.held.stateWith(fn, names.split(" ")) ?? this.propsOf(fn);
  }

  /** @param first the first slot, and its code. @param declares names that the code declares. @param reads names that decide whether the browser needs it. @returns undefined if the browser can't run the code */
  derive(code: Code, first?: [Slot, string], declares?: ReadonlySet<Binding>, reads = ""): Derived | undefined {
    const symbol = this.newSymbol();
    const emit = ({ browser }: Target, scope: Scope): void => browser.emitDerived(scope, code, symbol, declares);
    const isOptional = reads.split(" ").some(isHeld);
    return this.#derived(emit, symbol, first, isOptional ? reads : undefined);
  }

  /** @param reads if given, only apps that pass one of these names need it */
  #derived(
    emit: (target: Target, scope: Scope) => void,
    symbol: string,
    first?: [Slot, string],
    reads?: string,
  ): Derived | undefined {
    const scope = newScope(0, this.#all.client.newEdits());
    if (first) scope.slots.push(first[0]);
    try {
      emit(this.#all, scope);
    } catch (error) {
      if (error instanceof SvcError) return undefined;
      throw error;
    }
    if (this.#needed && (reads === undefined || this.#needed.isWanted(reads))) {
      const copy = newScope(0, this.#needed.client.newEdits());
      copy.slots = [...scope.slots];
      emit(this.#needed, copy);
    }
    const slots = scope.slots.map((slot) => (slot === first?.[0] ? first[1] : this.shownSlot(slot)));
    return { block: this.block(scope, undefined, scope, ""), symbol, slots: slots.join(", ") };
  }
}

function isSpreadIntoComponent(module: Module, name: Node): boolean {
  const binding = bindingAt(module, name);
  return module.scopes.references.some(({ node, binding: used, parent }) => {
    if (used !== binding || parent.type !== "JSXSpreadAttribute" || parent.argument !== node) return false;
    const tag = module.parentOf(parent);
    return tag?.type === "JSXOpeningElement" && isComponentTag(tagName(tag.name));
  });
}

/** @param isWanted whether code that reads these props is part of the module */
export function targetOf(module: Module, isWanted: (props: string) => boolean): Target {
  const client = new ClientModule(module);
  return { client, browser: new BrowserEmitter(module, client), isWanted };
}
