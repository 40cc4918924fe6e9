/** Suggestions for "did you mean": the known name closest to an unknown one. */

/** With more typos, it is probably another word. */
const MAX_TYPOS = 2;

/** The closest of `names` within two typos; a short name allows fewer, because it would match other words. */
export function didYouMean(typed: string, names: readonly string[]): string | undefined {
  const most = Math.min(MAX_TYPOS, typed.length - 1);
  const ranked = names
    .map((name) => ({ name, distance: editDistance(typed, name), isLonger: name.startsWith(typed) }))
    .filter(({ distance }) => distance <= most)
    // Prefer a name that continues the typed text among names of equal distance.
    .sort((a, b) => a.distance - b.distance || Number(b.isLonger) - Number(a.isLonger));
  return ranked[0]?.name;
}

/** Levenshtein distance in which a swap of two neighbors counts as one typo. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? (before[j - 2] as number) + 1 : Infinity;
      next.push(Math.min(change, swap, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] as number;
}
