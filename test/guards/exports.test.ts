/** The names each public face exports at run time: adding or losing one is a decision, seen in exports.json. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "./source.ts";

const RECORD = join(root, "test/guards/exports.json");

async function exportedNames(): Promise<Record<string, string[]>> {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    exports: Record<string, { default: string } | string>;
  };
  const names: Record<string, string[]> = {};
  for (const [face, target] of Object.entries(manifest.exports)) {
    if (typeof target === "string") continue;
    names[face] = Object.keys((await import(join(root, target.default))) as object).sort();
  }
  return names;
}

describe("public exports", () => {
  it("are those on record (UPDATE_EXPORTS=1 rewrites test/guards/exports.json)", async () => {
    const names = await exportedNames();
    if (process.env["UPDATE_EXPORTS"] === "1") writeFileSync(RECORD, `${JSON.stringify(names, null, 2)}\n`);
    assert.deepEqual(names, JSON.parse(readFileSync(RECORD, "utf8")));
  });

  it("every face has some, and a name that is not on record is told apart", async () => {
    const names = await exportedNames();
    for (const [face, list] of Object.entries(names)) assert.ok(list.length > 0, `${face} exports nothing`);
    const recorded = JSON.parse(readFileSync(RECORD, "utf8")) as Record<string, string[]>;
    assert.notDeepEqual({ ...names, ".": [...(names["."] ?? []), "planted"] }, recorded);
  });
});
