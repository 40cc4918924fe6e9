import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { freeDiskOf } from "./disk.ts";

describe("the free disk space", () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  it("is that of the database file's folder", async () => {
    const folder = await mkdtemp(join(tmpdir(), "svc-disk-"));
    folders.push(folder);
    const free = await freeDiskOf(`sqlite:${join(folder, "svc.db")}`);
    assert.ok(free !== null && Number.isSafeInteger(free) && free >= 0, String(free));
  });

  it("is unknown without a file, or for a missing folder", async () => {
    const urls = ["memory:", "sqlite::memory:", "postgres://localhost/svc", "sqlite:/nowhere/at/all/svc.db"];
    assert.deepEqual(await Promise.all(urls.map(freeDiskOf)), [null, null, null, null]);
  });
});
