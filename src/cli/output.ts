/** Output of the commands: short lines, with styles on a terminal unless NO_COLOR is set. */
import { stripVTControlCharacters, styleText } from "node:util";
import { isAsciiTerminal } from "./graph/graph-tree.ts";

type Style = "bold" | "dim" | "green" | "red" | "cyan";

export interface Output {
  /** Writes a line to stdout. */
  line(text?: string): void;
  /** Writes a line to stderr. */
  error(text: string): void;
  /** Shows a progress line until the next line is written. Does nothing where output is not a terminal. */
  status(text: string): void;
  style(style: Style, text: string): string;
  /** Whether output is a terminal. Otherwise only results are printed. */
  readonly isInteractive: boolean;
  /** Whether the terminal shows only ASCII. */
  readonly isAscii: boolean;
}

/** The part of a stream that is used here, so that tests can replace it. */
export interface Sink {
  write(text: string): unknown;
  isTTY?: boolean;
}

/** Moves to the start of the line and clears it. */
const CLEAR_LINE = "\r\u001b[K";

/** @see https://no-color.org */
export function createOutput(
  stdout: Sink = process.stdout,
  stderr: Sink = process.stderr,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Output {
  const isInteractive = stdout.isTTY === true;
  const isColored = isInteractive && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  let hasStatus = false;
  const clear = (): void => {
    if (hasStatus) stdout.write(CLEAR_LINE);
    hasStatus = false;
  };
  return {
    isInteractive,
    isAscii: isAsciiTerminal(env),
    line: (text = "") => {
      clear();
      stdout.write(`${text}\n`);
    },
    error: (text) => {
      clear();
      stderr.write(`${text}\n`);
    },
    status: (text) => {
      if (!isInteractive) return;
      stdout.write(`${CLEAR_LINE}${text}`);
      hasStatus = true;
    },
    style: (style, text) => (isColored ? styleText(style, text, { validateStream: false }) : text),
  };
}

/** Writes `label   value` lines with aligned values. */
export function facts(output: Output, rows: readonly (readonly [string, string])[]): void {
  const width = Math.max(...rows.map(([label]) => label.length));
  for (const [label, value] of rows) output.line(`  ${output.style("dim", label.padEnd(width))}  ${value}`);
}

/** Aligns rows into columns. Style codes do not count as width. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widthOf = (text = ""): number => stripVTControlCharacters(text).length;
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => widthOf(row[at]))));
  const padded = (text: string, at: number): string => text + " ".repeat((widths[at] ?? 0) - widthOf(text));
  return rows.map((row) => row.map(padded).join("  ").trimEnd());
}
