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
