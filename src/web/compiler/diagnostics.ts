/** Compile errors: an SvcError with the position in the source, the cause and the fix. */
import { errorName, SvcError, type ErrorCode } from "../../platform/shared/errors.ts";
import { applyEdits, offsetBefore, type Edit } from "./edits.ts";

/** The file that is being compiled. */
export interface SourceFile {
  /** Path relative to the app root, with forward slashes. */
  path: string;
  text: string;
  /** Of a source that was changed for the compiler: what its author wrote, and each change since. */
  written?: { text: string; changes: readonly (readonly Edit[])[] };
}

/** Longest source, in characters, that a message repeats. */
export const MAX_QUOTED = 60;

interface Span {
  start: number;
  end: number;
}

/** An error at a position in the source. */
export class Diagnostic extends SvcError {
  /** Path of the file. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  /** The cause and the fix. */
  readonly text: string;
  readonly #file: SourceFile;
  readonly #span: Span;

  constructor(file: SourceFile, code: ErrorCode, span: Span, text: string) {
    const place = writtenSpan(file, span);
    const written = file.written?.text ?? file.text;
    const { line, column } = positionOf(written, place.start);
    const name = errorName(code);
    const more = name === undefined ? "" : `\n\nSee ${code} ${name} in docs/errors.md.`;
    super(code, `${code} ${file.path}:${line}:${column}\n${text}\n\n${codeFrame(written, place)}${more}`);
    this.path = file.path;
    this.line = line;
    this.column = column;
    this.text = text;
    this.#file = file;
    this.#span = span;
  }

  /** `pages/home.tsx:3:5` */
  get place(): string {
    return `${this.path}:${this.line}:${this.column}`;
  }

  /** The same error with another line after the fix. */
  withLine(line: string): Diagnostic {
    return new Diagnostic(this.#file, this.code, this.#span, `${this.text}\n${line}`);
  }
}

/**
 * @param message the cause, with the name it concerns, and the fix.
 * @returns an SvcError with `path:line:column` and a code frame of the original source.
 */
export function diagnostic(file: SourceFile, code: ErrorCode, span: Span, message: string): Diagnostic {
  return new Diagnostic(file, code, span, message);
}

/** @returns a file with a change. */
export function changed(file: SourceFile, edits: readonly Edit[]): SourceFile {
  const { text, changes } = file.written ?? { text: file.text, changes: [] };
  return { ...file, text: applyEdits(file.text, edits), written: { text, changes: [...changes, edits] } };
}

/** Line and column, both from 1, in the file as its author wrote it. */
export function placeIn(file: SourceFile, offset: number): { line: number; column: number } {
  return positionOf(file.written?.text ?? file.text, writtenOffset(file, offset));
}

function writtenOffset({ written }: SourceFile, offset: number): number {
  return (written?.changes ?? []).reduceRight((at, edits) => offsetBefore(edits, at), offset);
}

function writtenSpan(file: SourceFile, { start, end }: Span): Span {
  const from = writtenOffset(file, start);
  // The text behind the span may come from another place.
  return { start: from, end: Math.max(from, writtenOffset(file, end - 1)) + 1 };
}

/** Line and column, both from 1. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** The inverse of `positionOf`. */
export function offsetOf(text: string, line: number, column: number): number {
  const before = text.split("\n").slice(0, line - 1);
  return before.reduce((sum, { length }) => sum + length + 1, 0) + column - 1;
}

/** Two lines around the first line of `span`, which is underlined. */
export function codeFrame(text: string, span: Span): string {
  const { line, column } = positionOf(text, span.start);
  const lines = text.split("\n");
  const first = Math.max(1, line - 2);
  const last = Math.min(lines.length, line + 2);
  const width = String(last).length;
  const out: string[] = [];
  for (let number = first; number <= last; number++) {
    const source = lines[number - 1] ?? "";
    out.push(`${number === line ? ">" : " "} ${String(number).padStart(width)} | ${source}`.trimEnd());
    if (number !== line) continue;
    const length = Math.max(1, Math.min(span.end - span.start, source.length - column + 1));
    out.push(`  ${" ".repeat(width)} | ${" ".repeat(column - 1)}${"^".repeat(length)}`);
  }
  return out.join("\n");
}
