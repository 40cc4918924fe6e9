/**
 * Development only: checks expressions that are written once. The syntax cannot show that a prop or the result of a hook is a store, or that
 * a getter or a function of another file reads a signal, so `still` and `once` check it while rendering
 * (web/ssr/resume/store-prop-reads.ts, SVC204 and SVC205).
 */
import { mayHoldSignals, type Module } from "./analyze.ts";
import { isFunction, isJsx, memberName, unwrap, walk, type Node } from "../parse/ast.ts";
import { placeIn } from "../diagnostics.ts";
import { svcName } from "./declaration-kinds.ts";
import { roundedParts } from "../extract/html-pieces.ts";
import { propReads, shownReads } from "./prop-reads.ts";
import { isHeld } from "./held-state.ts";
import type { SpreadAttribute } from "../model.ts";
import type { LivePropsEmitter } from "../emit/emit-live-props.ts";
import type { ServerOutput } from "../emit/server-output.ts";

export class StorePropReads {
  readonly #module: Module;
  readonly #out: ServerOutput;
  readonly #live: LivePropsEmitter;
  readonly #watched = new Set<Node>();
  readonly #frozen = new Set<Node>();

  constructor(module: Module, out: ServerOutput, live: LivePropsEmitter) {
    this.#live = live;
    this.#module = module;
    this.#out = out;
  }

  /** @param expression of a text, attribute, list or condition that the browser will not write again. */
  watch(expression: Node): void {
    const followed = this.#live.follows(expression) ? expression : undefined;
    if (this.#isProp(unwrap(expression))) this.#wrap(unwrap(expression), followed);
    else
      walk(expression, (node) => {
        if (isFunction(node) || isJsx(node)) return false;
        if (node.type === "CallExpression" && svcName(node.callee, this.#module.scopes) === "untrack") return false;
        if (node.type === "CallExpression") this.#watchArguments(node.arguments, followed);
        if (node.type !== "MemberExpression") return undefined;
        const object = unwrap(node.object);
        if (this.#isProp(object) || this.#isPart(object)) this.#wrap(object, followed);
        return undefined;
      });
    // Behind the props, whose checks belong inside.
    for (const leaf of leavesOf(expression)) this.#watchReads(leaf, followed);
    if (!followed) this.watchProps(expression);
  }

  /** @param expression that nothing evaluates again, even if a prop that it reads is live. */
  watchProps(expression: Node): void {
    const names = propReads(this.#module, expression);
    const props = names === "" ? undefined : this.#live.stateIn(expression, names);
    if (props === undefined || this.#frozen.has(expression)) return;
    this.#frozen.add(expression);
    const args = `${props}, ${JSON.stringify(names)}, ${this.#placeOf(expression)}`;
    this.#out.wrap(expression, `${this.#out.use("frozen")}(${args}, (`, "))");
  }

  /** @param test chooses once what a component returns. */
  watchTest(test: Node): void {
    if (shownReads(this.#module, test).split(" ").some(isHeld)) this.watch(test);
    else this.watchProps(test);
  }

  /** Checks that the browser gets the handlers in the object of a spread. */
  watchSpread(spread: SpreadAttribute): void {
    this.#out.wrap(spread.expression, `${this.#out.use("handled")}((`, `), ${this.#spreadArgs(spread)})`);
  }

  /** Code of a call whose object is spread, with the same check. */
  calledSpread(spread: SpreadAttribute): string {
    const { start, end } = spread.expression;
    const isBound = spread.again !== undefined;
    const source = this.#module.file.text.slice(start, end);
    return isBound ? source : `${this.#out.use("handled")}((${source}), ${this.#spreadArgs(spread)})`;
  }

  #spreadArgs({ expression, skip, own }: SpreadAttribute): string {
    return `${JSON.stringify(skip)}, ${own !== undefined}, ${this.#placeOf(expression)}`;
  }

  /** A function may read any member of an object, so it must contain no store that the browser does not follow. */
  #watchArguments(args: readonly Node[], followed: Node | undefined): void {
    for (const arg of args.map(unwrap)) if (this.#isProp(arg)) this.#wrap(arg, followed, "stillWhole");
  }

  /** Wraps an expression in a function, so that its reads can be tracked. @param followed as in `#wrap` */
  #watchReads(leaf: Node, followed: Node | undefined): void {
    if (this.#watched.has(leaf) || !mayRead(leaf)) return;
    this.#watched.add(leaf);
    this.#out.wrap(
      leaf,
      `${this.#keyOf(leaf)}${this.#out.use("once")}(() => (`,
      `), ${this.#placeOf(leaf)}${this.#stateIn(leaf, followed)})`,
    );
  }

  /** @param followed the expression around it, if the browser evaluates that again when a prop is live or a hook returns state */
  #wrap(prop: Node, followed: Node | undefined, check: "still" | "stillWhole" = "still"): void {
    if (this.#watched.has(prop)) return;
    this.#watched.add(prop);
    this.#out.wrap(
      prop,
      `${this.#keyOf(prop)}${this.#out.use(check)}(`,
      `, ${this.#placeOf(prop)}${this.#stateIn(prop, followed)})`,
    );
  }

  /** `done: ` for `done` in `{ done }`. */
  #keyOf(node: Node): string {
    const parent = this.#module.parentOf(node);
    const isShorthand = parent?.type === "Property" && parent.shorthand;
    return isShorthand && node.type === "Identifier" ? `${node.name}: ` : "";
  }

  /** The instance's live props and state in results of hooks, and the names of those that a node reads, as further arguments. */
  #stateIn(node: Node, followed: Node | undefined): string {
    const names = followed ? shownReads(this.#module, node) : "";
    return names === "" ? "" : `, ${this.#live.stateIn(node, names)}, ${JSON.stringify(names)}`;
  }

  /** Position and source as arguments. */
  #placeOf(node: Node): string {
    const { text, path } = this.#module.file;
    const { line, column } = placeIn(this.#module.file, node.start);
    return `${JSON.stringify(`${path}:${line}:${column}`)}, ${JSON.stringify(text.slice(node.start, node.end))}`;
  }

  /** `props.list`, or `list` of a component that takes `{ list }`. */
  #isProp(node: Node): boolean {
    if (node.type === "MemberExpression") {
      const object = unwrap(node.object);
      return memberName(node) !== undefined && object.type === "Identifier" && this.#kindOf(object) === "props";
    }
    return node.type === "Identifier" && (this.#kindOf(node) === "taken" || this.#isOfHook(node));
  }

  /** A constant of a component whose value is the result of a call. */
  #isOfHook(name: Node): boolean {
    const binding = this.#module.scopes.within(name)[0]?.binding;
    if (binding?.declared !== "const" || !binding.owner || !this.#module.components.has(binding.owner)) return false;
    return this.#module.kind(binding) === "value" && mayHoldSignals(binding, "value");
  }

  /** `form.data` of a hook's result, and of an object that is a prop: `props.form.data`. */
  #isPart(node: Node): boolean {
    let root = node;
    while (root.type === "MemberExpression") root = unwrap(root.object);
    if (root === node || root.type !== "Identifier") return false;
    return this.#isOfHook(root) || this.#kindOf(root) !== undefined;
  }

  #kindOf(name: Node): "props" | "taken" | undefined {
    const binding = this.#module.scopes.within(name)[0]?.binding;
    if (!binding?.owner || binding.declared !== "param" || !this.#module.components.has(binding.owner))
      return undefined;
    return this.#module.kind(binding) === "props" ? "props" : "taken";
  }
}

/** Parts of an expression that the server evaluates on their own: parts of templates, sides of conditions, members of class objects. */
function leavesOf(expression: Node): Node[] {
  const node = unwrap(expression);
  if (node.type === "TemplateLiteral") return node.expressions.flatMap(leavesOf);
  if (node.type === "ConditionalExpression") return [node.test, node.consequent, node.alternate].flatMap(leavesOf);
  if (node.type === "LogicalExpression") return [node.left, node.right].flatMap(leavesOf);
  if (node.type === "ArrayExpression") return node.elements.flatMap((item) => (item ? leavesOf(item) : []));
  if (node.type === "ObjectExpression")
    return node.properties.flatMap((item) => leavesOf(item.type === "Property" ? item.value : item.argument));
  const rounded = roundedParts(node);
  return rounded ? rounded.flatMap(leavesOf) : [node];
}

/** Whether evaluating an expression may read a signal, and may happen inside a function. */
function mayRead(leaf: Node): boolean {
  let isPossible = false;
  let canMove = leaf.type !== "SpreadElement";
  walk(leaf, (node) => {
    isPossible ||= node.type === "MemberExpression" || node.type === "CallExpression" || node === leaf;
    canMove &&= !isJsx(node) && node.type !== "AwaitExpression" && node.type !== "YieldExpression";
    return !isFunction(node) && canMove;
  });
  return (
    isPossible &&
    canMove &&
    !isFunction(leaf) &&
    !(leaf.type === "Identifier" && leaf.name === "undefined") &&
    leaf.type !== "Literal"
  );
}
