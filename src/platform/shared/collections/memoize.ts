/** Caches results derived from text. Few distinct header values are in use, and they repeat. */

/** More than a site has of one kind. Other values only cause cache misses. */
const MAX_KEPT = 500;
/** Longer texts are not cached, so that nobody can fill the memory. */
const MAX_LENGTH = 256;

/** @param find must depend on the text only. */
export function remembered<Found>(find: (text: string) => Found): (text: string) => Found {
  let known = new Map<string, Found>();
  return (text) => {
    const before = known.get(text);
    // The cast is for `undefined`, which may be a result.
    if (before !== undefined || known.has(text)) return before as Found;
    const found = find(text);
    if (text.length > MAX_LENGTH) return found;
    if (known.size >= MAX_KEPT) known = new Map();
    known.set(text, found);
    return found;
  };
}

/**
 * Caches the last text made of several values that rarely change, such as headers with the app's settings.
 * @param make must depend on the values only.
 */
export function repeated<Values extends readonly unknown[]>(
  make: (...values: Values) => string,
): (...values: Values) => string {
  let before: Values | undefined;
  let text = "";
  return (...values) => {
    if (before && isSame(values, before)) return text;
    // `join` returns a flat string. A concatenated one would be traversed piece by piece at each write.
    text = [make(...values), ""].join("");
    before = values;
    return text;
  };
}

function isSame(values: readonly unknown[], before: readonly unknown[]): boolean {
  for (let at = 0; at < values.length; at++) if (values[at] !== before[at]) return false;
  return values.length === before.length;
}
