/**
 * Finds the position of the first syntax error in a JSON text, because the errors of `JSON.parse` never contain line and
 * column (grammar: RFC 8259). It tracks nesting in an array, so a deep text cannot exhaust the stack.
 */

const SPACE = /[\t\n\r ]*/y;
/** Characters from U+0020 except `"` and `\`, and escapes. */
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | ", or end" | "end of text";

export interface JsonProblem {
  /** Line and column, from 1. */
  line: number;
  column: number;
  expected: string;
}

/** @returns the position of the first syntax error; `undefined` if `text` is valid JSON. */
export function findJsonProblem(text: string): JsonProblem | undefined {
  const open: ("{" | "[")[] = [];
  let at = 0;
  let expected: Expected = "value";
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) at += match[0].length;
    return match !== null;
  };
  for (;;) {
    take(SPACE);
    const sign = text[at];
    if (expected === "end of text" && sign === undefined) return undefined;
    const next: Expected | undefined = step(expected, sign, open, take);
    if (next === undefined) return { ...lineAndColumn(text, at), expected: describe(expected, open) };
    if (sign !== undefined && "{}[],:".includes(sign)) at++;
    expected = next;
  }
}

/** The grammar. @returns the expectation after `sign` was read in state `expected`; `undefined` if `sign` is invalid there. */
function step(
  expected: Expected,
  sign: string | undefined,
  open: ("{" | "[")[],
  take: (pattern: RegExp) => boolean,
): Expected | undefined {
  const afterValue = (): Expected => (open.length > 0 ? ", or end" : "end of text");
  switch (expected) {
    case "value or ]":
      if (sign === "]") return (open.pop(), afterValue());
      return step("value", sign, open, take);
    case "value":
      if (sign === "{") return (open.push("{"), "key or }");
      if (sign === "[") return (open.push("["), "value or ]");
      return take(sign === '"' ? STRING : SCALAR) ? afterValue() : undefined;
    case "key or }":
      if (sign === "}") return (open.pop(), afterValue());
      return step("key", sign, open, take);
    case "key":
      return take(STRING) ? ":" : undefined;
    case ":":
      return sign === ":" ? "value" : undefined;
    case ", or end": {
      const inner = open.at(-1);
      if (sign === ",") return inner === "{" ? "key" : "value";
      if (sign === (inner === "{" ? "}" : "]")) return (open.pop(), afterValue());
      return undefined;
    }
    case "end of text":
      return undefined;
  }
}

function describe(expected: Expected, open: readonly ("{" | "[")[]): string {
  switch (expected) {
    case ", or end":
      return open.at(-1) === "{" ? '"," or "}"' : '"," or "]"';
    case "key":
      return "a key in double quotes";
    case "key or }":
      return 'a key in double quotes or "}"';
    case ":":
      return '":"';
    case "value":
    case "value or ]":
      return "a value";
    case "end of text":
      return "the end of the text";
  }
}

function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return { line, column: offset - lineStart + 1 };
}
