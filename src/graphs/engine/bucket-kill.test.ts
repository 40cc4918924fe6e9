/** Kills a process between the upload of a part and its row: the artifact is whole later, and the object that no row knows is deleted. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { fakeS3, type FakeS3 } from "../../storage/bucket/fake-s3.testkit.ts";
import { openStore } from "../../storage/open-store.ts";
import { readArtifact } from "../execution/attempt/artifact.ts";
import { CONTENT } from "./bucket-process.testkit.ts";

const PROGRAM = fileURLToPath(new URL("./bucket-process.testkit.js", import.meta.url));

describe("an artifact in a bucket", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-bucket-kill-"));
  let s3: FakeS3;
  before(async () => void (s3 = await fakeS3()));
  after(async () => {
    await s3.close();
    rmSync(folder, { recursive: true });
  });

  const start = (url: string): ChildProcess =>
    spawn(process.execPath, [PROGRAM, url, JSON.stringify(s3.config())], { stdio: ["ignore", "ignore", "inherit"] });

  it("is whole after its process was killed between the upload of a part and its row", async () => {
    const url = `sqlite:${join(folder, "svc.db")}`;
    let uploads = 0;
    const first = start(url);
    s3.stored = async () => {
      if (++uploads !== 2) return;
      // Its answer never arrives.
      first.kill("SIGKILL");
      await once(first, "exit");
    };
    await once(first, "exit");
    assert.deepEqual([first.signalCode, s3.objects.size], ["SIGKILL", 2]);
    const lost = [...s3.objects.keys()];
    s3.stored = undefined;

    const [code] = (await once(start(url), "exit")) as [number];
    assert.equal(code, 0);
    const store = await openStore(url, { bucket: s3.config() });
    const { items } = await store.graphs.list({ worker: "dump" });
    assert.deepEqual([items.length, items[0]?.status], [1, "done"]);
    const [row] = await store.graphs.artifacts(items[0]?.id ?? "");
    assert.ok(row);
    assert.ok((await buffer(readArtifact(store.graphs, row))).equals(CONTENT));
    assert.equal(s3.objects.size, 5);
    for (const object of s3.objects.values()) object.changedMs = 0;
    assert.equal(await store.sweepObjects?.(), 2);
    assert.deepEqual(
      lost.filter((name) => s3.objects.has(name)),
      [],
    );
    assert.ok((await buffer(readArtifact(store.graphs, row))).equals(CONTENT));
    await store.close();
  });
});
