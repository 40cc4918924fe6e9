/** What was found out of a text, kept for the next time that it comes: of headers there are few in use, and all over again. */

/** More than any site has of one kind; who sends others makes them be found out again. */
const MAX_KEPT = 500;
/** Longer ones are found out each time, so that nobody fills the memory. */
const MAX_LENGTH = 256;

/** @param find depends on nothing but the text. */
export function remembered<Found>(find: (text: string) => Found): (text: string) => Found {
  let known = new Map<string, Found>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = find(text);
    if (text.length > MAX_LENGTH) return found;
    if (known.size >= MAX_KEPT) known = new Map();
    known.set(text, found);
    return found;
  };
}

/**
 * A text made of several values that are nearly always those of the time before, such as what an app says of itself.
 * @param make depends on nothing but the values.
 */
export function repeated<Values extends readonly unknown[]>(
  make: (...values: Values) => string,
): (...values: Values) => string {
  let before: Values | undefined;
  let text = "";
  return (...values) => {
    if (before && isSame(values, before)) return text;
    // Joined, a text is whole: one that was added up is gone through piece by piece each time it is written.
    text = [make(...values), ""].join("");
    before = values;
    return text;
  };
}

function isSame(values: readonly unknown[], before: readonly unknown[]): boolean {
  for (let at = 0; at < values.length; at++) if (values[at] !== before[at]) return false;
  return values.length === before.length;
}
