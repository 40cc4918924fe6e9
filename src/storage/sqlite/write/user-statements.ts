/** Users' statements (`ctx.tx`): converts their placeholders for SQLite, and caches prepared statements. */
import type { Statement } from "../file/driver.ts";

/** Bounds the cache for statements that contain their values, and so differ each time. */
const MOST_KEPT = 100;

/** Literals, quoted names and comments, which contain no placeholders; then a placeholder that is not part of a name. */
const PLACES =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?(?:\*\/|$)|(?<![\w$])\$(?=\d)/g;

/** Converts the placeholders of PostgreSQL (`$1`) to those of SQLite (`?1`). */
export function numbered(text: string): string {
  return text.replace(PLACES, (found) => (found === "$" ? "?" : found));
}

/** The most recently used statements, prepared once. */
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
