/** Text that has only so much room. */

/** Cut to a number of characters, the last of them telling so. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Cut to what fits into a width, with the widest of the usual fonts: an SVG neither breaks lines nor cuts them. */
export function cutToWidth(text: string, widthPx: number, fontPx: number): string {
  const most = widthPx / fontPx;
  if (widthInEm(text) <= most) return text;
  let shown = "";
  let width = widthOfLetter("…");
  for (const letter of text) {
    width += widthOfLetter(letter);
    if (width > most) break;
    shown += letter;
  }
  return `${shown.trimEnd()}…`;
}

function widthInEm(text: string): number {
  return Array.from(text).reduce((sum, letter) => sum + widthOfLetter(letter), 0);
}

/** As in DejaVu Sans, in which Linux shows `system-ui` where it has nothing better; others are narrower. */
function widthOfLetter(letter: string): number {
  if (/[ijl.,:;'|! ]/.test(letter)) return 0.34;
  if (/[frtI()[\]-]/.test(letter)) return 0.42;
  if (/[mwMW@%…✓✕◐○◇↻⊘×]/.test(letter)) return 0.94;
  return /[A-Z]/.test(letter) ? 0.72 : 0.63;
}
