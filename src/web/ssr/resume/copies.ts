/** Knows of which objects the page has copies with some members (only-members.ts). */

/** Copy -> the object that it is a part of. */
const originals = new WeakMap<object, object>();

export function recordCopy(copy: object, original: object): void {
  originals.set(copy, original);
}

/** The object of which a value is a copy with some members; undefined for other values. */
export function originalOf(value: unknown): object | undefined {
  return typeof value === "object" && value !== null ? originals.get(value) : undefined;
}
