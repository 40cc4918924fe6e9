/** Changes of a source before it is compiled, and the way back from a place in the changed source to that in the written one. */

export interface Edit {
  /** Of the replaced part in the source before the change. */
  start: number;
  end: number;
  insert: string;
  /** Offset of the inserted text before the change, if it was moved. Other inserted text is new. */
  from?: number;
}

/** @param edits that don't overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return inOrder(edits)
    .reverse()
    .reduce((all, { start, end, insert }) => all.slice(0, start) + insert + all.slice(end), text);
}

/** @returns the offset before the change; for new text, where the replaced part begins. */
export function offsetBefore(edits: readonly Edit[], offset: number): number {
  let shift = 0;
  for (const { start, end, insert, from } of inOrder(edits)) {
    if (offset < start + shift) break;
    if (offset < start + shift + insert.length) return from === undefined ? start : from + offset - start - shift;
    shift += insert.length - (end - start);
  }
  return offset - shift;
}

function inOrder(edits: readonly Edit[]): Edit[] {
  return [...edits].sort((left, right) => left.start - right.start);
}
