/**
 * `store` on the server: the plain object, remembered, so that the page knows to make it reactive in the browser. A
 * component runs once on the server, so nothing there could ever react to it; no proxy, no cost.
 */
const stores = new WeakSet<object>();
/** Development only: objects inside of stores. */
const parts = new WeakSet<object>();
let isRemembering = false;

/**
 * A deep reactive object: in the browser each field that a binding read updates just that binding.
 * @param object plain objects and arrays, nested as you like.
 */
export function store<T extends object>(object: T): T {
  stores.add(object);
  if (isRemembering) rememberPartsOf(object);
  return object;
}

export function isStore(value: unknown): value is object {
  return typeof value === "object" && value !== null && stores.has(value);
}

/** Development only: from now on objects inside of stores are known too. */
export function rememberParts(): void {
  isRemembering = true;
}

/** Whether a value is a store, or an object inside of one that was made since `rememberParts`. */
export function isOfStore(value: unknown): boolean {
  return isStore(value) || (typeof value === "object" && value !== null && parts.has(value));
}

function rememberPartsOf(object: object): void {
  for (const part of Object.values(object) as unknown[]) {
    if (typeof part !== "object" || part === null || parts.has(part)) continue;
    parts.add(part);
    rememberPartsOf(part);
  }
}
