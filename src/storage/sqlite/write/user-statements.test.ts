import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Statement } from "../file/driver.ts";
import { numbered, UserStatements } from "./user-statements.ts";

describe("a user's statement", () => {
  it("keeps the positions of its parameters, and its literals and comments unchanged", () => {
    const texts: [given: string, made: string][] = [
      ["INSERT INTO a VALUES ($1, $2)", "INSERT INTO a VALUES (?1, ?2)"],
      ["SELECT '$5 off', $1", "SELECT '$5 off', ?1"],
      ["SELECT 'it''s $1', \"$2\", `$3`, [$4], $5", "SELECT 'it''s $1', \"$2\", `$3`, [$4], ?5"],
      ["SELECT $1 -- not $2\n, $3 /* nor $4 */", "SELECT ?1 -- not $2\n, ?3 /* nor $4 */"],
      ["SELECT a$1, $1::text", "SELECT a$1, ?1::text"],
      ["SELECT '$1", "SELECT '?1"],
    ];
    for (const [given, made] of texts) assert.equal(numbered(given), made);
  });

  it("is prepared once while it is in use, and evicted after many others", () => {
    const prepared: string[] = [];
    const statements = new UserStatements((text) => {
      prepared.push(text);
      return {} as Statement;
    });
    const first = statements.get("first");
    for (let number = 0; number < 250; number++) {
      statements.get(`SELECT ${number}`);
      assert.equal(statements.get("first"), first);
    }
    assert.equal(prepared.length, 251);
    statements.get("SELECT 249");
    assert.equal(prepared.length, 251);
    statements.get("SELECT 0");
    assert.equal(prepared.length, 252);
  });
});
