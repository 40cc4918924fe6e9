import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { listFiles } from "./list-files.ts";

function folderOf(test: TestContext, names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-files-"));
  test.after(() => rmSync(folder, { recursive: true }));
  for (const name of names) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), "");
  }
  return folder;
}

describe("the list of files below a folder", () => {
  it("contains all files and links, and follows no link", (test) => {
    const outside = folderOf(test, ["secret.txt"]);
    const folder = folderOf(test, ["b.txt", "in/a.txt"]);
    symlinkSync(outside, join(folder, "linked"));
    symlinkSync(folder, join(folder, "in/round"));
    const found = [...listFiles(folder)].toSorted((a, b) => a.name.localeCompare(b.name));
    assert.deepEqual(found, [
      { name: "b.txt", path: join(folder, "b.txt"), isLink: false },
      { name: "in/a.txt", path: join(folder, "in/a.txt"), isLink: false },
      { name: "in/round", path: join(folder, "in/round"), isLink: true },
      { name: "linked", path: join(folder, "linked"), isLink: true },
    ]);
  });

  it("excludes unwanted folders", (test) => {
    const folder = folderOf(test, ["a.txt", "node_modules/x/b.txt", "in/node_modules/c.txt"]);
    const names = [...listFiles(folder, (name) => name !== "node_modules")].map(({ name }) => name);
    assert.deepEqual(names, ["a.txt"]);
  });

  it("fails for a missing folder", () => {
    assert.throws(() => [...listFiles(join(tmpdir(), "svc-no-such-folder"))], { code: "ENOENT" });
  });
});
