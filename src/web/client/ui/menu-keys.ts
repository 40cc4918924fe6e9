/** Computes which menu item a key moves the focus to. Pure. */

/**
 * @param names texts of the items.
 * @param at index of the focused item; -1 for none.
 * @returns index of the item to focus; undefined if the key does not move the focus.
 */
export function nextItem(key: string, names: readonly (string | null)[], at: number): number | undefined {
  const count = names.length;
  const place = { ArrowDown: at + 1, ArrowUp: Math.max(at, 0) - 1, Home: 0, End: -1 }[key];
  if (place !== undefined && count) return (place + count) % count;
  // Space activates the item. Longer strings are names of other keys.
  if (!/^\S$/u.test(key)) return;
  const behind = names.map((_, index) => (at + 1 + index) % count);
  return behind.find((index) => names[index]?.trim().toLowerCase().startsWith(key.toLowerCase()));
}
