/** Changes that move code: the new text consists of parts of the source, and of code between them. */
import type { Edit } from "../edits.ts";

/** A part of the source that keeps its place in messages. */
export interface Span {
  start: number;
  end: number;
}

/** New code, or a part of the source. A line break may stand before such a part. */
export type Piece = string | Span;

/** @returns the change that replaces a part of the source. Each part is on its line again, unless parts before it moved up. */
export function replaceWith(text: string, { start, end }: Span, pieces: readonly Piece[]): Edit[] {
  const edits: Edit[] = [];
  let line = lineAt(text, start);
  const add = (insert: string, from?: number): void => {
    if (insert !== "") edits.push({ start, end: start, insert, ...(from !== undefined && { from }) });
    line += breaksIn(insert);
  };
  const advance = (offset: number): void => add("\n".repeat(Math.max(0, lineAt(text, offset) - line)));
  for (const piece of pieces) {
    if (typeof piece === "string") add(piece);
    else {
      advance(piece.start);
      add(text.slice(piece.start, piece.end), piece.start);
    }
  }
  advance(end);
  return [...edits, { start, end, insert: "" }];
}

function lineAt(text: string, offset: number): number {
  return breaksIn(text.slice(0, offset));
}

function breaksIn(text: string): number {
  return text.split("\n").length - 1;
}
