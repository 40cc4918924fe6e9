/** sizes.json records the sizes of the built files, and no file exceeds its goal. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "./source.ts";

interface Row {
  name: string;
  raw: number;
  gzip: number;
}

const recorded = JSON.parse(readFileSync(join(root, "sizes.json"), "utf8")) as Row[];

function check(rows: readonly Row[]): { status: number | null; complaints: string } {
  const folder = mkdtempSync(join(tmpdir(), "svc-record-"));
  try {
    const file = join(folder, "sizes.json");
    writeFileSync(file, JSON.stringify(rows));
    const script = join(root, "out/scripts/sizes.js");
    const { status, stderr } = spawnSync(process.execPath, [script, "--check", file], { encoding: "utf8" });
    return { status, complaints: stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("asset sizes", () => {
  it("match sizes.json and their goals (npm run sizes -- --update)", () => {
    assert.deepEqual(check(recorded), { status: 0, complaints: "" });
  });

  it("are checked: an increase of one byte and an unknown file are detected", () => {
    const planted = recorded.map((row) => (row.name === "core.js" ? { ...row, raw: row.raw + 1 } : row));
    const { status, complaints } = check([...planted, { name: "planted.js", raw: 1, gzip: 1 }]);
    assert.equal(status, 1);
    assert.match(complaints, /^core\.js: \d+ B, gzip \d+ B; on record/m);
    assert.match(complaints, /^planted\.js: is no longer measured$/m);
  });
});
