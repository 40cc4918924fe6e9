/** The table of captured values. Scopes that capture the same value share one entry. docs/resume-protocol.md section 3. */
import { isComputed, isSignal, type Signal } from "../../reactivity/signal.ts";
import { isRef } from "../../jsx/ref.ts";
import { ServerResource } from "../../reactivity/server-resource.ts";
import { isStore } from "../../reactivity/server-store.ts";
import { SvcError } from "../../../platform/shared/errors.ts";
import { type CONTEXT_KIND, FUNCTION_KIND } from "../../../platform/shared/wire.ts";
import type { Json } from "../../../platform/shared/json.ts";
import { originalOf } from "./copies.ts";
import { gettersOf } from "./function-props.ts";
import { isNested, isSpecial, nestedValues } from "./nested-values.ts";
import { objectsIn, overlaps, sharedGroups } from "./shared-values.ts";
import type { ValueNames } from "./value-names.ts";
import { Html } from "../html.ts";
import { isPlainJson, looksPlain, serialize, SerializeError } from "../../../platform/shared/serialize.ts";

/** A value that the browser creates from others: its description, and the modules that this requires. */
export interface Made {
  kind: typeof FUNCTION_KIND | typeof CONTEXT_KIND;
  content: [chunk: string, symbol: string, ...slots: number[]] | [context: string, value: number];
  slots: readonly number[];
  modules: readonly string[];
}

const VALUE_KINDS = { signal: 0, plain: 1, store: 2, made: FUNCTION_KIND, ref: 7, resource: 8 } as const;
/** The kind used when the same value is encoded. */
const ENCODED: Readonly<Record<number, number>> = { 0: 5, 1: 4, 2: 6, 8: 9 };

/** Kind of a value that is part of an object graph shared by several values. */
const OF_GRAPH = 10;

// Shared arrays: most of the thousands of values of a large page have the same parts.
const NO_PARTS: readonly string[] = [];
const DATA: readonly string[] = ["data"];
const REF: readonly string[] = ["ref"];
const RESOURCE: readonly string[] = ["resource"];
/** The value of a pending resource is not known yet, so it may need decoding. */
const RESOURCE_AND_DATA: readonly string[] = ["resource", "data"];

const NONE: readonly number[] = [];
const NOBODY: ReadonlySet<number> = new Set();

/** The most common reason why the browser has no code for a function of a hook. */
const CAUSE =
  ". If a hook made it, it may use a let variable, which createRef() or signal() replaces, or something that only the server has";

const MINUS_ZERO = Symbol("-0");

/** The part of a template that errors about its captured values mention. */
export interface CaptureOwner {
  moduleId: string;
  bind: string | 0;
  /** Name of the component, then the source of each slot. */
  names: readonly string[];
}

/** Where a value was first captured. */
interface Place {
  captor: CaptureOwner;
  slot: number;
}

/** Gives a value inside another value an entry of its own. Implemented by PageScopes, which knows how the browser creates functions. */
export interface NestedIndex {
  indexOfNested(value: unknown, captor: CaptureOwner, slot: number): number;
}

interface Entry {
  kind: number;
  /** The signal, store, ref or plain value; see `contentOf`. */
  value: unknown;
  /** Scopes whose bindings read the value. */
  scopes: Set<number> | undefined;
  /** Used in errors. */
  where: Place;
  /** Whether plain JSON can't represent the value. Known after the state is written. */
  isEncoded: boolean;
  /** Indices of the values inside it that have entries of their own. Known after the state is written. */
  parts: readonly number[];
}

const NO_ROWS: ReadonlyMap<Entry, Json[]> = new Map();

export class ValueTable {
  readonly #entries: Entry[] = [];
  readonly #indices = new Map<unknown, number>();

  /** @param scopeId the capturing scope, if its bindings read the value. @returns the value's index. @throws SvcError `SVC201` for computeds */
  add(value: unknown, scopeId: number | undefined, captor: CaptureOwner, slot: number): number {
    // Primitives are immutable, so equal ones can share an entry. A Map treats -0 and 0 as equal, but they serialize differently.
    const identity = Object.is(value, -0) ? MINUS_ZERO : value;
    let index = this.#indices.get(identity);
    if (index === undefined) {
      index = this.#entries.push(entryOf(value, { captor, slot })) - 1;
      this.#indices.set(identity, index);
    }
    if (scopeId !== undefined) {
      const entry = this.#entries[index];
      if (entry) (entry.scopes ??= new Set()).add(scopeId);
    }
    return index;
  }

  has(value: unknown): boolean {
    return this.#indices.has(value);
  }

  /** Adds a function that the browser creates. */
  addMade(value: unknown, made: Made, captor: CaptureOwner, slot: number): void {
    const where = { captor, slot };
    const entry = {
      kind: VALUE_KINDS.made,
      value: made,
      scopes: undefined,
      where,
      isEncoded: false,
      parts: made.slots,
    };
    this.#indices.set(value, this.#entries.push(entry) - 1);
  }

  /** Indices of the values that a function prop captures, transitively; empty for other values. */
  madeFrom(index: number): readonly number[] {
    const entry = this.#entries[index];
    if (entry?.kind !== VALUE_KINDS.made) return NONE;
    const { slots } = entry.value as Made;
    return [...slots, ...slots.flatMap((slot) => this.madeFrom(slot))];
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Removes values from index `size` on, and readers with a scope number above `lastScope`. */
  rollBack(size: number, lastScope: number): void {
    this.#entries.length = size;
    for (const [value, index] of this.#indices) if (index >= size) this.#indices.delete(value);
    for (const { scopes } of this.#entries) for (const id of scopes ?? NOBODY) if (id > lastScope) scopes?.delete(id);
  }

  /** An estimate of the runtime parts that this value needs, cheap enough to call during the render. */
  likelyParts(index: number): readonly string[] {
    const entry = this.#entries[index];
    return entry ? partsOf(entry, !looksPlain(contentOf(entry))) : NO_PARTS;
  }

  /** The runtime parts that this value needs. Call after `toJson`. */
  parts(index: number): readonly string[] {
    const entry = this.#entries[index];
    return entry ? partsOf(entry, entry.isEncoded) : NO_PARTS;
  }

  /** The value's index, and those of all values inside it. Call after `toJson`. */
  within(index: number, known = new Set<number>()): readonly number[] {
    known.add(index);
    for (const part of this.#entries[index]?.parts ?? NONE) if (!known.has(part)) this.within(part, known);
    return [...known];
  }

  /** The development name of each value; null for values that browser code does not change. */
  names(names: ValueNames): (string | null)[] {
    const found: (string | null)[] = this.#entries.map(() => null);
    for (const [value, index] of this.#indices) found[index] = names.nameOf(value) ?? null;
    return found;
  }

  /** For each value, the scopes whose bindings read it. */
  readers(): ReadonlySet<number>[] {
    return this.#entries.map((entry) => entry.scopes ?? NOBODY);
  }

  /** Index -> readers above scope `lastScope`, for values below index `size` whose changes wake scopes. */
  newReaders(size: number, lastScope: number): Record<string, number[]> {
    const found = this.#entries.slice(0, size).map(({ kind, scopes }, index): [number, number[]] => {
      return [index, kind === VALUE_KINDS.plain ? [] : [...(scopes ?? NOBODY)].filter((id) => id > lastScope)];
    });
    return Object.fromEntries(found.filter(([, ids]) => ids.length > 0));
  }

  /**
   * Resources that were sent as pending and have settled since: index -> `[kind, value, shown]`. `shown`: the page displays that
   * the resource is pending. @throws SvcError `SVC201`
   */
  newlySettled(): Record<string, Json[]> {
    const found: Record<string, Json[]> = {};
    for (const [index, entry] of this.#entries.entries()) {
      if (entry.kind !== VALUE_KINDS.resource) continue;
      const resource = entry.value as ServerResource<unknown>;
      if (!resource.reportSettled()) continue;
      entry.isEncoded = isEncoded(contentOf(entry));
      found[index] = [...rowOf(entry, () => undefined), resource.wasShownPending ? 1 : 0];
    }
    return found;
  }

  /** Returns rows for entries that share objects, and adds one entry per shared object graph. */
  #writeGraphs(entries: readonly Entry[]): ReadonlyMap<Entry, Json[]> {
    if (entries.length < 2) return NO_ROWS;
    const rows = new Map<Entry, Json[]>();
    const contents = entries.map((entry) => (isShareable(entry) ? contentOf(entry) : undefined));
    for (const { members, inStores } of sharedGroups(contents, (at) => entries[at]?.kind === VALUE_KINDS.store)) {
      const group = members.map((at) => entries[at] as Entry);
      // Encode each value separately first, so that an error names the value.
      const roots = new Set(group.map(contentOf));
      const placeOf = (value: unknown): number | undefined => (roots.has(value) ? undefined : this.#placeOf(value));
      for (const entry of group) encode(contentOf(entry), entry.where, placeOf);
      const graph = entryOf(group.map(contentOf), (group[0] as Entry).where);
      const index = this.#entries.push(graph) - 1;
      members.forEach((at, root) => {
        const entry = entries[at] as Entry;
        if (entry.kind === VALUE_KINDS.plain && inStores.has(at)) entry.kind = VALUE_KINDS.store;
        const isPart = entry.kind === VALUE_KINDS.signal && inStores.has(at);
        entry.isEncoded = true;
        rows.set(entry, [OF_GRAPH, [index, root, entry.kind, ...(isPart ? [1] : [])]]);
      });
      rows.set(graph, rowOf({ ...graph, isEncoded: true }, placeOf));
      shareScopes(group.filter(({ kind }) => kind === VALUE_KINDS.store));
    }
    return rows;
  }

  /** Gives the values inside of values from `first` on entries of their own. */
  #indexNested(first: number, nested: NestedIndex): void {
    let hasParts = false;
    for (let at = first; at < this.#entries.length; at++) {
      const entry = this.#entries[at] as Entry;
      const content = contentOf(entry);
      entry.isEncoded = entry.kind !== VALUE_KINDS.made && isEncoded(content);
      const { captor, slot } = entry.where;
      if (entry.isEncoded && isShareable(entry))
        entry.parts = nestedValues(content, entry.kind === VALUE_KINDS.store).map((value) =>
          nested.indexOfNested(value, captor, slot),
        );
      hasParts ||= entry.parts.length > 0;
    }
    if (!hasParts) return;
    for (let at = 0; at < this.#entries.length; at++) this.#passScopes(at, []);
  }

  /** A scope that shows a value also shows the values inside it. @throws SvcError `SVC201` for a signal that contains itself. */
  #passScopes(index: number, around: readonly number[]): void {
    const { parts, scopes, where } = this.#entries[index] as Entry;
    if (around.includes(index)) {
      const cycle = [...around.slice(around.indexOf(index)), index];
      if (this.#opens(cycle)) return;
      throw cannotTravel(where, "It is a signal that contains itself");
    }
    for (const part of parts) {
      const entry = this.#entries[part] as Entry;
      if (scopes?.size) entry.scopes = new Set([...(entry.scopes ?? NOBODY), ...scopes]);
      this.#passScopes(part, [...around, index]);
    }
  }

  /**
   * Lets the browser create values that contain each other: a function among them reads the next value when it is called.
   * @returns whether there is such a function
   */
  #opens(cycle: readonly number[]): boolean {
    const made = (index: number | undefined): Made | undefined => {
      const entry = index === undefined ? undefined : this.#entries[index];
      return entry?.kind === VALUE_KINDS.made ? (entry.value as Made) : undefined;
    };
    for (const [at, index] of cycle.entries()) {
      const next = cycle[at + 1];
      const content = made(index)?.content;
      if (!content || next === undefined || made(next)) continue;
      content.forEach((slot, place) => {
        if (place > 1 && slot === next) content[place] = ~next;
      });
      return true;
    }
    return false;
  }

  /** Replaces copies with some members of objects that the browser gets as a whole. @returns whether there were any */
  #restoreWholes(first: number): boolean {
    const copies = this.#entries.slice(first).filter(({ value }) => originalOf(value) !== undefined);
    const reached = copies.length === 0 ? undefined : objectsIn(this.#entries.map(contentOf));
    let found = false;
    for (const entry of copies) {
      const original = originalOf(entry.value);
      if (!original || !reached?.has(original)) continue;
      entry.value = original;
      found = true;
    }
    return found;
  }

  #placeOf(value: unknown): number | undefined {
    return isNested(value) ? this.#indices.get(value) : undefined;
  }

  /** `[kind, value, scopes?]` for each value from `first` on. @throws SvcError `SVC201` */
  toJson(first: number, nested: NestedIndex): Json[] {
    do this.#indexNested(first, nested);
    while (this.#restoreWholes(first));
    const graphs = this.#writeGraphs(this.#entries.slice(first));
    return this.#entries.slice(first).map((entry) => {
      // A store refers to itself and to stores inside it as parts.
      const isPart = (value: unknown): boolean => entry.kind === VALUE_KINDS.store && isStore(value);
      const row = graphs.get(entry) ?? rowOf(entry, (value) => (isPart(value) ? undefined : this.#placeOf(value)));
      const { kind, scopes } = entry;
      if (kind === VALUE_KINDS.resource) (entry.value as ServerResource<unknown>).report();
      // Plain values and functions of them never change; only signals and stores wake scopes.
      if (scopes?.size && kind !== VALUE_KINDS.plain && kind !== VALUE_KINDS.made) row.push([...scopes]);
      return row;
    });
  }
}

/** Makes a store wake the scopes of the stores around it and in it: a write to a shared object changes all stores that contain it. */
function shareScopes(stores: readonly Entry[]): void {
  const own = stores.map(({ scopes }) => [...(scopes ?? NOBODY)]);
  // In the order of the page: scopes around others wake first.
  const scopesOf = (near: ReadonlySet<number>): number[] =>
    [...near].sort((a, b) => a - b).flatMap((at) => own[at] ?? []);
  const shared = overlaps(stores.map(contentOf)).map((near) => new Set(scopesOf(near)));
  for (const [at, entry] of stores.entries()) entry.scopes = shared[at];
}

/** Whether the entry can share objects with other entries. The browser does not share a resource's value. */
function isShareable({ kind }: Entry): boolean {
  return kind === VALUE_KINDS.signal || kind === VALUE_KINDS.plain || kind === VALUE_KINDS.store;
}

/** `[kind, value]`. */
function rowOf(entry: Entry, placeOf: (value: unknown) => number | undefined): Json[] {
  const value = contentOf(entry);
  if (entry.kind === VALUE_KINDS.made) return [(entry.value as Made).kind, value as Json];
  if (!entry.isEncoded) return [entry.kind, value as Json];
  return [ENCODED[entry.kind] ?? entry.kind, encode(value, entry.where, placeOf)];
}

function partsOf({ kind, value }: Entry, isEncoded: boolean): readonly string[] {
  const data = isEncoded ? DATA : NO_PARTS;
  if (kind === VALUE_KINDS.resource) {
    return isEncoded || (value as ServerResource<unknown>).mayBeAnything ? RESOURCE_AND_DATA : RESOURCE;
  }
  if (kind === VALUE_KINDS.ref) return REF;
  if (kind === VALUE_KINDS.made) return (value as Made).modules;
  return kind === VALUE_KINDS.store ? ["store", ...data] : data;
}

function entryOf(value: unknown, where: Place): Entry {
  return { kind: kindOf(value, where), value, scopes: undefined, where, isEncoded: false, parts: NONE };
}

function kindOf(value: unknown, where: Place): number {
  if (typeof value !== "object" || value === null) return VALUE_KINDS.plain;
  if (isComputed(value))
    throw cannotTravel(
      where,
      "It is a computed that the compiler could not follow: declare it with const in the component",
    );
  if (isSignal(value)) return VALUE_KINDS.signal;
  if (value instanceof Html) throw cannotTravel(where, "It is JSX that only the server can make");
  if (isRef(value)) return VALUE_KINDS.ref;
  if (value instanceof ServerResource) return VALUE_KINDS.resource;
  return isStore(value) ? VALUE_KINDS.store : VALUE_KINDS.plain;
}

/** Read at the end of the render, so that the browser gets the final values. */
function contentOf({ kind, value }: Entry): unknown {
  if (kind === VALUE_KINDS.signal) return (value as Signal<unknown>).value;
  if (kind === VALUE_KINDS.resource) return (value as ServerResource<unknown>).state;
  if (kind === VALUE_KINDS.made) return (value as Made).content;
  return kind === VALUE_KINDS.ref ? null : value;
}

/** Whether plain JSON can't represent a value. */
function isEncoded(content: unknown): boolean {
  return (
    (typeof content === "object" && content !== null && gettersOf(content) !== undefined) ||
    !isPlainJson(content, isSpecial)
  );
}

function encode(value: unknown, where: Place, placeOf: (value: unknown) => number | undefined): Json {
  try {
    return serialize(value, placeOf, gettersOf);
  } catch (error) {
    if (error instanceof SerializeError)
      throw cannotTravel(where, error.isFunction ? `${error.message}${CAUSE}` : error.message);
    throw error;
  }
}

function cannotTravel({ captor: { moduleId, bind, names }, slot }: Place, why: string): SvcError {
  const [component = "", ...sources] = names;
  const what = sources[slot];
  const where =
    what === undefined
      ? `slot ${slot} of scope ${bind || "(handlers only)"}`
      : `${JSON.stringify(what)} of ${component}`;
  return new SvcError(
    "SVC201",
    `SVC201 ${moduleId}: ${where}\nBrowser code captures this value, but it can't be serialized. ${why}. Capture the plain data that it consists of, or create it in the browser, in a handler or onLoad.`,
  );
}
