/** Text that has only so much room. */

/** Cut to a number of characters, the last of them telling so. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
