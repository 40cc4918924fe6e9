import assert from "node:assert/strict";
import { isBuiltin } from "node:module";
import { describe, it } from "node:test";
import { loadDriver } from "./driver.ts";

describe("the driver of SQLite", () => {
  it("is Node's own where this Node has one, else that of libsql", async () => {
    const { name } = await loadDriver();
    assert.equal(name, isBuiltin("node:sqlite") ? "DatabaseSync" : "Database");
  });
});
