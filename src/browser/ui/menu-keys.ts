/** Which item of a menu a key goes to. Pure. */

/**
 * @param names texts of the items.
 * @param at index of the item with the focus; -1 for none.
 * @returns index of the item that gets it; -1 where the key means nothing.
 */
export function nextItem(key: string, names: readonly (string | null)[], at: number): number {
  const count = names.length;
  if (count === 0) return -1;
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return at <= 0 ? count - 1 : at - 1;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  // A space presses the item.
  if (key.trim().length !== 1) return -1;
  const letter = key.toLowerCase();
  const begins = (name: string | null | undefined): boolean => name?.trim().toLowerCase().startsWith(letter) ?? false;
  for (let step = 1; step <= count; step++) {
    const place = (Math.max(at, 0) + (at < 0 ? step - 1 : step)) % count;
    if (begins(names[place])) return place;
  }
  return -1;
}
