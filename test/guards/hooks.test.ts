/**
 * Tests that share a process have their hooks in the `describe` that they are for. One outside of it is run as the file is imported,
 * while the next are still coming in: what is declared meanwhile is taken for a part of that hook, and never runs.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sourceFiles, type SourceFile } from "./source.ts";

/** `after` stands outside too where several suites share what it takes away: it runs as the process ends. */
const OUTSIDE = /^(?:before|beforeEach|afterEach)\(/gm;

function hooksOutside(files: SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => (text.match(OUTSIDE) ?? []).map((found) => `${path}: ${found}`));
}

describe("hooks of tests that share a process", () => {
  it("stand in a suite", () => {
    const shared = ["src", "test/guards", "test/contract"].flatMap((folder) => sourceFiles(folder, { tests: true }));
    assert.ok(shared.length > 500);
    assert.deepEqual(hooksOutside(shared), []);
  });

  it("one that is planted outside is caught", () => {
    const planted = (text: string): string[] => hooksOutside([{ path: "src/planted.test.ts", text }]);
    assert.deepEqual(planted('before(() => open());\ndescribe("x", () => {});'), ["src/planted.test.ts: before("]);
    assert.equal(planted("afterEach(async () => {\n});").length, 1);
    assert.deepEqual(planted('describe("x", () => {\n  before(() => open());\n});\nafter(() => close());'), []);
  });
});
