import assert from "node:assert/strict";
import { isBuiltin } from "node:module";
import { describe, it } from "node:test";
import { bindsByPosition, loadDriver, type Driver } from "./driver.ts";

/** A driver as `node:sqlite` was before Node 22.20 and 24.7. */
class NamedOnly implements Driver {
  prepare(): never {
    throw new RangeError("column index out of range");
  }
  exec(): void {}
  close(): void {}
}

describe("the SQLite driver", () => {
  it("is Node's own if it can run a store's statements, otherwise libsql", async () => {
    const { name } = await loadDriver();
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    const isUsable =
      isBuiltin("node:sqlite") && (major > 24 || (major === 24 && minor >= 7) || (major === 22 && minor >= 20));
    assert.equal(name, isUsable ? "DatabaseSync" : "Database");
  });

  it("accepts positional values for numbered parameters", async () => {
    const database = new (await loadDriver())(":memory:");
    assert.equal(database.prepare("SELECT ?2 AS second").get(1, 2)?.["second"], 2);
    database.close();
  });

  it("is not one that rejects positional values", () => {
    assert.equal(bindsByPosition(NamedOnly), false);
  });
});
