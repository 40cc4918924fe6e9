/** Kills a process between the upload of a value and the commit that refers to it: the run continues, and the lost object is deleted. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { fakeS3, type FakeS3 } from "../../storage/bucket/fake-s3.testkit.ts";
import { openStore } from "../../storage/open-store.ts";
import { LARGE } from "./values-process.testkit.ts";

const PROGRAM = fileURLToPath(new URL("./values-process.testkit.js", import.meta.url));

describe("a run with large values in a bucket", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-values-kill-"));
  let s3: FakeS3;
  before(async () => void (s3 = await fakeS3()));
  after(async () => {
    await s3.close();
    rmSync(folder, { recursive: true });
  });

  const start = (url: string): ChildProcess =>
    spawn(process.execPath, [PROGRAM, url, JSON.stringify(s3.config({ values: 1024 }))], {
      stdio: ["ignore", "ignore", "inherit"],
    });

  it("continues after its process was killed between the upload of a result and its commit", async () => {
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
    const [, lost = ""] = s3.objects.keys();
    s3.stored = undefined;

    const [code] = (await once(start(url), "exit")) as [number];
    assert.equal(code, 0);
    const store = await openStore(url, { bucket: s3.config({ values: 1024 }) });
    const { items } = await store.graphs.list({ worker: "copy" });
    assert.deepEqual([items.length, items[0]?.status], [1, "done"]);
    const [run] = await store.graphs.load([items[0]?.id ?? ""]);
    assert.deepEqual([run?.row.input, run?.row.result], [LARGE, LARGE.length + 1]);
    assert.equal(run?.nodes.find(({ id }) => id === "copy#copy")?.result, `${LARGE}!`);
    assert.equal(s3.objects.size, 3);
    for (const object of s3.objects.values()) object.changedMs = 0;
    assert.equal(await store.sweepObjects?.(), 1);
    assert.equal(s3.objects.has(lost), false);
    assert.equal((await store.graphs.graph(run?.row.id ?? ""))?.input, LARGE);
    await store.close();
  });
});
