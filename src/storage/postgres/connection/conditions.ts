/** Optional conditions of a query with their values. */
import type { SqlValue } from "../database.ts";
import { clean } from "../write/group-document.ts";

export class Conditions {
  readonly #texts: string[] = [];
  readonly values: SqlValue[] = [];

  /** @param text with `?` for each value. Omitted if the first value is undefined. */
  add(text: string, ...values: (SqlValue | undefined)[]): void {
    if (values[0] === undefined) return;
    const given = values.map((value) => clean(value ?? null));
    let at = this.values.length;
    this.#texts.push(text.replaceAll("?", () => `$${++at}`));
    this.values.push(...given);
  }

  /** `WHERE …`, or nothing. */
  get where(): string {
    return this.#texts.length > 0 ? `WHERE ${this.#texts.join(" AND ")}` : "";
  }
}
