/**
 * `store.js`: deep reactive objects. Each property that is read in a tracked context has a signal; an array has one for
 * all its indexes.
 */
import { batch, Cell, kinds, touch, unboundRows } from "../runtime/core.ts";

const proxies = new WeakMap<object, object>();
const raws = new WeakMap<object, object>();
/** Object -> the object of the same store that contains it. A write below a row's item counts as a write to that row. */
const holders = new WeakMap<object, object>();

type Fields = Record<PropertyKey, unknown>;

/** @param object plain objects and arrays become reactive when they are read; any other value is returned unchanged. */
export function store<T>(object: T): T {
  return reactive(object) as T;
}

/** The plain object behind a store's proxy. */
export function raw<T>(object: T): T {
  return (raws.get(object as object) ?? object) as T;
}

/** Binds from the outermost row inwards, since binding a row registers the rows inside it. */
function bindRowsAround(target: object | undefined): void {
  if (!target) return;
  bindRowsAround(holders.get(target));
  unboundRows.get(target)?.();
}

/** @param top the store's outermost proxy, which the page's values refer to. */
function reactive(value: unknown, holder?: object, top?: object): unknown {
  const isArray = Array.isArray(value);
  // A proxy passes this test like the object behind it, so `raws` identifies our proxies.
  const isPlain = isArray || (value && Object.getPrototypeOf(value) === Object.prototype);
  if (!isPlain || raws.has(value as object)) return value;
  const target = value as Fields;
  const known = proxies.get(target);
  if (known) return known;
  /** A version cell for each property that was read; "" is the key for the set of properties, or for a whole array. */
  const versions: Record<PropertyKey, Cell> = Object.create(null);
  const read = (key: PropertyKey): unknown => (versions[isArray ? "" : key] ??= new Cell(0)).value;
  const changed = (key: PropertyKey): void => {
    const cell = versions[key];
    if (cell) cell.value = (cell._value as number) + 1;
  };
  /** @param isShape whether a property is added or removed */

  const write = (key: PropertyKey, isShape: boolean, perform: () => boolean): boolean => {
    touch(top ?? proxy);
    bindRowsAround(target);
    return batch(() => {
      const done = perform();
      changed(key);
      if (isArray || isShape) changed("");
      return done;
    });
  };
  const proxy = new Proxy<object>(target, {
    get(_target, key, self) {
      const inner: unknown = Reflect.get(target, key, self);
      // A method of an array is a batch, because between its writes an item is in the array twice, or not at all.
      if (typeof inner === "function" && isArray && key !== "constructor")
        return (...args: unknown[]) => batch(() => Reflect.apply(inner, self, args) as unknown);
      if (typeof inner === "function" || typeof key === "symbol") return inner;
      read(key);
      return reactive(inner, target, top ?? proxy);
    },
    has(_target, key) {
      read(key);
      return key in target;
    },
    ownKeys() {
      read("");
      return Reflect.ownKeys(target);
    },
    set(_target, key, given) {
      const inner = raw(given);
      const isNew = !(key in target);
      if (!isNew && Object.is(target[key], inner)) return true;
      return write(key, isNew, () => Reflect.set(target, key, inner));
    },
    deleteProperty(_target, key) {
      return !(key in target) || write(key, true, () => Reflect.deleteProperty(target, key));
    },
  });
  proxies.set(target, proxy);
  raws.set(proxy, target);
  if (holder) holders.set(target, holder);
  return proxy;
}

kinds[2] = store;
