/**
 * `store` on the server: the plain object, recorded so that the page makes it reactive in the browser. A component runs once on the
 * server, where nothing could react to changes, so no proxy is needed.
 */
const stores = new WeakSet<object>();
/** Development only: objects inside of stores. */
const parts = new WeakSet<object>();
let isRemembering = false;

/**
 * A deep reactive object: in the browser a write updates only the bindings that read the changed field.
 * @param object plain objects and arrays, nested to any depth.
 * @example
 * function Todos() {
 *   const list = store({ items: [{ text: "Buy milk", isDone: false }] });
 *   return (
 *     <ul>
 *       {list.items.map((item) => (
 *         <li>
 *           <input type="checkbox" bind:checked={item.isDone} /> {item.text}
 *         </li>
 *       ))}
 *     </ul>
 *   );
 * }
 */
export function store<T extends object>(object: T): T {
  stores.add(object);
  if (isRemembering) rememberPartsOf(object);
  return object;
}

export function isStore(value: unknown): value is object {
  return typeof value === "object" && value !== null && stores.has(value);
}

/** Development only: from now on also records objects inside stores. */
export function rememberParts(): void {
  isRemembering = true;
}

/** Whether a value is a store, or an object inside a store that was created after `rememberParts` was called. */
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
