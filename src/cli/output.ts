/** What the commands print: short lines, styled where a person is looking (a terminal, NO_COLOR unset). */
import { stripVTControlCharacters, styleText } from "node:util";
import { isAsciiTerminal } from "./graph/graph-tree.ts";

type Style = "bold" | "dim" | "green" | "red" | "cyan";

export interface Output {
  /** A line on stdout. */
  line(text?: string): void;
  /** A line on stderr. */
  error(text: string): void;
  /** A line that stands until the next one, of whatever kind: how far something is. Where no person is looking there is none. */
  status(text: string): void;
  style(style: Style, text: string): string;
  /** Whether a person is looking; otherwise only results are printed. */
  readonly isInteractive: boolean;
  /** Whether it can show letters of ASCII alone. */
  readonly isAscii: boolean;
}

/** The part of a stream used here, so that tests can look over the shoulder. */
export interface Sink {
  write(text: string): unknown;
  isTTY?: boolean;
}

/** To its beginning; then what stands in it goes. */
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

/** `label   value`, labels one under the other. */
export function facts(output: Output, rows: readonly (readonly [string, string])[]): void {
  const width = Math.max(...rows.map(([label]) => label.length));
  for (const [label, value] of rows) output.line(`  ${output.style("dim", label.padEnd(width))}  ${value}`);
}

/** A line for each row, its texts in columns as wide as the widest of them; what colours a text takes none of it. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widthOf = (text = ""): number => stripVTControlCharacters(text).length;
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => widthOf(row[at]))));
  const padded = (text: string, at: number): string => text + " ".repeat((widths[at] ?? 0) - widthOf(text));
  return rows.map((row) => row.map(padded).join("  ").trimEnd());
}
