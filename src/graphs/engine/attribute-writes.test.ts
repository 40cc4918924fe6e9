/** Statements that one `ctx.setAttributes` costs, on both databases. Decision 115 names these numbers. */
import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import pg from "pg";
import type { Attributes } from "../../storage/contract/attributes.ts";
import { loadDriver } from "../../storage/sqlite/file/driver.ts";
import { withoutPostgres } from "../../testing/test-database.ts";
import { worker } from "../definition/definition.ts";
import { bench } from "./engine.testkit.ts";

const hasNoPostgres = await withoutPostgres();
const TWENTY: Attributes = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field${at}`, at]));
/** Signs of life of a process and its look for registrations, at times of their own. */
const BESIDE = /slot"? SET used_at|FROM \S*registration_version/;

/** Every statement that is sent to a server. */
function serverStatements(): string[] {
  const texts: string[] = [];
  const query = pg.Client.prototype.query;
  mock.method(pg.Client.prototype, "query", function (this: pg.Client, ...given: [{ text: string } | string]) {
    texts.push(typeof given[0] === "string" ? given[0] : given[0].text);
    return Reflect.apply(query, this, given) as unknown;
  });
  return texts;
}

/** Every statement that SQLite executes; its text is unknown. */
async function fileStatements(): Promise<string[]> {
  const texts: string[] = [];
  const Driver = await loadDriver();
  const database = new Driver(":memory:");
  const statement = Object.getPrototypeOf(database.prepare("SELECT 1")) as Record<"run" | "get" | "all", () => unknown>;
  for (const name of ["run", "get", "all"] as const) {
    const execute = statement[name];
    mock.method(statement, name, function (this: unknown, ...given: []) {
      texts.push(name);
      return execute.apply(this, given);
    });
  }
  database.close();
  return texts;
}

/** Statements of a call that sets new attributes, and of one that changes 3 of 20. */
async function statementsOf(url: string, texts: string[]): Promise<{ first: number; change: number }> {
  const counts: number[] = [];
  const sets = worker("sets", async (_: null, ctx) => {
    for (const changes of [TWENTY, { field1: -1, field2: -2, field3: -3 }]) {
      texts.length = 0;
      await ctx.setAttributes(changes);
      counts.push(texts.filter((text) => !BESIDE.test(text)).length);
    }
  });
  const { engine, store } = await bench({ workers: [sets] }, url);
  const { id } = await engine.start(sets, null);
  await engine.idle();
  assert.deepEqual((await engine.snapshot(id))?.attributes, { ...TWENTY, field1: -1, field2: -2, field3: -3 });
  await store.close();
  const [first = 0, change = 0] = counts;
  return { first, change };
}

describe("One call of ctx.setAttributes", () => {
  it("is one statement on PostgreSQL, however many attributes it sets", { skip: hasNoPostgres }, async (t) => {
    t.after(() => mock.restoreAll());
    assert.deepEqual(await statementsOf("postgres:", serverStatements()), { first: 1, change: 1 });
  });

  it("executes 7 or 8 statements on SQLite, however many attributes it sets", async (t) => {
    t.after(() => mock.restoreAll());
    assert.deepEqual(await statementsOf("sqlite:", await fileStatements()), { first: 7, change: 8 });
  });
});
