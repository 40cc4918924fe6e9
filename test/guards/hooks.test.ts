/**
 * Tests that share a process declare their hooks inside the `describe` that needs them. A hook outside runs while its file is
 * imported and the next files are still loading. Node then treats tests declared meanwhile as part of that hook and never runs them.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sourceFiles, type SourceFile } from "./source.ts";

/** `after` may be outside if several suites share a resource: it runs as the process ends. */
const OUTSIDE = /^(?:before|beforeEach|afterEach)\(/gm;

function hooksOutside(files: SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => (text.match(OUTSIDE) ?? []).map((found) => `${path}: ${found}`));
}

describe("hooks of tests that share a process", () => {
  it("are inside a suite", () => {
    const shared = ["src", "test/guards", "test/contract"].flatMap((folder) => sourceFiles(folder, { tests: true }));
    assert.ok(shared.length > 500);
    assert.deepEqual(hooksOutside(shared), []);
  });

  it("are detected outside a suite", () => {
    const planted = (text: string): string[] => hooksOutside([{ path: "src/planted.test.ts", text }]);
    assert.deepEqual(planted('before(() => open());\ndescribe("x", () => {});'), ["src/planted.test.ts: before("]);
    assert.equal(planted("afterEach(async () => {\n});").length, 1);
    assert.deepEqual(planted('describe("x", () => {\n  before(() => open());\n});\nafter(() => close());'), []);
  });
});
