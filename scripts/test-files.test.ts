import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { testFiles } from "./test-files.ts";

const root = mkdtempSync(join(tmpdir(), "svc-test-files-"));
after(() => rmSync(root, { recursive: true }));

function add(file: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), "");
}

describe("the files of a test run", () => {
  it("are those of the sources, and nothing that another run has left in out/", () => {
    for (const folder of ["scripts", "demo", "bench/lib"]) mkdirSync(join(root, folder), { recursive: true });
    for (const file of ["src/web/a.test.ts", "src/web/a.ts", "test/e2e/b.test.tsx"]) add(file);
    for (const file of ["web/a.test.js", "web/removed.test.js", "test/e2e/b.test.js", "authoring-1/c.test.js"])
      add(join("out", file));
    assert.deepEqual(testFiles(root), [join("test", "e2e", "b.test.js"), join("web", "a.test.js")]);
  });

  it("must be built", () => {
    add("test/e2e/new.test.ts");
    assert.throws(() => testFiles(root), { message: /new\.test\.js is missing\. Run "npm run build" first/ });
  });
});
