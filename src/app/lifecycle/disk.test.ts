import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { freeDiskOf } from "./disk.ts";

describe("what is left of the disk", () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  it("is told of the folder of a database's file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "svc-disk-"));
    folders.push(folder);
    const free = await freeDiskOf(`sqlite:${join(folder, "svc.db")}`);
    assert.ok(free !== null && Number.isSafeInteger(free) && free >= 0, String(free));
  });

  it("is not told where there is no file, or no such folder", async () => {
    const urls = ["memory:", "sqlite::memory:", "postgres://localhost/svc", "sqlite:/nowhere/at/all/svc.db"];
    assert.deepEqual(await Promise.all(urls.map(freeDiskOf)), [null, null, null, null]);
  });
});
