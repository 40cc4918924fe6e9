/** Refs hold elements and other objects that exist only in the browser. On the server they are empty and recorded, so that pages can refer to them. */

/** Receives an element when its component wakes in the browser, or any value from a handler. `null` until then, and on the server. */
export interface Ref<Target> {
  current: Target | null;
}

const refs = new WeakSet<object>();

/**
 * Creates a ref: `const field = createRef<HTMLInputElement>()`, `<input ref={field} />`, and in handlers
 * `field.current?.focus()`. Passed to another component as a prop, it can hold an element of that component. Without a `ref={…}` it
 * stores a value that handlers share and that can't be serialized, such as an `AbortController` or a timer id.
 * @example
 * function Search() {
 *   const input = createRef<HTMLInputElement>();
 *   return (
 *     <label>
 *       Search <input ref={input} />
 *       <button onClick={() => input.current?.focus()}>Focus</button>
 *     </label>
 *   );
 * }
 */
export function createRef<Target = Element>(): Ref<Target> {
  const ref = { current: null };
  refs.add(ref);
  return ref;
}

export function isRef(value: unknown): boolean {
  return typeof value === "object" && value !== null && refs.has(value);
}
