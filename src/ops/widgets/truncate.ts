/** Shortens text to the available space. */

/** Cuts to a number of characters, including the ellipsis. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Cuts to a width, measured with the widest common font: SVG neither wraps nor clips text. */
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

/** Widths of DejaVu Sans in em, the fallback for `system-ui` on Linux. Other fonts are narrower. */
function widthOfLetter(letter: string): number {
  if (/[ijl.,:;'|! ]/.test(letter)) return 0.34;
  if (/[frtI()[\]-]/.test(letter)) return 0.42;
  if (/[mwMW@%…✓✕◐○◇↻⊘×]/.test(letter)) return 0.94;
  return /[A-Z]/.test(letter) ? 0.72 : 0.63;
}
