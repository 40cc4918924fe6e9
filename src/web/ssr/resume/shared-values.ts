/**
 * Groups captured values that share objects: a part and its whole, a store inside a store, a cycle. values.ts writes each group as
 * one object graph, so that one object on the server is one object in the browser.
 */
import { isStore as isStoreObject } from "../../reactivity/server-store.ts";
import { gettersOf } from "./function-props.ts";
import { partsOf } from "./nested-values.ts";

/** Values that share objects, as indices into the given list. */
export interface SharedGroup {
  members: number[];
  /** `members` whose object is part of a store, and therefore reactive. */
  inStores: ReadonlySet<number>;
}

/**
 * @param contents captured values.
 * @param isStore whether the value at an index is a store.
 */
export function sharedGroups(contents: readonly unknown[], isStore: (at: number) => boolean): SharedGroup[] {
  const places: number[] = [];
  for (const [at, content] of contents.entries()) if (isObject(content)) places.push(at);
  if (places.length < 2) return [];
  const owners = new Map<object, number>();
  const groups = new Union();
  for (const at of places) {
    visit(contents[at], (object) => {
      // A store inside another value is an entry of its own, not a part.
      if (object !== contents[at] && !isStore(at) && isStoreObject(object)) return false;
      const owner = owners.get(object);
      if (owner === undefined) owners.set(object, at);
      else if (owner !== at) groups.join(owner, at);
      // The objects below were visited with their owner.
      return owner === undefined;
    });
  }
  return groups.all().map((members) => ({ members, inStores: withinStores(members, contents, isStore) }));
}

function withinStores(
  members: readonly number[],
  contents: readonly unknown[],
  isStore: (at: number) => boolean,
): ReadonlySet<number> {
  const held = objectsIn(members.filter(isStore).map((at) => contents[at]));
  return new Set(members.filter((at) => held.has(contents[at] as object)));
}

/** For each value, the values that contain one of its objects, and itself, as indices into the given list. */
export function overlaps(contents: readonly unknown[]): ReadonlySet<number>[] {
  const holders = new Map<object, number[]>();
  for (const [at, content] of contents.entries()) {
    visit(content, (object) => {
      const known = holders.get(object);
      if (known?.at(-1) === at) return false;
      if (known) known.push(at);
      else holders.set(object, [at]);
      return true;
    });
  }
  const found = contents.map((_content, at) => new Set([at]));
  for (const places of holders.values()) for (const at of places) for (const other of places) found[at]?.add(other);
  return found;
}

/** All objects in values, and the values. */
export function objectsIn(contents: readonly unknown[]): ReadonlySet<object> {
  const found = new Set<object>();
  for (const content of contents) visit(content, (object) => !found.has(object) && Boolean(found.add(object)));
  return found;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** @param enter called for each object that can be shared; returns whether to visit its members. */
function visit(value: unknown, enter: (object: object) => boolean): void {
  if (!isObject(value) || !enter(value)) return;
  if (Array.isArray(value) || value instanceof Set) for (const item of value) visit(item, enter);
  else if (value instanceof Map) {
    for (const [key, item] of value) {
      visit(key, enter);
      visit(item, enter);
    }
  } else if (gettersOf(value)) for (const item of partsOf(value)) visit(item, enter);
  else if (isPlain(value)) for (const key of Object.keys(value)) visit((value as Record<string, unknown>)[key], enter);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Disjoint sets of indices that can be merged (union-find). */
class Union {
  readonly #sets = new Map<number, Set<number>>();

  join(left: number, right: number): void {
    const one = this.#sets.get(left) ?? new Set([left]);
    const other = this.#sets.get(right) ?? new Set([right]);
    for (const at of other) one.add(at);
    for (const at of one) this.#sets.set(at, one);
  }

  all(): number[][] {
    return [...new Set(this.#sets.values())].map((set) => [...set].sort((left, right) => left - right));
  }
}
