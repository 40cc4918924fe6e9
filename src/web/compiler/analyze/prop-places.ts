/** Records which props the components of a module use in some way, and finds the components that only pass such props on. */
import { ALL_PROPS } from "../../../platform/shared/wire.ts";
import { MAX_QUOTED, placeIn } from "../diagnostics.ts";
import { unwrap, type FunctionNode, type Node } from "../parse/ast.ts";
import type { Module } from "./analyze.ts";
import { exportedNodes } from "./frozen-components.ts";
import { componentOf } from "./prop-reads.ts";

/** Where a component uses a prop. */
export interface PropPlace {
  /** `parts.tsx:12:7` */
  readonly where: string;
  /** Its source, cut after some characters. */
  readonly source: string;
  /** Whether only instances with live props use it there. */
  readonly isLive?: true;
}

/** The props that one component uses, by name. */
export type PlacesOfComponent<Place extends PropPlace = PropPlace> = ReadonlyMap<string, Place>;

/** The props that components use, by the name of the component. */
export type PlacesByName<Place extends PropPlace = PropPlace> = ReadonlyMap<string, PlacesOfComponent<Place>>;

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
  /** Whether it is in a row or branch that the browser creates. */
  readonly isReplaced: boolean;
}

export function placeAt({ file }: Module, { start, end }: Node): PropPlace {
  const { line, column } = placeIn(file, start);
  return { where: `${file.path}:${line}:${column}`, source: file.text.slice(start, Math.min(end, start + MAX_QUOTED)) };
}

export class PropPlaces<Place extends PropPlace> {
  readonly #module: Module;
  readonly #found = new Map<FunctionNode, Map<string, Place>>();

  constructor(module: Module) {
    this.#module = module;
  }

  /** @param names of props, separated by spaces */
  add(fn: FunctionNode, names: string, place: Place): void {
    const known = this.#found.get(fn) ?? new Map<string, Place>();
    for (const name of names.split(" ")) {
      const before = known.get(name);
      if (!before || (before.isLive && !place.isLive)) known.set(name, place);
    }
    this.#found.set(fn, known);
  }

  /** Where the called component uses the prop. @param imported what imported components use, by local name */
  placeOf(call: PropCall, imported: PlacesByName<Place>): Place | undefined {
    const used = this.#usedBy(call, imported);
    return used.get(call.name) ?? used.get(ALL_PROPS);
  }

  /** A component that passes its props on uses those that the called component uses. */
  passOn(calls: readonly PropCall[], imported: PlacesByName<Place>): void {
    for (let size = -1; size !== this.#size;) {
      size = this.#size;
      for (const call of calls) this.#passOn(call, this.#usedBy(call, imported), this.placeOf(call, imported));
    }
  }

  #usedBy({ target, tag }: PropCall, imported: PlacesByName<Place>): PlacesOfComponent<Place> {
    return (target ? this.#found.get(target) : imported.get(tag)) ?? new Map<string, Place>();
  }

  #passOn({ node, name, from, without }: PropCall, used: PlacesOfComponent<Place>, place: Place | undefined): void {
    const fn = from ? componentOf(this.#module, node) : undefined;
    if (!fn || !from) return;
    if (name !== ALL_PROPS) {
      if (place) this.add(fn, from, place);
      return;
    }
    for (const [one, where] of used) if (!without.includes(one)) this.add(fn, from === ALL_PROPS ? one : from, where);
  }

  /** Whether a component of the module uses a prop in this way. */
  get isAny(): boolean {
    return this.#found.size > 0;
  }

  /** What exported components use, by the names of the exports. Complete after `passOn`. */
  get exported(): PlacesByName<Place> {
    const names = new Map<string, PlacesOfComponent<Place>>();
    for (const [name, node] of exportedNodes(this.#module)) {
      const used = node && this.#found.get(unwrap(node) as FunctionNode);
      if (used) names.set(name, used);
    }
    return names;
  }

  get #size(): number {
    let size = 0;
    for (const used of this.#found.values()) for (const { isLive } of used.values()) size += isLive ? 1 : 2;
    return size;
  }
}
