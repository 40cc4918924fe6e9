/**
 * Finds props that a component shows only once, although a caller may pass ones that change: the component decides by them which JSX it returns
 * in a way that the browser can't repeat, or the browser can't run the code that shows them. A caller that passes such a prop is refused
 * (SVC121), because the page would be stale without a message.
 */
import { ALL_PROPS } from "../../../platform/shared/wire.ts";
import { diagnostic, MAX_QUOTED, positionOf } from "../diagnostics.ts";
import { unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Module } from "./analyze.ts";
import { exportedNodes } from "./frozen-components.ts";
import { codeReads, componentOf, keptReads, propReads } from "./prop-reads.ts";
import { isShown } from "./stale-reads.ts";

/** Where a component shows a prop that it keeps. */
export interface KeptPlace {
  /** `parts.tsx:12:7` */
  readonly where: string;
  /** Its source, cut after some characters. */
  readonly source: string;
  /** `return`: it decides which JSX the component returns. `name`: a name that the browser can't make again. */
  readonly kind: "return" | "name" | "code";
}

/** The props that one component keeps, by name. */
export type KeptOfComponent = ReadonlyMap<string, KeptPlace>;

/** The props that components keep, by the name of the component. */
export type KeptByName = ReadonlyMap<string, KeptOfComponent>;

/** A prop in a call of a component. */
export interface PropCall {
  readonly node: Node;
  readonly tag: string;
  /** The component, if it is of the same module. */
  readonly target: FunctionNode | undefined;
  /** Name of the prop; `ALL_PROPS` for a spread. */
  readonly name: string;
  /** Names that a spread does not pass on, because attributes behind it do. */
  readonly without: readonly string[];
  /** Props of the component around it that it is made from; undefined if it changes in any case. */
  readonly from: string | undefined;
}

export class KeptProps {
  readonly #module: Module;
  readonly #found = new Map<FunctionNode, Map<string, KeptPlace>>();

  constructor(module: Module) {
    this.#module = module;
    for (const reference of module.scopes.references) {
      const { binding, node } = reference;
      if (!binding?.owner || binding.declared === "param" || !module.components.has(binding.owner)) continue;
      const names = isShown(module, reference) ? keptReads(module, node) : "";
      if (names !== "") this.#add(node, names, "name");
    }
  }

  /** Records an expression of a component that nothing evaluates again. */
  add(expression: Node, kind: KeptPlace["kind"]): void {
    this.#add(expression, propReads(this.#module, expression), kind);
  }

  /** Records a `try` that may return, which the browser can't repeat. */
  addTry(block: Node): void {
    this.#add(block, codeReads(this.#module, block).join(" "), "return");
  }

  #add(expression: Node, names: string, kind: KeptPlace["kind"]): void {
    const fn = componentOf(this.#module, expression);
    if (!fn || names === "") return;
    const { text, path } = this.#module.file;
    const { line, column } = positionOf(text, expression.start);
    const source = text.slice(expression.start, Math.min(expression.end, expression.start + MAX_QUOTED));
    this.#addNames(fn, names, { where: `${path}:${line}:${column}`, source, kind });
  }

  /**
   * Adds to the errors of the module the calls that pass a prop which changes and which the component keeps. A component that passes its own
   * prop on to such a component keeps it too.
   * @param imported what imported components keep, by local name
   */
  refuseCalls(calls: readonly PropCall[], imported: KeptByName): void {
    const keptBy = ({ target, tag }: PropCall): KeptOfComponent =>
      (target ? this.#found.get(target) : imported.get(tag)) ?? new Map<string, KeptPlace>();
    const placeOf = (call: PropCall): KeptPlace | undefined =>
      keptBy(call).get(call.name) ?? keptBy(call).get(ALL_PROPS);
    for (let size = -1; size !== this.#size;) {
      size = this.#size;
      for (const call of calls) this.#passOn(call, keptBy(call), placeOf(call));
    }
    for (const call of calls) {
      const place = call.from === undefined ? placeOf(call) : undefined;
      if (place) this.#module.problems.add(diagnostic(this.#module.file, "SVC121", call.node, messageOf(call, place)));
    }
  }

  /** A component that passes its props on keeps those that the called component keeps. */
  #passOn({ node, name, from, without }: PropCall, kept: KeptOfComponent, place: KeptPlace | undefined): void {
    const fn = from === undefined ? undefined : componentOf(this.#module, node);
    if (!fn || from === undefined) return;
    if (name !== ALL_PROPS) {
      if (place) this.#addNames(fn, from, place);
      return;
    }
    for (const [one, where] of kept)
      if (!without.includes(one)) this.#addNames(fn, from === ALL_PROPS ? one : from, where);
  }

  /** What exported components keep, by the names of the exports. Complete after `refuseCalls`. */
  get exported(): KeptByName {
    const names = new Map<string, KeptOfComponent>();
    for (const [name, node] of exportedNodes(this.#module)) {
      const kept = node && this.#found.get(unwrap(node) as FunctionNode);
      if (kept) names.set(name, kept);
    }
    return names;
  }

  get #size(): number {
    let size = 0;
    for (const kept of this.#found.values()) size += kept.size;
    return size;
  }

  #addNames(fn: FunctionNode, names: string, place: KeptPlace): void {
    const known = this.#found.get(fn) ?? new Map<string, KeptPlace>();
    for (const name of names.split(" ")) if (!known.has(name)) known.set(name, place);
    this.#found.set(fn, known);
  }
}

const REASONS: Readonly<Record<KeptPlace["kind"], string>> = {
  return:
    "which decides only once which JSX is returned. There, declare state before the first return, or move what follows the return into a component of its own.",
  name: "which gets its value only once, because its code contains JSX or changes an object. There, write that code in the JSX or in a function, and show what the function returns. If the first value is intended, write untrack(() => …).",
  code: "which is rendered only once, because the browser can't run it. If the first value is intended, write untrack(() => …) there.",
};

function messageOf({ name, tag }: PropCall, { where, source, kind }: KeptPlace): string {
  return `The prop "${name}" changes in the browser, but <${tag}> shows it by "${source}" (${where}), ${REASONS[kind]}`;
}
