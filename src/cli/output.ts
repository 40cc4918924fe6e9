/** What the commands print: short lines, styled where a person is looking (a terminal, NO_COLOR unset). */
import { styleText } from "node:util";

type Style = "bold" | "dim" | "green" | "red" | "cyan";

export interface Output {
  /** A line on stdout. */
  line(text?: string): void;
  /** A line on stderr. */
  error(text: string): void;
  style(style: Style, text: string): string;
  /** Whether a person is looking; otherwise only results are printed. */
  readonly isInteractive: boolean;
}

/** The part of a stream used here, so that tests can look over the shoulder. */
export interface Sink {
  write(text: string): unknown;
  isTTY?: boolean;
}

/** @see https://no-color.org */
export function createOutput(
  stdout: Sink = process.stdout,
  stderr: Sink = process.stderr,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Output {
  const isInteractive = stdout.isTTY === true;
  const isColored = isInteractive && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return {
    isInteractive,
    line: (text = "") => void stdout.write(`${text}\n`),
    error: (text) => void stderr.write(`${text}\n`),
    style: (style, text) => (isColored ? styleText(style, text, { validateStream: false }) : text),
  };
}

/** `label   value`, labels one under the other. */
export function facts(output: Output, rows: readonly (readonly [string, string])[]): void {
  const width = Math.max(...rows.map(([label]) => label.length));
  for (const [label, value] of rows) output.line(`  ${output.style("dim", label.padEnd(width))}  ${value}`);
}
