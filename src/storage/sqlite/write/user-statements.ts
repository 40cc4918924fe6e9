/** Statements that authors write (`ctx.tx`): in the words of every database, and as many as they like. */
import type { Statement } from "../file/driver.ts";

/** Of authors whose texts differ each time, with values in them, the last ones are enough. */
const MOST_KEPT = 100;

/** Texts, names and comments, in which nothing is a value's place; then a place, unless it is a part of a name. */
const PLACES =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?(?:\*\/|$)|(?<![\w$])\$(?=\d)/g;

/** `$1`, which PostgreSQL has for a value, as SQLite has it: `?1`. */
export function numbered(text: string): string {
  return text.replace(PLACES, (found) => (found === "$" ? "?" : found));
}

/** The statements that were used last, prepared once. */
export class UserStatements {
  readonly #prepare: (text: string) => Statement;
  readonly #kept = new Map<string, Statement>();

  constructor(prepare: (text: string) => Statement) {
    this.#prepare = prepare;
  }

  get(text: string): Statement {
    const statement = this.#kept.get(text) ?? this.#prepare(text);
    this.#kept.delete(text);
    this.#kept.set(text, statement);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return statement;
  }
}
