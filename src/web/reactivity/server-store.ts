/**
 * `store` on the server: the plain object, recorded so that the page makes it reactive in the browser. A component runs once on the
 * server, where nothing could react to changes, so no proxy is needed.
 */
const stores = new WeakSet<object>();
/** Objects inside of stores, as far as `isOfStore` needed them. */
const parts = new WeakSet<object>();

/** The state that a render has created so far. Most pages create none, and few ask for parts of stores. */
export interface CreatedState {
  /** Stores whose parts are not recorded yet. */
  readonly unread: object[];
  /** Whether there is any state that values may refer to: a store, or a function that leaves its hook. */
  isAny: boolean;
}

const outside: CreatedState = { unread: [], isAny: false };
let created = outside;

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
  created.isAny = true;
  if (created === outside) rememberPartsOf(object);
  else created.unread.push(object);
  return object;
}

export function isStore(value: unknown): value is object {
  return typeof value === "object" && value !== null && stores.has(value);
}

/** Begins or continues a render. @param next the state that it has created. @returns that of the render around it */
export function exchangeCreated(next: CreatedState): CreatedState {
  const outer = created;
  created = next;
  return outer;
}

/** Notes that values may refer to state. */
export function noteState(): void {
  created.isAny = true;
}

/** Whether values of this render may refer to state. */
export function mayHoldState(): boolean {
  return created.isAny || outside.isAny;
}

/** Whether a value is a store, or an object that is inside of one. */
export function isOfStore(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (stores.has(value)) return true;
  if (created.unread.length > 0) for (const object of created.unread.splice(0)) rememberPartsOf(object);
  return parts.has(value);
}

/** Gives an object inside of a store an entry of its own in the page's state, as a part of that store. */
export function promote(part: object): void {
  stores.add(part);
}

function rememberPartsOf(object: object): void {
  for (const part of Object.values(object) as unknown[]) {
    if (!mayBePart(part) || parts.has(part)) continue;
    parts.add(part);
    rememberPartsOf(part);
  }
}

/** Stores contain plain objects and arrays. Others, such as dates, are values in them. */
function mayBePart(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}
