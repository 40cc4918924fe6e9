/**
 * Rows of one table, written by few statements: one for all records that have the same columns. A statement takes all its rows as one
 * JSON array: what costs is the statement, and the values that are bound.
 */
import type { Columns } from "../columns.ts";
import type { Value } from "../row.ts";
import type { Database } from "./database.ts";
import { LONG } from "./long-columns.ts";
import { LONGEST_IN_ROW, type Payloads } from "./payloads.ts";

export type Changes = Readonly<Record<string, unknown>>;

/** What changes in a row; columns of its key, and those that are absent, stay. */
export interface RowChange {
  /** Values of its key, in the order of `keyNames`. */
  readonly key: readonly string[];
  changes: Changes;
}

/** A statement, and what it takes of each record. */
interface Plan {
  readonly sql: string;
  readonly cells: readonly Cell[];
}

interface Cell {
  readonly name: string;
  readonly isJson: boolean;
  /** Whether its value may stand beside the row. */
  readonly isLong: boolean;
}

export class TableWriter {
  readonly #table: string;
  readonly #columns: Columns;
  readonly #keyNames: readonly string[];
  /** By the names of columns; as many as there are ways to change a row. */
  readonly #inserts = new Map<string, Plan>();
  readonly #updates = new Map<string, Plan>();

  /** @param keyNames of records; the first is the graph's id. */
  constructor(table: string, columns: Columns, keyNames: readonly string[]) {
    this.#table = table;
    this.#columns = columns;
    this.#keyNames = keyNames;
  }

  /** Inside a transaction. */
  insert(database: Database, payloads: Payloads, records: Iterable<object>): void {
    const all = [...records] as Changes[];
    if (all.length === 0) return;
    // A column that all leave empty would cost as much as one that is full.
    const names = Object.keys(this.#columns).filter((name) => all.some((record) => record[name] !== undefined));
    const plan = this.#insertOf(names);
    const rows = all.map((record) => this.#cellsOf(plan, record, this.#keyOf(record), [], payloads));
    database.sql(plan.sql).run(JSON.stringify(rows));
  }

  /** Inside a transaction. A change that names no column changes nothing. */
  update(database: Database, payloads: Payloads, rows: Iterable<RowChange>): void {
    const groups = new Map<Plan, Value[][]>();
    for (const { key, changes } of rows) {
      const plan = this.#updateOf(changes);
      if (plan.cells.length === 0) continue;
      const cells = this.#cellsOf(plan, changes, key, [...key], payloads);
      const alike = groups.get(plan);
      if (alike) alike.push(cells);
      else groups.set(plan, [cells]);
    }
    for (const [plan, alike] of groups) database.sql(plan.sql).run(JSON.stringify(alike));
  }

  #keyOf(record: Changes): string[] {
    return this.#keyNames.map((name) => record[name] as string);
  }

  #cellsOf({ cells }: Plan, record: Changes, key: readonly string[], into: Value[], payloads: Payloads): Value[] {
    for (const { name, isJson, isLong } of cells) {
      const value = record[name];
      if (value === undefined) into.push(null);
      else if (!isJson) into.push(value as Value);
      else {
        const text = JSON.stringify(value);
        into.push(isLong && text.length > LONGEST_IN_ROW ? this.#beside(key, name, text, payloads) : text);
      }
    }
    return into;
  }

  #beside([graphId = "", ...rest]: readonly string[], name: string, text: string, payloads: Payloads): string {
    return payloads.put(graphId, [this.#table, ...rest, name].join("/"), text);
  }

  #cells(names: readonly string[]): Cell[] {
    return names.map((name) => ({ name, isJson: this.#columns[name]?.[1] === "json", isLong: LONG.has(name) }));
  }

  #insertOf(names: readonly string[]): Plan {
    const shape = names.join();
    let plan = this.#inserts.get(shape);
    if (!plan) {
      const columns = names.map((name) => this.#columnOf(name)).join(", ");
      const values = names.map((_, at) => `value ->> ${at}`).join(", ");
      const sql = `INSERT INTO ${this.#table} (${columns}) SELECT ${values} FROM json_each(?)`;
      this.#inserts.set(shape, (plan = { sql, cells: this.#cells(names) }));
    }
    return plan;
  }

  #updateOf(changes: Changes): Plan {
    // Code that makes changes names columns in the same order each time.
    let shape = "";
    for (const name in changes) shape += `${name},`;
    let plan = this.#updates.get(shape);
    if (!plan) {
      const names = Object.keys(changes).filter((name) => !this.#keyNames.includes(name));
      const keys = this.#keyNames;
      const sets = names.map((name, at) => `${this.#columnOf(name)} = given.value ->> ${keys.length + at}`).join(", ");
      const found = keys.map((name, at) => `${this.#table}.${this.#columnOf(name)} = given.value ->> ${at}`);
      const sql = `UPDATE ${this.#table} SET ${sets} FROM json_each(?) AS given WHERE ${found.join(" AND ")}`;
      this.#updates.set(shape, (plan = { sql, cells: this.#cells(names) }));
    }
    return plan;
  }

  #columnOf(name: string): string {
    return this.#columns[name]?.[0] ?? name;
  }
}
