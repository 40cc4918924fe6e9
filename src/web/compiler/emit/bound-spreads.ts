/** Spreads on elements of which the browser binds handlers and live props: `{...props}`, `{...rest}`, `{...props.attributes}`, `{...press}`. */
import type { Module } from "../analyze/analyze.ts";
import { functionOf } from "../analyze/declaration-kinds.ts";
import { isHook } from "../analyze/escaping.ts";
import {
  bindingAt,
  importBehind,
  isPropsObject,
  mayHoldHandlers,
  propNamed,
  rootOfObject,
} from "../analyze/prop-names.ts";
import { componentOf, propReads } from "../analyze/prop-reads.ts";
import { createsState } from "../analyze/repeatable.ts";
import { diagnostic } from "../diagnostics.ts";
import { newScope, type SpreadAttribute } from "../model.ts";
import { holdsJsx, unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Binding } from "../parse/scopes.ts";
import type { DerivedValues, Target } from "./derived-values.ts";
import type { ServerOutput } from "./server-output.ts";

export class BoundSpreads {
  readonly #module: Module;
  readonly #out: ServerOutput;
  readonly #values: DerivedValues;
  readonly #targets: readonly Target[];
  /** Imports whose objects, or the objects that they return, are spread on elements. */
  readonly imports: { binding: Binding; node: Node }[] = [];
  /** Objects that bindings of live props follow. */
  readonly followed: Node[] = [];
  /** Whether an element of the file gets props in a spread. */
  isAny = false;
  #calls = 0;

  /** @param targets the browser modules that are emitted */
  constructor(module: Module, out: ServerOutput, values: DerivedValues, targets: readonly Target[]) {
    this.#module = module;
    this.#out = out;
    this.#values = values;
    this.#targets = targets;
  }

  /** Code of whether the browser binds any of the props. */
  bindsSome(spread: SpreadAttribute): string {
    return `${this.#out.use("bindsSome")}(${this.#argumentsOf(spread)}${againOf(spread)})`;
  }

  #argumentsOf({ expression, skip, once }: SpreadAttribute): string {
    return `${once ?? this.#module.file.text.slice(expression.start, expression.end)}, ${JSON.stringify(skip)}`;
  }

  /** Code of the props that the browser binds. */
  boundProps(spread: SpreadAttribute, block: string): string {
    return `${this.#out.use("boundProps")}(${this.#argumentsOf(spread)}, ${block}, "${spread.own}"${againOf(spread)})`;
  }

  /** Gives a spread of a named object, such as the props, the rest of them or the result of a hook, a symbol in the browser module. */
  mark(attribute: SpreadAttribute): boolean {
    const fn = componentOf(this.#module, attribute.expression);
    const object = unwrap(attribute.expression);
    if (!fn || attribute.live || !mayHoldHandlers(this.#module, object)) return false;
    const root = rootOfObject(object);
    const binding = root && bindingAt(this.#module, root);
    const source = binding && importBehind(this.#module, binding);
    if (root && source) this.imports.push({ binding: source, node: root });
    if (binding?.declared === "import") return false;
    attribute.own = this.#values.newSymbol();
    for (const { browser, client } of this.#targets) browser.emitOwn(attribute.own, newScope(0, client.newEdits()));
    const isWhole = isPropsObject(this.#module, fn, object);
    if (isWhole || this.#markPart(attribute, fn)) this.followed.push(attribute.expression);
    const isMade = object.type === "CallExpression" || binding?.owner === null;
    if (isMade && !holdsJsx(object)) this.#markCall(attribute);
    if (binding?.owner === null && attribute.again === undefined && !this.#isHookCall(object))
      throw diagnostic(
        this.#module.file,
        "SVC103",
        attribute.expression,
        "This spread contains handlers, and its code can't run in the browser, because it uses something that only the server has or a variable of the module. Write the handlers as attributes: onClick={…}.",
      );
    this.isAny = true;
    return true;
  }

  /** The object in a prop, such as `{...props.attributes}`: the browser reads it again if the prop is live. @returns whether it can */
  #markPart(attribute: SpreadAttribute, fn: FunctionNode): boolean {
    const object = unwrap(attribute.expression);
    const reads = propReads(this.#module, object);
    if (reads === "" || object.type === "CallExpression" || holdsJsx(object)) return false;
    const known = propNamed(this.#module, fn, object);
    const again =
      known === undefined
        ? this.#values.deriveIf(fn, reads, this.#values.derive([object], undefined, undefined, reads), "undefined")
        : `${this.#out.use("livePart")}(${this.#values.propsOf(fn)}, ${JSON.stringify(known)})`;
    if (again !== undefined) attribute.again = `() => ${again}`;
    return again !== undefined;
  }

  /** The server calls it once. The browser calls it again if what it uses may change, or if only the call makes its handlers. */
  #markCall(attribute: SpreadAttribute): void {
    const { expression } = attribute;
    attribute.once = this.#out.local(`spread${this.#calls++}`);
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
}

/** A further argument: how the browser reads the object again. */
function againOf({ again }: SpreadAttribute): string {
  return again === undefined ? "" : `, ${again}`;
}
