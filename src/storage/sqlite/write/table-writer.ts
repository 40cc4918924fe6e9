/**
 * Writes rows of one table with few statements: one for all records with the same columns. A statement gets all its rows as one JSON
 * array, because the cost is in the number of statements and bound values.
 */
import type { Columns } from "../../contract/columns.ts";
import type { Value } from "../../contract/row.ts";
import type { Database } from "../database.ts";
import { LONG } from "../runs/long-columns.ts";
import { LONGEST_IN_ROW, type Payloads } from "../runs/payloads.ts";

export type Changes = Readonly<Record<string, unknown>>;

/** A change of a row. Key columns and absent columns stay. */
export interface RowChange {
  /** Values of its key, in the order of `keyNames`. */
  readonly key: readonly string[];
  changes: Changes;
}

/** Rows in which the same columns change. */
interface Alike {
  readonly names: readonly string[];
  readonly rows: RowChange[];
}

/** A statement and its arguments. */
interface Plan {
  readonly sql: string;
  /** Columns with a value for each record. */
  readonly cells: readonly Cell[];
  /** Columns with one value for all records, bound once. */
  readonly shared: readonly string[];
}

interface Cell {
  readonly name: string;
  readonly isJson: boolean;
  /** Whether a long value may be stored outside the row. */
  readonly isLong: boolean;
}

/** With fewer records, shared columns save little. */
const FEW = 8;
/** Most cached statements of one kind. Further shapes share no columns, so that their number stays bounded. */
const MOST_PLANS = 64;
const NONE: readonly string[] = [];

export class TableWriter {
  readonly #table: string;
  readonly #columns: Columns;
  readonly #keyNames: readonly string[];
  /** By column names and shared columns. */
  readonly #inserts = new Map<string, Plan>();
  readonly #updates = new Map<string, Plan>();

  /** @param keyNames key columns; the first is the run's id. */
  constructor(table: string, columns: Columns, keyNames: readonly string[]) {
    this.#table = table;
    this.#columns = columns;
    this.#keyNames = keyNames;
  }

  /** Within a transaction. */
  insert(database: Database, payloads: Payloads, records: Iterable<object>): void {
    const all = [...records] as Changes[];
    const [first] = all;
    if (!first) return;
    // A column that is empty in all records would cost as much as a full one.
    const names = Object.keys(this.#columns).filter((name) => all.some((record) => record[name] !== undefined));
    const plan = this.#plan(this.#inserts, names.join(), this.#sharedBy(names, all), (shared) =>
      this.#insertOf(names, shared),
    );
    const rows = all.map((record) => this.#cellsOf(plan, record, this.#keyOf(record), [], payloads));
    run(database, plan, rows, first);
  }

  /** Within a transaction. A change without columns is skipped. */
  update(database: Database, payloads: Payloads, rows: Iterable<RowChange>): void {
    // Callers name columns in the same order each time, so there are few groups.
    const groups: Alike[] = [];
    for (const row of rows) {
      const alike = groups.find(({ names }) => isNamed(row.changes, names));
      if (alike) alike.rows.push(row);
      else groups.push({ names: Object.keys(row.changes), rows: [row] });
    }
    for (const alike of groups) this.#updateAlike(database, payloads, alike);
  }

  #updateAlike(database: Database, payloads: Payloads, { names: all, rows }: Alike): void {
    const [{ changes: first }] = rows as [RowChange, ...RowChange[]];
    const names = all.filter((name) => !this.#keyNames.includes(name));
    if (names.length === 0) return;
    const shared = this.#sharedBy(
      names,
      rows.map(({ changes }) => changes),
    );
    const plan = this.#plan(this.#updates, names.join(), shared, (own) => this.#updateOf(names, own));
    const cells = rows.map(({ key, changes }) => this.#cellsOf(plan, changes, key, [...key], payloads));
    run(database, plan, cells, first);
  }

  /** Columns with one value in all records. Reading them from JSON for each record costs more than everything else. */
  #sharedBy(names: readonly string[], records: readonly Changes[]): readonly string[] {
    const [first] = records;
    if (!first || records.length < FEW) return NONE;
    return names.filter(
      (name) => this.#columns[name]?.[1] !== "json" && records.every((record) => record[name] === first[name]),
    );
  }

  #plan(
    plans: Map<string, Plan>,
    shape: string,
    shared: readonly string[],
    make: (shared: readonly string[]) => Plan,
  ): Plan {
    const name = `${shape} ${shared.join()}`;
    const known = plans.get(name);
    if (known) return known;
    if (shared.length > 0 && plans.size >= MOST_PLANS) return this.#plan(plans, shape, NONE, make);
    const plan = make(shared);
    plans.set(name, plan);
    return plan;
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

  #insertOf(names: readonly string[], shared: readonly string[]): Plan {
    const own = names.filter((name) => !shared.includes(name));
    const columns = [...shared, ...own].map((name) => this.#columnOf(name)).join(", ");
    const values = [...shared.map(parameter), ...own.map((_, at) => `value ->> ${at}`)].join(", ");
    const sql = `INSERT INTO ${this.#table} (${columns}) SELECT ${values} FROM json_each(?1)`;
    return { sql, cells: this.#cells(own), shared };
  }

  #updateOf(names: readonly string[], shared: readonly string[]): Plan {
    const keys = this.#keyNames;
    const own = names.filter((name) => !shared.includes(name));
    const sets = [
      ...shared.map((name, at) => `${this.#columnOf(name)} = ${parameter(name, at)}`),
      ...own.map((name, at) => `${this.#columnOf(name)} = given.value ->> ${keys.length + at}`),
    ];
    const found = keys.map((name, at) => `${this.#table}.${this.#columnOf(name)} = given.value ->> ${at}`);
    const sql = `UPDATE ${this.#table} SET ${sets.join(", ")} FROM json_each(?1) AS given WHERE ${found.join(" AND ")}`;
    return { sql, cells: this.#cells(own), shared };
  }

  #columnOf(name: string): string {
    return this.#columns[name]?.[0] ?? name;
  }
}

/** Whether a change has exactly these columns, in this order. */
function isNamed(changes: Changes, names: readonly string[]): boolean {
  let at = 0;
  for (const name in changes) if (names[at++] !== name) return false;
  return at === names.length;
}

/** Parameter of a shared column. The first parameter is the JSON array of records. */
function parameter(_name: string, at: number): string {
  return `?${at + 2}`;
}

function run(database: Database, { sql, shared }: Plan, rows: readonly Value[][], first: Changes): void {
  const values = shared.map((name) => (first[name] ?? null) as Value);
  database.sql(sql).run(JSON.stringify(rows), ...values);
}
