/**
 * `store` on the server: the plain object, remembered, so that the page knows to make it reactive in the browser. A
 * component runs once on the server, so nothing there could ever react to it; no proxy, no cost.
 */
const stores = new WeakSet<object>();

/**
 * A deep reactive object: in the browser each field that a binding read updates just that binding.
 * @param object plain objects and arrays, nested as you like.
 */
export function store<T extends object>(object: T): T {
  stores.add(object);
  return object;
}

export function isStore(value: unknown): value is object {
  return typeof value === "object" && value !== null && stores.has(value);
}
