import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { recordLog } from "../../testing/log.ts";
import { testDatabase, withoutPostgres } from "../../testing/test-database.ts";
import type { Store } from "../contract/contract.ts";
import { graphRow, nextId, nodeRow } from "../contract/sample-rows.testkit.ts";
import { openStore } from "../open-store.ts";
import { fakeS3, type FakeS3 } from "./fake-s3.testkit.ts";

const LARGE = Buffer.from("a part above the limit of eight bytes");
const hasNoPostgres = await withoutPostgres();
const MARKER_NAME = "app/svc-database";
const FINISHED = { status: "done", phase: "done", worker: "purged", finishedMs: 5 } as const;

async function artifactIn({ graphs }: Store): Promise<string> {
  const id = nextId();
  await graphs.commit({ graphId: id, insert: graphRow(id, FINISHED), insertNodes: [nodeRow(id, "a")] });
  await graphs.writePart(id, "f/1", 0, LARGE);
  return id;
}

/** Statements of the server's administrator in a database. */
async function adminOf(
  url: string,
): Promise<{ name: string; admin: (text: string) => Promise<unknown>; ended: () => Promise<void> }> {
  const { Client } = (await import("pg")).default;
  const client = new Client({ connectionString: url });
  await client.connect();
  const { pathname } = new URL(url);
  return { name: pathname.slice(1), admin: (text) => client.query(text), ended: () => client.end() };
}

const purge = ({ graphs }: Store) => graphs.purge({ worker: FINISHED.worker, finishedBeforeMs: 1e13 });

describe("The prefix of a bucket", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-owner-"));
  let s3: FakeS3;
  before(async () => void (s3 = await fakeS3()));
  beforeEach(() => {
    s3.objects.clear();
    s3.markers.clear();
    s3.intercept = undefined;
  });
  after(async () => {
    await s3.close();
    rmSync(folder, { recursive: true });
  });

  const open = (name: string, log = recordLog()): Promise<Store> =>
    openStore(`sqlite:${join(folder, name)}`, { bucket: s3.config(), log });

  it("belongs to the database that writes the first object, also after a restart", async () => {
    const store = await open("first.db");
    await artifactIn(store);
    await store.close();
    assert.match(s3.markers.get(MARKER_NAME)?.data.toString() ?? "", /^sqlite \w+\.\w+\.\w+$/);
    const again = await open("first.db");
    await purge(again);
    assert.equal(s3.objects.size, 0);
    assert.equal(await again.sweepObjects?.(), 0);
    await again.close();
  });

  it("is not cleaned by another database, which reports it once and stores its own artifacts", async () => {
    const [owner, log] = [await open("owner.db"), recordLog()];
    const kept = await artifactIn(owner);
    const other = await open("other.db", log);
    const own = await artifactIn(other);
    for (const object of s3.objects.values()) object.changedMs = 0;
    await assert.rejects(async () => other.sweepObjects?.(), {
      code: "SVC_BUCKET",
      message:
        /prefix app\/ of the bucket "payloads" belongs to another database.*write=off.*delete the object app\/svc-database/s,
    });
    await other.graphs.dropParts(own, "f/1");
    await purge(other);
    assert.equal(s3.objects.size, 2);
    assert.equal(Buffer.from((await owner.graphs.part(kept, "f/1", 0)) ?? []).toString(), LARGE.toString());
    assert.equal(log.texts.filter((text) => text.includes("belongs to another database")).length, 1);
    await owner.close();
    await other.close();
  });

  it("is not cleaned by a copy of its database", async () => {
    const owner = await open("source.db");
    const id = await artifactIn(owner);
    await owner.close();
    copyFileSync(join(folder, "source.db"), join(folder, "copy.db"));
    const copy = await open("copy.db");
    await purge(copy);
    await assert.rejects(async () => copy.sweepObjects?.(), /belongs to another database/);
    await copy.close();
    const again = await open("source.db");
    assert.equal(Buffer.from((await again.graphs.part(id, "f/1", 0)) ?? []).toString(), LARGE.toString());
    await purge(again);
    assert.equal(s3.objects.size, 0);
    await again.close();
  });

  it("goes to another database when the marker is deleted", async () => {
    const owner = await open("before.db");
    await artifactIn(owner);
    await owner.close();
    const next = await open("after.db");
    await artifactIn(next);
    s3.markers.clear();
    await purge(next);
    assert.equal(s3.objects.size, 1, "the object of the former database stays until the sweep");
    for (const object of s3.objects.values()) object.changedMs = 0;
    assert.equal(await next.sweepObjects?.(), 1);
    await next.close();
  });

  it("is claimed later if the bucket does not answer at first", async () => {
    const store = await open("late.db");
    s3.intercept = () => ({ status: 500, code: "InternalError" });
    await assert.rejects(artifactIn(store), { code: "SVC_BUCKET" });
    s3.intercept = undefined;
    await artifactIn(store);
    assert.equal(s3.markers.size, 1);
    await store.close();
  });

  it(
    "belongs to a PostgreSQL database whose user may not read the server's number",
    { skip: hasNoPostgres },
    async () => {
      const database = await testDatabase();
      const role = `restricted_${process.pid}`;
      const { name, admin, ended } = await adminOf(database.url);
      await admin(`CREATE ROLE ${role} LOGIN; GRANT CREATE ON DATABASE ${name} TO ${role}`);
      await admin("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC");
      const url = new URL(database.url);
      url.username = role;
      const openOne = (): Promise<Store> => openStore(url.href, { bucket: s3.config() });
      try {
        // Both processes ask at once, before a number is stored.
        const [first, beside] = await Promise.all([openOne(), openOne()]);
        await Promise.all([artifactIn(first), artifactIn(beside)]);
        assert.match(s3.markers.get(MARKER_NAME)?.data.toString() ?? "", /^postgres r[\w-]{12}\.\d+\.\d+$/);
        for (const store of [first, beside]) await store.close();
        // The id stays when the user gets the right later.
        await admin("GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC");
        const again = await openOne();
        await purge(again);
        assert.equal(s3.objects.size, 0);
        assert.equal(await again.sweepObjects?.(), 0);
        await again.close();
      } finally {
        await admin("GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC");
        await admin(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
        await ended();
        await database.drop();
      }
    },
  );

  it("belongs to one schema of a PostgreSQL database", { skip: hasNoPostgres }, async () => {
    const database = await testDatabase();
    const [first, second] = await Promise.all(
      ["one", "two"].map((schema) => {
        const url = new URL(database.url);
        url.searchParams.set("schema", `owner_${schema}`);
        return openStore(url.href, { bucket: s3.config() });
      }),
    );
    assert.ok(first && second);
    await artifactIn(first);
    await artifactIn(second);
    await purge(second);
    assert.equal(s3.objects.size, 2);
    await purge(first);
    assert.equal(s3.objects.size, 1);
    await first.close();
    await second.close();
    await database.drop();
  });
});
