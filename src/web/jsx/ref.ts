/** Refs: places for elements, and for what else only the browser has. On the server they are empty, and remembered, so that a page knows them among its values. */

/** Where an element is put when its component wakes in the browser, or a handler puts something; `null` until then, and on the server. */
export interface Ref<Target> {
  current: Target | null;
}

const refs = new WeakSet<object>();

/**
 * A place for an element: `const field = createRef<HTMLInputElement>()`, `<input ref={field} />`, and in handlers
 * `field.current?.focus()`. Handed to another component as a prop, it holds an element of that one. Without a `ref={…}` it
 * is a place for what handlers share and no page can carry, such as an `AbortController` or the id of a timer.
 */
export function createRef<Target = Element>(): Ref<Target> {
  const ref = { current: null };
  refs.add(ref);
  return ref;
}

export function isRef(value: unknown): boolean {
  return typeof value === "object" && value !== null && refs.has(value);
}
