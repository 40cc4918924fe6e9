/**
 * Captured values that hold the same objects: a part beside its whole, a store within a store, a cycle. They are written as one
 * graph, so that what is one object on the server is one in the browser. Decides only; values.ts writes.
 */

/** Values that belong together, by their places in the list that was given. */
export interface SharedGroup {
  members: number[];
  /** Those of `members` that lie within a value that is a store, and so are reactive. */
  inStores: ReadonlySet<number>;
}

/**
 * @param contents what is captured.
 * @param isStore whether the content at a place is a store.
 */
export function sharedGroups(contents: readonly unknown[], isStore: (at: number) => boolean): SharedGroup[] {
  const places: number[] = [];
  for (const [at, content] of contents.entries()) if (isObject(content)) places.push(at);
  if (places.length < 2) return [];
  const owners = new Map<object, number>();
  const groups = new Union();
  for (const at of places) {
    visit(contents[at], (object) => {
      const owner = owners.get(object);
      if (owner === undefined) owners.set(object, at);
      else if (owner !== at) groups.join(owner, at);
      // What is below has been seen with its owner.
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
  const held = new Set<object>();
  for (const at of members) {
    if (isStore(at)) visit(contents[at], (object) => !held.has(object) && Boolean(held.add(object)));
  }
  return new Set(members.filter((at) => held.has(contents[at] as object)));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** @param enter is told of each object that can be shared; whether to go into it. */
function visit(value: unknown, enter: (object: object) => boolean): void {
  if (!isObject(value) || !enter(value)) return;
  if (Array.isArray(value) || value instanceof Set) for (const item of value) visit(item, enter);
  else if (value instanceof Map) {
    for (const [key, item] of value) {
      visit(key, enter);
      visit(item, enter);
    }
  } else if (isPlain(value))
    for (const key of Object.keys(value)) visit((value as Record<string, unknown>)[key], enter);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Sets of places that grow together. */
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
