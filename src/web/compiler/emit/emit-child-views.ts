/**
 * Step 4 for JSX in props that the browser may have to create: a component of the server shows its children or another prop in a row or branch,
 * so they are created anew when they are shown again. The server records how the browser gets them: an export of a browser module of the
 * caller's file, which contains only the JSX of components that need it.
 */
import type { ESTree } from "vite";
import { isChosenByHeld } from "../analyze/held-choices.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { ALL_PROPS } from "../../../platform/shared/wire.ts";
import type { Module } from "../analyze/analyze.ts";
import { ContextUseFinder } from "../analyze/contexts.ts";
import { functionOf } from "../analyze/declaration-kinds.ts";
import { bindingAt, isPropsObject } from "../analyze/prop-names.ts";
import { givenItem } from "../analyze/jsx-members.ts";
import { isMethod, isPassedFunction, isPassedJsx, jsxOf } from "../analyze/jsx-values.ts";
import { PropPlaces, placeAt, type PlacesByName, type PropCall, type PropPlace } from "../analyze/prop-places.ts";
import { componentOf, propReads } from "../analyze/prop-reads.ts";
import { Diagnostic } from "../diagnostics.ts";
import { newScope, type Scope } from "../model.ts";
import { holdsJsx, isFunction, tagName, unwrap, type Expression, type Node } from "../parse/ast.ts";
import { BrowserEmitter } from "./emit-browser.ts";
import { ClientModule } from "./client-module.ts";
import type { LivePropsEmitter } from "./emit-live-props.ts";
import type { ServerOutput } from "./server-output.ts";

/** Query of an import that requests the JSX in props of a file that the browser creates. */
export const VIEWS_QUERY = "?svc-views";

interface ViewCall extends PropCall {
  /** Whether a value decides which component it is: `<Accordion.Item>`, `const Tag = props.as`. */
  readonly isChosen: boolean;
}

/** How the browser creates the children of one call, or other JSX. */
interface ChildView {
  emit(this: void, browser: BrowserEmitter, scope: Scope): void;
  slots: Scope["slots"];
  /** Why the browser can't create them. */
  problem: SvcError | undefined;
}

export class ChildViewsEmitter {
  readonly #module: Module;
  readonly #out: ServerOutput;
  readonly #live: LivePropsEmitter;
  /** Emitted for all calls, since it determines the slots, whatever the components do with their props. */
  readonly #all: BrowserEmitter;
  readonly #allClient: ClientModule;
  readonly #found: ChildView[] = [];
  /** Props and spreads that may pass on what the component around them is given. */
  readonly #passed: PropCall[] = [];
  /** Props with JSX, whose views may be recorded later. */
  readonly #calls: { call: ViewCall; views: () => readonly ChildView[]; element: Node }[] = [];
  /** JSX that is a value -> its view. */
  readonly #values = new Map<Node, ChildView>();
  /** Elements whose components get live props. */
  readonly #liveElements = new Set<Node>();
  readonly #places: PropPlaces<PropPlace>;
  /** The browser module. Complete after `finish`. */
  readonly client: ClientModule;

  constructor(module: Module, out: ServerOutput, live: LivePropsEmitter) {
    this.#module = module;
    this.#out = out;
    this.#live = live;
    this.#allClient = new ClientModule(module);
    this.#all = new BrowserEmitter(module, this.#allClient);
    this.client = new ClientModule(module);
    this.#places = new PropPlaces(module);
    live.follow(this.#all);
  }

  /** Whether the file has JSX in props that the browser can create. */
  get isAny(): boolean {
    return this.#found.some(({ problem }) => !problem);
  }

  /** Whether components of the module may create JSX that they are given. Known after `finish`. */
  get isCreating(): boolean {
    return this.#places.isAny || !this.client.isEmpty;
  }

  /** Props that components create in rows and branches, by the names of the exports. Complete after `finish`. */
  get exported(): PlacesByName {
    return this.#places.exported;
  }

  /**
   * Records the children of a call.
   * @param parts those that change
   * @returns the first arguments of `view`; undefined if only the server can make them
   */
  add(node: ESTree.JSXElement, parts: readonly Expression[]): string | undefined {
    const symbol = this.#newSymbol();
    const { view, code } = this.#add((browser, scope) => browser.emitChildrenView(scope, node, parts, symbol), symbol);
    const reads = node.children.map((child) => propReads(this.#module, child)).join(" ");
    const from = [...new Set(reads.split(" ").filter(Boolean))].join(" ");
    this.#calls.push({
      call: this.#callOf(node.openingElement, node, "children", from),
      views: () => [view],
      element: node,
    });
    return code;
  }

  /**
   * Records JSX that is a value, or a function in an object that returns JSX.
   * @returns as `add`; also undefined for JSX that is no prop
   */
  addValue(node: Node): string | undefined {
    if (!(isFunction(node) ? isPassedFunction : isPassedJsx)(this.#module, node)) return undefined;
    const symbol = this.#newSymbol();
    const { view, code } = this.#add((browser, scope) => browser.emitJsxView(scope, node, symbol), symbol);
    this.#values.set(node, view);
    return code;
  }

  /**
   * Records a function that returns JSX, as a prop or the children of a call.
   * @returns as `add`; also undefined for other functions
   */
  addFunction(element: ESTree.JSXElement, name: string, node: Node): string | undefined {
    if (!this.#rendersJsx(node)) return undefined;
    const symbol = this.#newSymbol();
    const { view, code } = this.#add((browser, scope) => browser.emitJsxView(scope, node, symbol), symbol);
    const call = this.#callOf(element.openingElement, node, name, propReads(this.#module, node));
    this.#calls.push({ call, views: () => [view], element });
    return code;
  }

  /** Server code before a function that `addValue` has recorded. A method becomes a property with a function. */
  liftBefore(node: Node, view: string): string {
    const lift = `${this.#out.use("lift")}(${view}, `;
    return isMethod(this.#module, node) ? `: ${lift}function ` : lift;
  }

  /** Whether an expression is a function with JSX, or the name of one in the component. */
  #rendersJsx(node: Node): boolean {
    const inner = unwrap(node);
    if (isFunction(inner)) return holdsJsx(inner);
    const binding = inner.type === "Identifier" ? bindingAt(this.#module, inner) : undefined;
    const fn = binding && !/^[A-Z]/.test(binding.name) ? functionOf(binding) : undefined;
    return fn !== undefined && holdsJsx(fn);
  }

  /** Records a prop of a call, which may be JSX or pass it on. The JSX is known already, or is recorded later. */
  addProp(attribute: ESTree.JSXAttribute, expression: Node): void {
    const opening = this.#module.parentOf(attribute);
    const element = opening && this.#module.parentOf(opening);
    if (opening?.type !== "JSXOpeningElement" || !element) return;
    const from = propReads(this.#module, expression);
    const call = this.#callOf(opening, expression, String(attribute.name.name), from);
    if (from !== "") this.#passed.push(call);
    const jsx = jsxOf(this.#module, expression);
    if (jsx.length > 0) this.#calls.push({ call, views: () => this.#viewsOf(jsx), element });
  }

  /** Records a spread of the props in a call, which may pass JSX on. */
  addSpread(opening: ESTree.JSXOpeningElement, { argument }: ESTree.JSXSpreadAttribute): void {
    const fn = componentOf(this.#module, argument);
    if (fn && isPropsObject(this.#module, fn, unwrap(argument)))
      this.#passed.push(this.#callOf(opening, argument, ALL_PROPS, ALL_PROPS));
  }

  /** Records that the component of an element gets live props. */
  addLive(element: Node): void {
    this.#liveElements.add(element);
  }

  #viewsOf(jsx: readonly Node[]): ChildView[] {
    return jsx.flatMap((node) => this.#values.get(node) ?? []);
  }

  #newSymbol(): string {
    return `s${this.#found.length}`;
  }

  #add(emit: ChildView["emit"], symbol: string): { view: ChildView; code: string | undefined } {
    const view: ChildView = { emit, slots: [], problem: undefined };
    this.#found.push(view);
    const scope = newScope(0, this.#allClient.newEdits());
    try {
      emit(this.#all, scope);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      view.problem = error;
      return { view, code: undefined };
    }
    view.slots = scope.slots;
    const slots = scope.slots.map((slot) => this.#live.slot(slot)).join(", ");
    return { view, code: `${this.#block(scope)}, "${symbol}", () => [${slots}]` };
  }

  /**
   * Emits the JSX that the called components create. Adds to the errors of the module that which only the server can make.
   * @param shown places where browser code of the module shows props that it may have to create
   * @param shownLive the same for code of instances with live props
   * @param imported props that imported components create, by local name
   */
  finish(shown: readonly Node[], shownLive: readonly Node[], imported: PlacesByName): void {
    for (const node of shown) this.#addPlace(node, placeAt(this.#module, node));
    for (const node of shownLive) {
      const place = placeAt(this.#module, node);
      this.#addPlace(node, isChosenByHeld(this.#module, node) ? place : { ...place, isLive: true });
    }
    this.#places.passOn([...this.#calls.map(({ call }) => call), ...this.#passed], imported);
    const wanted = new Set(this.#viewsOf([...shown, ...shownLive].flatMap((node) => jsxOf(this.#module, node))));
    for (const { problem } of wanted) if (problem) this.#module.problems.add(problem);
    for (const { call, views, element } of this.#calls) {
      const place = this.#places.placeOf(call, imported);
      // Another file or a value decides what the component shows.
      if (!place && call.isChosen) for (const view of views()) if (!view.problem) wanted.add(view);
      if (!place || (place.isLive && call.name !== "children" && !this.#liveElements.has(element))) continue;
      for (const view of views()) {
        if (view.problem) this.#module.problems.add(withReason(view.problem, call, place));
        else wanted.add(view);
      }
    }
    this.#emit(wanted);
  }

  #addPlace(node: Node, place: PropPlace): void {
    const fn = componentOf(this.#module, node);
    const names = givenItem(this.#module, node)?.props || propReads(this.#module, node);
    if (fn && names !== "") this.#places.add(fn, names, place);
  }

  #emit(wanted: ReadonlySet<ChildView>): void {
    const browser = new BrowserEmitter(this.#module, this.client);
    this.#live.follow(browser);
    for (const view of this.#found) {
      if (!wanted.has(view) || view.problem) continue;
      const scope = newScope(0, this.client.newEdits());
      scope.slots = [...view.slots];
      view.emit(browser, scope);
    }
  }

  #callOf({ name }: ESTree.JSXOpeningElement, node: Node, prop: string, from: string): ViewCall {
    const binding = bindingAt(this.#module, name);
    const [tag, target] = [tagName(name), binding && functionOf(binding)];
    const isMember = tag.includes(".") && !tag.endsWith(".Provider");
    const isChosen = !target && (isMember || (binding !== undefined && binding.declared !== "import"));
    return { node, tag, target, isChosen, name: prop, from, isReplaced: false, without: [] };
  }

  #block({ parts, creates }: Scope): string {
    const uses = new ContextUseFinder(this.#module).list(creates);
    return this.#out.addBlock([
      JSON.stringify(this.#module.file.path + VIEWS_QUERY),
      "0",
      "[]",
      JSON.stringify([...parts].sort()),
      ...(uses === undefined ? [] : ["[]", "false", uses]),
    ]);
  }
}

function withReason(problem: SvcError, { tag, name }: PropCall, { where, source }: PropPlace): SvcError {
  const reason = `The browser runs this code because <${tag}> shows its ${name === "children" ? name : `prop "${name}"`} in a row or branch that may change, by "${source}" (${where}).`;
  return problem instanceof Diagnostic
    ? problem.withLine(reason)
    : new SvcError(problem.code, `${problem.message}\n${reason}`);
}
