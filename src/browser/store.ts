/**
 * `store.js`: deep reactive objects. One signal for each property that is read in a tracked place; one for all indexes of
 * an array.
 */
import { batch, Cell, kinds, touch, unboundRows } from "./core.ts";

const proxies = new WeakMap<object, object>();
const raws = new WeakMap<object, object>();
/** Object -> the object of the same store that holds it: a write below a row's item is a write to the row. */
const holders = new WeakMap<object, object>();

type Fields = Record<PropertyKey, unknown>;

/** @param object plain objects and arrays become reactive as they are reached; everything else is given back as it is. */
export function store<T>(object: T): T {
  return reactive(object, undefined, undefined) as T;
}

/** The plain object behind one of a store. */
export function raw<T>(object: T): T {
  return (raws.get(object as object) ?? object) as T;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null || raws.has(value)) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}

/** From the outermost inwards: binding a row brings the rows inside it to light. */
function bindRowsAround(target: object | undefined): void {
  if (!target) return;
  bindRowsAround(holders.get(target));
  unboundRows.get(target)?.();
}

/** @param top the store's outermost proxy, by which the page knows it. */
function reactive(value: unknown, holder: object | undefined, top: object | undefined): unknown {
  if (!isPlain(value)) return value;
  const known = proxies.get(value);
  if (known) return known;
  const proxy = new Proxy<object>(value, handlerOf(value, top));
  proxies.set(value, proxy);
  raws.set(proxy, value);
  if (holder) holders.set(value, holder);
  return proxy;
}

function handlerOf(target: object, top: object | undefined): ProxyHandler<object> {
  const fields = target as Fields;
  const isArray = Array.isArray(target);
  /** One counter for each property that was read; "" for which properties there are, and for all of an array. */
  const versions: Record<PropertyKey, Cell> = Object.create(null);
  const keyOf = (key: PropertyKey): PropertyKey => (isArray ? "" : key);
  const read = (key: PropertyKey): unknown => (versions[key] ??= new Cell(0)).value;
  const changed = (key: PropertyKey): void => {
    const cell = versions[key];
    if (cell) cell.value = (cell._value as number) + 1;
  };
  const write = (key: PropertyKey, perform: () => boolean): boolean => {
    touch(top ?? (proxies.get(target) as object));
    bindRowsAround(target);
    return batch(() => {
      const before = Object.keys(target).length;
      const done = perform();
      changed(keyOf(key));
      if (!isArray && Object.keys(target).length !== before) changed("");
      return done;
    });
  };
  return {
    get(_target, key, self) {
      const value = Reflect.get(target, key, self);
      if (typeof value === "function" || typeof key === "symbol") return value;
      read(keyOf(key));
      return reactive(value, target, top ?? proxies.get(target));
    },
    has(_target, key) {
      read(keyOf(key));
      return key in target;
    },
    ownKeys() {
      read("");
      return Reflect.ownKeys(target);
    },
    set(_target, key, given) {
      const value = raw(given);
      if (key in target && Object.is(fields[key], value)) return true;
      return write(key, () => Reflect.set(target, key, value));
    },
    deleteProperty(_target, key) {
      return !(key in target) || write(key, () => Reflect.deleteProperty(target, key));
    },
  };
}

kinds[2] = store;
