/**
 * Step 4 for children that the browser may have to create: a component of the server shows its children in a row or branch, so they are
 * created anew when they are shown again. The server records how the browser gets them: an export of a browser module of the caller's file,
 * which contains only the children of components that need it.
 */
import type { ESTree } from "vite";
import { SvcError } from "../../../platform/shared/errors.ts";
import { ALL_PROPS } from "../../../platform/shared/wire.ts";
import type { Module } from "../analyze/analyze.ts";
import { ContextUseFinder } from "../analyze/contexts.ts";
import { functionOf } from "../analyze/declaration-kinds.ts";
import { bindingAt, isPropsObject } from "../analyze/prop-names.ts";
import { PropPlaces, placeAt, type PlacesByName, type PropCall, type PropPlace } from "../analyze/prop-places.ts";
import { componentOf, propReads } from "../analyze/prop-reads.ts";
import { Diagnostic } from "../diagnostics.ts";
import { newScope, type Scope } from "../model.ts";
import { tagName, unwrap, type Expression, type Node } from "../parse/ast.ts";
import { BrowserEmitter } from "./emit-browser.ts";
import { ClientModule } from "./client-module.ts";
import type { LivePropsEmitter } from "./emit-live-props.ts";
import type { ServerOutput } from "./server-output.ts";

/** Query of an import that requests the children of a file that the browser creates. */
export const VIEWS_QUERY = "?svc-views";

/** Children of one call. */
interface ChildView {
  call: PropCall;
  node: ESTree.JSXElement;
  parts: readonly Expression[];
  symbol: string;
  slots: Scope["slots"];
  /** Why the browser can't create them. */
  problem: SvcError | undefined;
}

export class ChildViewsEmitter {
  readonly #module: Module;
  readonly #out: ServerOutput;
  readonly #live: LivePropsEmitter;
  /** Emitted for all calls, since it determines the slots, whatever the components do with their children. */
  readonly #all: BrowserEmitter;
  readonly #allClient: ClientModule;
  readonly #found: ChildView[] = [];
  readonly #spreads: PropCall[] = [];
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

  /** Whether components of other files get children that the browser can create. */
  get isAny(): boolean {
    return this.#found.some(({ problem }) => !problem);
  }

  /** Whether components of the module may create their children. Known after `finish`. */
  get isCreating(): boolean {
    return this.#places.isAny;
  }

  /** Children that components create in rows and branches, by the names of the exports. Complete after `finish`. */
  get exported(): PlacesByName {
    return this.#places.exported;
  }

  /**
   * Records the children of a call.
   * @param parts those that change
   * @returns the first arguments of `view`; undefined if only the server can make them
   */
  add(node: ESTree.JSXElement, parts: readonly Expression[]): string | undefined {
    const symbol = `s${this.#found.length}`;
    const reads = node.children.map((child) => propReads(this.#module, child)).join(" ");
    const from = [...new Set(reads.split(" ").filter(Boolean))].join(" ");
    const view: ChildView = {
      call: this.#callOf(node.openingElement, node, "children", from),
      node,
      parts,
      symbol,
      slots: [],
      problem: undefined,
    };
    this.#found.push(view);
    const scope = newScope(0, this.#allClient.newEdits());
    try {
      this.#all.emitChildrenView(scope, node, parts, symbol);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      view.problem = error;
      return undefined;
    }
    view.slots = scope.slots;
    const slots = scope.slots.map((slot) => this.#live.slot(slot)).join(", ");
    return `${this.#block(scope)}, "${symbol}", () => [${slots}]`;
  }

  /** Records a spread of the props in a call, which may pass children on. */
  addSpread(opening: ESTree.JSXOpeningElement, { argument }: ESTree.JSXSpreadAttribute): void {
    const fn = componentOf(this.#module, argument);
    if (fn && isPropsObject(this.#module, fn, unwrap(argument)))
      this.#spreads.push(this.#callOf(opening, argument, ALL_PROPS, ALL_PROPS));
  }

  /**
   * Emits the children that the called components create. Adds to the errors of the module those that only the server can make.
   * @param shown places where browser code of the module shows children that it may have to create
   * @param imported children that imported components create, by local name
   */
  finish(shown: readonly Node[], imported: PlacesByName): void {
    for (const node of shown) {
      const fn = componentOf(this.#module, node);
      const names = propReads(this.#module, node);
      if (fn && names !== "") this.#places.add(fn, names, placeAt(this.#module, node));
    }
    this.#places.passOn([...this.#found.map(({ call }) => call), ...this.#spreads], imported);
    const browser = new BrowserEmitter(this.#module, this.client);
    this.#live.follow(browser);
    for (const { call, node, parts, symbol, slots, problem } of this.#found) {
      const place = this.#places.placeOf(call, imported);
      if (!place) continue;
      if (problem) this.#module.problems.add(withReason(problem, call, place));
      else {
        const scope = newScope(0, this.client.newEdits());
        scope.slots = [...slots];
        browser.emitChildrenView(scope, node, parts, symbol);
      }
    }
  }

  #callOf({ name }: ESTree.JSXOpeningElement, node: Node, prop: string, from: string): PropCall {
    const binding = bindingAt(this.#module, name);
    return { node, tag: tagName(name), target: binding && functionOf(binding), name: prop, from, without: [] };
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

function withReason(problem: SvcError, { tag }: PropCall, { where, source }: PropPlace): SvcError {
  const reason = `The browser runs this code because <${tag}> shows its children in a row or branch that may change, by "${source}" (${where}).`;
  return problem instanceof Diagnostic
    ? problem.withLine(reason)
    : new SvcError(problem.code, `${problem.message}\n${reason}`);
}
