import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { withoutPostgres } from "../../testing/test-database.ts";
import type { Json } from "../../platform/shared/json.ts";
import { silentLog, type Log } from "../../platform/shared/log.ts";
import type { Store } from "../contract/contract.ts";
import { ENCRYPTED, openedStore, TEST_KEY } from "../contract/opened-store.testkit.ts";
import { graphRow, nextId } from "../contract/sample-rows.testkit.ts";
import { PayloadCipher } from "../encryption/payload-cipher.ts";
import type { PayloadKey } from "../encryption/payload-keys.ts";
import { countPayloads, rotatePayloads } from "../encryption/rotate-payloads.ts";
import { openStore } from "../open-store.ts";
import { Database } from "../sqlite/database.ts";
import { SqlitePayloads } from "../sqlite/payload-database.ts";
import { SqliteSentEvents } from "../sqlite/sent-events.ts";
import type { BucketConfig } from "./bucket-url.ts";
import { fakeS3, type FakeS3 } from "./fake-s3.testkit.ts";

const ALL = Number.MAX_SAFE_INTEGER;
const ABOVE = 200;
const PLANTED = "planted";
const DAY_MS = 24 * 60 * 60 * 1000;
const large = (name: string): Json => ({ name, text: PLANTED.repeat(100) });

let positions = 0;

/** @returns position and id of the new event */
async function newEvent({ sentEvents }: Store, data: Json, name = "e"): Promise<{ position: number; id: string }> {
  const position = ++positions;
  await sentEvents.add({ name, id: `e${position}`, position, data });
  return { position, id: `e${position}` };
}

const eventObjects = ({ objects }: FakeS3): string[] =>
  [...objects.keys()].filter((name) => name.startsWith("app/svc-events/"));

for (const url of ["sqlite::memory:", "encrypted sqlite::memory:", "postgres:", "encrypted postgres:"])
  describe(
    `data of sent events in a bucket, on ${url}`,
    {
      skip: url.endsWith("postgres:") && (await withoutPostgres()),
    },
    () => {
      let s3: FakeS3;
      let store: Store;
      let opened: ReturnType<typeof openedStore>;

      before(async () => {
        s3 = await fakeS3();
        opened = openedStore(url, s3.config({ values: ABOVE }));
        store = await opened.open();
      });
      beforeEach(async () => {
        s3.intercept = undefined;
        for (const { name, id } of await store.sentEvents.pending(-1, ALL, 100))
          await store.sentEvents.handled(name, id);
        await store.sentEvents.purge(ALL, 100);
        s3.objects.clear();
      });
      after(async () => {
        await opened.close();
        await s3.close();
      });

      it("is an object above the limit and a row up to it, and each call returns it", async () => {
        await newEvent(store, large("1"));
        await newEvent(store, { text: "small" });
        const contents = eventObjects(s3).map((name) => s3.objects.get(name)?.data.includes(PLANTED));
        assert.deepEqual(contents, [!url.startsWith(ENCRYPTED)]);
        const data = [large("1"), { text: "small" }];
        const { sentEvents } = store;
        const dataOf = (rows: { data: Json }[]): Json[] => rows.map((row) => row.data);
        assert.deepEqual(dataOf(await sentEvents.pending(-1, ALL, 9)), data);
        assert.deepEqual(dataOf(await sentEvents.after("e", -1, 9)), data);
        assert.deepEqual(dataOf(await sentEvents.list({ limit: 9 })), data.toReversed());
      });

      it("is uploaded before its event is stored", async () => {
        let release = (): void => undefined;
        const uploading = new Promise<void>((begun) => {
          s3.intercept = (method) => {
            if (method === "PUT") begun();
            return new Promise((resolve) => (release = () => resolve(undefined)));
          };
        });
        // The object that names the owner of the prefix was written before.
        const added = newEvent(store, large("1"));
        await Promise.race([uploading, added]);
        assert.deepEqual(await store.sentEvents.list({}), []);
        s3.intercept = undefined;
        release();
        await added;
        assert.deepEqual((await store.sentEvents.list({}))[0]?.data, large("1"));
      });

      it("fails the call while the bucket is down, which stores no event, and small events are stored", async () => {
        s3.intercept = () => ({ status: 503, code: "SlowDown" });
        await assert.rejects(newEvent(store, large("lost")), { code: "SVC_BUCKET", message: /503 SlowDown/ });
        await newEvent(store, "small");
        assert.deepEqual(
          (await store.sentEvents.list({})).map(({ data }) => data),
          ["small"],
        );
      });

      it("is deleted with its event, and data of other events stays", async () => {
        const gone = await newEvent(store, large("gone"));
        await newEvent(store, large("kept"));
        await store.sentEvents.handled("e", gone.id);
        assert.equal((await store.sentEvents.purge(ALL, 9)).count, 1);
        assert.equal(eventObjects(s3).length, 1);
        assert.deepEqual((await store.sentEvents.list({}))[0]?.data, large("kept"));
      });

      it("is deleted by the sweep a day after it was written, if no event refers to it", async () => {
        const known = await newEvent(store, large("known"));
        const [object = ""] = eventObjects(s3);
        // An event with a known id is not stored again.
        assert.equal(
          await store.sentEvents.add({ name: "e", id: known.id, position: ++positions, data: large("again") }),
          false,
        );
        const purged = await newEvent(store, large("purged"));
        await store.sentEvents.handled("e", purged.id);
        s3.intercept = () => ({ status: 503, code: "SlowDown" });
        await store.sentEvents.purge(ALL, 9);
        s3.intercept = undefined;
        assert.equal(eventObjects(s3).length, 3);
        for (const each of s3.objects.values()) each.changedMs = Date.now() - DAY_MS - 5000;
        const young = `app/svc-events/${known.position}-young`;
        s3.objects.set(young, { data: Buffer.from("1"), changedMs: Date.now() });
        assert.equal(await store.sweepObjects?.(), 2);
        assert.deepEqual(eventObjects(s3).sort(), [object, young].sort());
        assert.deepEqual((await store.sentEvents.list({}))[0]?.data, large("known"));
      });

      it("that looks like a reference is returned as it is", async () => {
        await newEvent(store, large("other"));
        const [other = ""] = eventObjects(s3);
        const forged = `svc:val:1:3::${other.slice("app/".length)}`;
        for (const data of [forged, `svc:val:0:${forged}`]) {
          await newEvent(store, data, "forged");
          assert.deepEqual((await store.sentEvents.list({ name: "forged", limit: 1 }))[0]?.data, data);
        }
      });
    },
  );

describe("a database with data of sent events in a bucket", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-events-"));
  let s3: FakeS3;
  let files = 0;
  before(async () => void (s3 = await fakeS3()));
  beforeEach(() => {
    s3.objects.clear();
    s3.markers.clear();
  });
  after(async () => {
    await s3.close();
    rmSync(folder, { recursive: true });
  });

  const newFile = (): string => join(folder, `${++files}.db`);
  const openWith = (
    file: string,
    bucket: Partial<BucketConfig> | undefined = {},
    payloadKeys: readonly PayloadKey[] = [],
    log: Log = silentLog,
  ): Promise<Store> =>
    openStore(`sqlite:${file}`, { payloadKeys, log, bucket: s3.config({ values: ABOVE, ...bucket }) });

  it("returns events although the object of an earlier one is missing, and says so", async () => {
    const errors: unknown[] = [];
    const log = { ...silentLog, error: (fields: object) => void errors.push(fields) };
    const file = newFile();
    const first = await openWith(file);
    await newEvent(first, large("lost"));
    s3.objects.clear();
    await newEvent(first, large("kept"));
    await first.close();
    const store = await openWith(file, {}, [], log);
    // The lost one is the first, and the limit.
    for (const rows of [await store.sentEvents.pending(-1, ALL, 1), await store.sentEvents.after("e", -1, 1)])
      assert.deepEqual(
        rows.map(({ data }) => data),
        [large("kept")],
      );
    const [error] = errors as { err: Error; count: number }[];
    assert.deepEqual([errors.length, error?.count], [2, 1]);
    assert.match(error?.err.message ?? "", /^The object app\/svc-events\/.* is missing/);
    const shown = (await store.sentEvents.list({})).map(({ data }) => data);
    assert.deepEqual(shown[0], large("kept"));
    assert.match(String(shown[1]), /^\[SVC_BUCKET\] The object app/);
    await store.close();
  });

  it("does not show anything in place of data while the bucket is down", async () => {
    const file = newFile();
    const first = await openWith(file);
    await newEvent(first, large("1"));
    await first.close();
    const { sentEvents, close } = await openWith(file);
    s3.intercept = () => ({ status: 503, code: "SlowDown" });
    for (const call of [
      () => sentEvents.pending(-1, ALL, 9),
      () => sentEvents.after("e", -1, 9),
      () => sentEvents.list({}),
    ])
      await assert.rejects(call, { code: "SVC_BUCKET", message: /503 SlowDown/ });
    s3.intercept = undefined;
    assert.deepEqual((await sentEvents.list({}))[0]?.data, large("1"));
    await close();
  });

  it("reads and deletes nothing of a run for an event that an earlier version has stored", async () => {
    const file = newFile();
    const first = await openWith(file);
    const run = nextId();
    await first.graphs.commit({ graphId: run, insert: graphRow(run, { input: large("secret") }) });
    await first.close();
    const [object = ""] = s3.objects.keys();
    const forged = `svc:val:1:3::${object.slice("app/".length)}`;
    const database = await Database.open(file);
    const rows = new SqliteSentEvents(database);
    const position = ++positions;
    await rows.add({ name: "e", id: "old", position, data: forged });
    await database.close();
    const store = await openWith(file);
    assert.deepEqual((await store.sentEvents.pending(-1, ALL, 9))[0]?.data, forged);
    assert.deepEqual((await store.sentEvents.list({}))[0]?.data, forged);
    await store.sentEvents.handled("e", "old");
    assert.equal((await store.sentEvents.purge(ALL, 9)).count, 1);
    assert.deepEqual((await store.graphs.graph(run))?.input, large("secret"));
    assert.equal(s3.objects.size, 1);
    await store.close();
  });

  it("keeps data in the database with values=off, and reads and deletes objects from before", async () => {
    const file = newFile();
    const first = await openWith(file);
    const { id } = await newEvent(first, large("1"));
    await first.close();
    const store = await openWith(file, { values: undefined });
    await newEvent(store, large("2"));
    assert.equal(s3.objects.size, 1);
    assert.deepEqual(
      (await store.sentEvents.pending(-1, ALL, 9)).map(({ data }) => data),
      [large("1"), large("2")],
    );
    await store.sentEvents.handled("e", id);
    await store.sentEvents.purge(ALL, 9);
    assert.equal(s3.objects.size, 0);
    await store.close();
  });

  it("counts the payload keys of its objects, which a rotation leaves readable", async () => {
    const file = newFile();
    const first = await openWith(file, {}, [TEST_KEY]);
    await newEvent(first, large("1"));
    await first.close();
    const keys = [{ id: "next", secret: "f".repeat(32) }, TEST_KEY];
    const payloads = await SqlitePayloads.open(file);
    await rotatePayloads(payloads, new PayloadCipher(keys), () => undefined);
    assert.equal((await countPayloads(payloads)).get(TEST_KEY.id), 1);
    await payloads.close();
    const store = await openWith(file, {}, keys);
    assert.deepEqual((await store.sentEvents.list({}))[0]?.data, large("1"));
    await store.close();
  });
});
