import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { recordLog } from "../../testing/log.ts";
import { withoutPostgres } from "../../testing/test-database.ts";
import type { Store } from "../contract/contract.ts";
import { ENCRYPTED, openedStore, TEST_KEY } from "../contract/opened-store.testkit.ts";
import { graphRow, nextId, nodeRow } from "../contract/sample-rows.testkit.ts";
import { countPayloads, rotatePayloads } from "../encryption/rotate-payloads.ts";
import { PayloadCipher } from "../encryption/payload-cipher.ts";
import { SqlitePayloads } from "../sqlite/payload-database.ts";
import { openStore } from "../open-store.ts";
import { fakeS3, type FakeS3 } from "./fake-s3.testkit.ts";

const LARGE = Buffer.from("a part above the limit of eight bytes");
const SMALL = Buffer.from("small");
const DAY_MS = 24 * 60 * 60 * 1000;

async function newRun(store: Store, change: Parameters<typeof graphRow>[1] = {}): Promise<string> {
  const id = nextId();
  await store.graphs.commit({ graphId: id, insert: graphRow(id, change), insertNodes: [nodeRow(id, "a")] });
  return id;
}

const textOf = async ({ graphs }: Store, id: string, upload: string, at = 0): Promise<string | undefined> => {
  const part = await graphs.part(id, upload, at);
  return part && Buffer.from(part).toString();
};

for (const url of ["sqlite::memory:", "encrypted sqlite::memory:", "postgres:"]) {
  describe(
    `parts of artifacts in a bucket, on ${url}`,
    { skip: url === "postgres:" && (await withoutPostgres()) },
    () => {
      let s3: FakeS3;
      let store: Store;
      let opened: ReturnType<typeof openedStore>;
      before(async () => {
        s3 = await fakeS3();
        opened = openedStore(url, s3.config());
        store = await opened.open();
      });
      beforeEach(() => {
        s3.objects.clear();
        s3.markers.clear();
        s3.seen.length = 0;
        s3.intercept = undefined;
      });
      after(async () => {
        await opened.close();
        await s3.close();
      });

      it("are objects above the limit, and rows up to it", async () => {
        const id = await newRun(store);
        await store.graphs.writePart(id, "f/1", 0, LARGE);
        // Encryption makes every part larger than this limit.
        if (!url.startsWith(ENCRYPTED)) await store.graphs.writePart(id, "f/1", 1, SMALL);
        const [[name, object] = ["", undefined], ...others] = [...s3.objects];
        assert.ok(name.startsWith(`app/${id}/`) && others.length === 0, [...s3.objects.keys()].join());
        assert.equal(object?.data.includes(LARGE), !url.startsWith(ENCRYPTED));
        assert.equal(await textOf(store, id, "f/1"), LARGE.toString());
        if (!url.startsWith(ENCRYPTED)) assert.equal(await textOf(store, id, "f/1", 1), SMALL.toString());
        assert.equal(await textOf(store, id, "f/1", 2), undefined);
      });

      it("do not become a row if the bucket is down, and the same upload succeeds later", async () => {
        const id = await newRun(store);
        s3.intercept = () => ({ status: 503, code: "SlowDown" });
        await assert.rejects(store.graphs.writePart(id, "f/1", 0, LARGE), {
          code: "SVC_BUCKET",
          message: /503 SlowDown/,
        });
        assert.equal(await textOf(store, id, "f/1"), undefined);
        s3.intercept = undefined;
        await store.graphs.writePart(id, "f/1", 0, LARGE);
        assert.equal(await textOf(store, id, "f/1"), LARGE.toString());
      });

      it("do not make commits of other runs wait while the bucket hangs", async () => {
        const id = await newRun(store);
        let release = (): void => undefined;
        const held = new Promise<undefined>((resolve) => (release = () => resolve(undefined)));
        s3.intercept = () => held;
        const written = store.graphs.writePart(id, "f/1", 0, LARGE);
        assert.ok(await store.graphs.graph(await newRun(store)));
        assert.equal(await textOf(store, id, "f/1"), undefined);
        release();
        await written;
        assert.equal(await textOf(store, id, "f/1"), LARGE.toString());
      });

      it("are deleted with an abandoned upload and with their run, and those of other runs stay", async () => {
        const finished = { status: "done", phase: "done", worker: `purged ${url}`, finishedMs: 5 } as const;
        const gone = await newRun(store, { ...finished });
        const kept = await newRun(store);
        const last = await newRun(store, { ...finished });
        for (const id of [gone, kept, last]) await store.graphs.writePart(id, "f/1", 0, LARGE);
        await store.graphs.writePart(kept, "f/2", 0, LARGE);
        await store.graphs.dropParts(kept, "f/2");
        assert.equal(s3.objects.size, 3);
        const { ids } = await store.graphs.purge({ worker: finished.worker, finishedBeforeMs: 1e13 });
        assert.deepEqual([...ids].sort(), [gone, last].sort());
        assert.deepEqual(
          [...s3.objects.keys()].map((name) => name.split("/")[1]),
          [kept],
        );
        assert.equal(await textOf(store, kept, "f/1"), LARGE.toString());
      });

      it("are deleted by the sweep a day after they were written, if no row knows them", async () => {
        const id = await newRun(store);
        await store.graphs.writePart(id, "f/1", 0, LARGE);
        const [known = ""] = s3.objects.keys();
        // What a process leaves that was killed between the upload and the row, or while it deleted a run.
        const young = `app/${id}/otherUpload/0-x`;
        const lost = [`app/${id}/otherUpload/1-x`, `app/${nextId()}/upload/0-x`];
        const foreign = ["app/readme.txt", `other/${id}/otherUpload/0-x`];
        for (const name of [...lost, ...foreign])
          s3.objects.set(name, { data: LARGE, changedMs: Date.now() - DAY_MS - 5000 });
        s3.objects.set(young, { data: LARGE, changedMs: Date.now() });
        (s3.objects.get(known) ?? assert.fail()).changedMs = 0;
        assert.equal(await store.sweepObjects?.(), 2);
        assert.deepEqual([...s3.objects.keys()].sort(), [known, young, ...foreign].sort());
      });

      it("that the bucket has lost fail the read with the name of the object", async () => {
        const id = await newRun(store);
        await store.graphs.writePart(id, "f/1", 0, LARGE);
        const [name = ""] = s3.objects.keys();
        s3.objects.clear();
        await assert.rejects(store.graphs.part(id, "f/1", 0), (error: Error & { code?: string }) => {
          assert.ok(error.message.includes(name), error.message);
          return error.code === "SVC_BUCKET";
        });
      });

      it("that look like a reference are returned as they are", async () => {
        const [id, other] = [await newRun(store), await newRun(store)];
        await store.graphs.writePart(other, "f/1", 0, LARGE);
        const [name = ""] = s3.objects.keys();
        const forged = `\0svc:obj:1\0\u0001\0${name.slice("app/".length)}`;
        // Also without a bucket, where all parts are rows.
        const plain = await openStore("sqlite::memory:");
        for (const each of [store, plain]) {
          await newRun(each);
          await each.graphs.writePart(id, "f/1", 0, Buffer.from(forged, "latin1"));
          assert.equal(await textOf(each, id, "f/1"), forged);
        }
        await plain.close();
      });
    },
  );
}

describe("a database with parts in a bucket", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-bucket-"));
  let s3: FakeS3;
  let files = 0;
  before(async () => void (s3 = await fakeS3()));
  beforeEach(() => s3.markers.clear());
  after(async () => {
    await s3.close();
    rmSync(folder, { recursive: true });
  });

  async function filled(payloadKeys = [TEST_KEY]): Promise<{ url: string; id: string }> {
    const url = `sqlite:${join(folder, `${++files}.db`)}`;
    const store = await openStore(url, { bucket: s3.config(), payloadKeys });
    const id = await newRun(store);
    await store.graphs.writePart(id, "f/1", 0, LARGE);
    await store.close();
    return { url, id };
  }

  it("reads them when writing is off, and writes new ones as rows", async () => {
    const { url, id } = await filled([]);
    const store = await openStore(url, { bucket: s3.config({ isWriting: false }) });
    s3.seen.length = 0;
    await store.graphs.writePart(id, "f/2", 0, LARGE);
    assert.deepEqual([await textOf(store, id, "f/1"), await textOf(store, id, "f/2")], [String(LARGE), String(LARGE)]);
    await store.graphs.dropParts(id, "f/1");
    assert.deepEqual([s3.seen.filter((one) => !one.startsWith("GET")), store.sweepObjects], [[], undefined]);
    await store.close();
  });

  it("names the variable when no bucket is configured", async () => {
    const { url, id } = await filled([]);
    const store = await openStore(url);
    await assert.rejects(store.graphs.part(id, "f/1", 0), {
      code: "SVC_BUCKET",
      message: /SVC_PAYLOAD_BUCKET is not set/,
    });
    await store.close();
  });

  it("counts the payload keys of its objects, which a rotation leaves readable", async () => {
    const { url, id } = await filled();
    const next = { id: "next", secret: "f".repeat(32) };
    const keys = [next, TEST_KEY];
    const payloads = await SqlitePayloads.open(url.slice("sqlite:".length));
    await rotatePayloads(payloads, new PayloadCipher(keys), () => undefined);
    assert.equal((await countPayloads(payloads)).get(TEST_KEY.id), 1);
    await payloads.close();
    const store = await openStore(url, { bucket: s3.config(), payloadKeys: keys });
    assert.equal(await textOf(store, id, "f/1"), String(LARGE));
    await store.close();
  });

  it("logs that objects stay when the bucket is down while a run is deleted, and deletes its rows", async () => {
    const log = recordLog();
    const store = await openStore("sqlite::memory:", { bucket: s3.config(), log });
    const id = await newRun(store);
    await store.graphs.writePart(id, "f/1", 0, LARGE);
    s3.intercept = () => ({ status: 500, code: "InternalError" });
    await store.graphs.dropParts(id, "f/1");
    s3.intercept = undefined;
    assert.equal(await store.graphs.part(id, "f/1", 0), undefined);
    assert.match(log.texts.join(), /could not be deleted/);
    await store.close();
  });
});
