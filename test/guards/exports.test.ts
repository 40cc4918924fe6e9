/** The names that each public entry point exports at run time. Adding or removing one is a decision, recorded in exports.json. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "./source.ts";

/** Entry points that export types only, or nothing because importing them is enough. */
const WITHOUT_VALUES = new Set(["./ops", "./register"]);

/** The limit for values that the root exports. More make it hard to see what an app needs. */
const ROOT_LIMIT = 60;

const RECORD = join(root, "test/guards/exports.json");

async function exportedNames(): Promise<Record<string, string[]>> {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, { default?: string } | string>;
  };
  const names: Record<string, string[]> = {};
  for (const [face, target] of Object.entries(manifest.exports)) {
    // `svckit/client` has types only, and no program imports it.
    if (typeof target === "string" || target.default === undefined) continue;
    names[face] = Object.keys((await import(join(root, target.default))) as object).sort();
  }
  return names;
}

describe("public exports", () => {
  it("match exports.json (UPDATE_EXPORTS=1 rewrites test/guards/exports.json)", async () => {
    const names = await exportedNames();
    if (process.env["UPDATE_EXPORTS"] === "1") writeFileSync(RECORD, `${JSON.stringify(names, null, 2)}\n`);
    assert.deepEqual(names, JSON.parse(readFileSync(RECORD, "utf8")));
  });

  it("of the root are at most 60 values", async () => {
    const { ".": root = [] } = await exportedNames();
    assert.ok(root.length <= ROOT_LIMIT, `the root exports ${root.length} values`);
    assert.ok([...root, ...Array.from({ length: ROOT_LIMIT }, () => "planted")].length > ROOT_LIMIT);
  });

  it("exist in every entry point, and an unrecorded name is detected", async () => {
    const names = await exportedNames();
    for (const [face, list] of Object.entries(names))
      assert.equal(list.length > 0, !WITHOUT_VALUES.has(face), `${face} exports ${list.length} values`);
    const recorded = JSON.parse(readFileSync(RECORD, "utf8")) as Record<string, string[]>;
    assert.notDeepEqual({ ...names, ".": [...(names["."] ?? []), "planted"] }, recorded);
  });
});
