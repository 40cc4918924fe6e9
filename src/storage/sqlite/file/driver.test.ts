import assert from "node:assert/strict";
import { isBuiltin } from "node:module";
import { describe, it } from "node:test";
import { loadDriver } from "./driver.ts";

describe("the SQLite driver", () => {
  it("is Node's own if this Node has one, otherwise libsql", async () => {
    const { name } = await loadDriver();
    assert.equal(name, isBuiltin("node:sqlite") ? "DatabaseSync" : "Database");
  });
});
