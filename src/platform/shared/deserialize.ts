/** The counterpart of serialize.ts. Ships to browsers, so it is small; it never creates functions or touches prototypes. */
import type { Json } from "./json.ts";

declare const URL: new (text: string) => object;

/**
 * @param entries the result of `serialize`.
 * @param valueAt returns the value at an index that `placeOf` gave to `serialize`.
 * @param made values that earlier calls have read from these entries, by index. `valueAt` may read more of them.
 * @param start index of the entry to read. Default: that of the whole value
 */
export function deserialize(
  entries: Json,
  valueAt?: (index: number) => unknown,
  made: unknown[] = [],
  start = 0,
): unknown {
  const list = entries as Json[];
  const get = (index: Json): unknown => {
    const at = index as number;
    return at in made ? made[at] : read(at);
  };
  const read = (at: number): unknown => {
    const entry = list[at];
    if (!Array.isArray(entry)) return (made[at] = entry);
    const [tag, ...rest] = entry as [string, ...Json[]];
    const [first, second] = rest as [string, string];
    if (tag === "a") {
      const array: unknown[] = (made[at] = []);
      for (const item of rest) array.push(get(item));
    } else if (tag === "o") {
      const object: object = (made[at] = {});
      for (let i = 0; i < rest.length; i += 2) {
        const index = rest[i + 1] as number;
        // Defined, not assigned: a key named __proto__ stays a key.
        Object.defineProperty(object, rest[i] as string, {
          ...(index < 0 ? { get: valueAt!(~index) as () => unknown } : { value: get(index), writable: true }),
          enumerable: true,
          configurable: true,
        });
      }
    } else if (tag === "m") {
      const map = (made[at] = new Map<unknown, unknown>());
      for (let i = 0; i < rest.length; i += 2) map.set(get(rest[i] as Json), get(rest[i + 1] as Json));
    } else if (tag === "s") {
      const set = (made[at] = new Set<unknown>());
      for (const item of rest) set.add(get(item));
    } else made[at] = tag === "v" ? valueAt!(first as never) : simple(tag, first, second, rest);
    return made[at];
  };
  return get(start);
}

function simple(tag: string, first: string, second: string, rest: Json[]): unknown {
  if (tag === "n") return Number(first);
  if (tag === "d") return new Date(first);
  if (tag === "b") return BigInt(first);
  if (tag === "l") return new URL(first);
  if (tag === "r") return new RegExp(first, second);
  if (tag === "e") return Object.assign(new Error(second), { name: first });
  if (tag === "t") {
    const Typed = (globalThis as unknown as Record<string, { from(values: Json[]): unknown }>)[first];
    return Typed?.from(rest.slice(1));
  }
  return undefined;
}
