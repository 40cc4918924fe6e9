/** The contract of every store for signals, artifacts and user transactions (src/storage/contract/contract.ts, artifacts.ts). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import type { Store } from "./contract.ts";
import type { TransactionHandle } from "./transaction.ts";
import type { SignalRow } from "./graph-rows.ts";
import type { Transition } from "./transition.ts";
import { withoutPostgres } from "../../testing/test-database.ts";
import { openedStore } from "./opened-store.testkit.ts";
import { graphRow, nextId, nodeRow, outboxRow, stored } from "./sample-rows.testkit.ts";

const signalRow = (graphId: string, seq: number, key?: string): SignalRow => ({
  graphId,
  seq,
  name: "go",
  payload: { seq },
  key,
  actor: "ada",
  createdMs: 1,
  node: undefined,
});

for (const url of [
  "sqlite::memory:",
  "postgres:",
  "encrypted sqlite::memory:",
  "encrypted postgres:",
  "bucket encrypted sqlite::memory:",
]) {
  describe(`the store ${url}`, { skip: url.endsWith("postgres:") && (await withoutPostgres()) }, () => {
    const opened = openedStore(url);
    let store: Store;
    before(async () => void (store = await opened.open()));
    after(() => opened.close());

    const made = async (): Promise<string> => {
      const id = nextId();
      await store.graphs.commit({ graphId: id, insert: graphRow(id), insertNodes: [nodeRow(id, "a")] });
      return id;
    };

    it("keeps signals in order until a node receives them, and their keys afterwards", async () => {
      const id = await made();
      const signals = [signalRow(id, 2, "k"), signalRow(id, 10)];
      await store.graphs.commit({ graphId: id, signals });
      assert.deepEqual((await stored(store, id))?.signals, signals);
      await store.graphs.commit({ graphId: id, takenSignals: [{ seq: 2, node: "a#go" }] });
      assert.deepEqual((await stored(store, id))?.signals, [signals[1]]);
      assert.deepEqual(
        [await store.graphs.hasSignal(id, "k"), await store.graphs.hasSignal(id, "other")],
        [true, false],
      );
    });

    it("keeps no signal of a transition whose fence does not match", async () => {
      const id = await made();
      const late: Transition = { graphId: id, fence: { epoch: 7, phases: ["running"] }, signals: [signalRow(id, 1)] };
      assert.equal(await store.graphs.commit(late), false);
      assert.deepEqual((await stored(store, id))?.signals, []);
    });

    it("keeps artifacts with their parts, and replaces a part or artifact that is written again", async () => {
      const id = await made();
      await store.graphs.writePart(id, "f", 0, new Uint8Array([1, 2]));
      await store.graphs.writePart(id, "f", 0, new Uint8Array([3, 0, 255]));
      assert.deepEqual([...((await store.graphs.part(id, "f", 0)) ?? [])], [3, 0, 255]);
      assert.deepEqual([await store.graphs.part(id, "f", 1), await store.graphs.artifacts(id)], [undefined, []]);
      const row = {
        graphId: id,
        name: "f",
        node: "a",
        type: "text/plain",
        bytes: 3,
        sha256: "00",
        createdMs: 5,
        upload: "f/1",
      };
      await store.graphs.commit({ graphId: id, artifacts: [row] });
      await store.graphs.commit({ graphId: id, artifacts: [{ ...row, bytes: 4, upload: undefined }] });
      assert.deepEqual(await store.graphs.artifacts(id), [{ ...row, bytes: 4, upload: undefined }]);
    });

    it("keeps only the parts of the upload that became the artifact, in the transition that commits it", async () => {
      const [id, other] = [await made(), await made()];
      const uploads = ["f", "f/1", "f/2", "f.txt", "f.txt/1", "e/1", "f0"];
      for (const graphId of [id, other])
        for (const upload of uploads)
          for (const at of [0, 1]) await store.graphs.writePart(graphId, upload, at, new Uint8Array([at]));
      const left = async (graphId: string): Promise<string[]> => {
        const parts = await Promise.all(uploads.map((upload) => store.graphs.part(graphId, upload, 1)));
        return uploads.filter((_, at) => parts[at]?.[0] === 1);
      };
      const file = { graphId: id, node: "a", type: "text/plain", bytes: 3, sha256: "00", createdMs: 5 };
      const transition: Transition = { graphId: id, artifacts: [{ ...file, name: "f", upload: "f/1" }] };
      const late = { epoch: 7, phases: ["running" as const] };
      assert.equal(await store.graphs.commit({ ...transition, fence: late, dropsUploads: true }), false);
      assert.deepEqual(await left(id), uploads);
      await store.graphs.commit(transition);
      assert.deepEqual(await left(id), ["f/1", "f.txt", "f.txt/1", "e/1", "f0"]);
      await store.graphs.commit({ graphId: id, artifacts: [{ ...file, name: "f.txt", upload: undefined }] });
      assert.deepEqual(await left(id), ["f/1", "f.txt", "e/1", "f0"]);
      await store.graphs.dropParts(id, "f0");
      assert.deepEqual(await left(id), ["f/1", "f.txt", "e/1"]);
      await store.graphs.commit({ graphId: id, dropsUploads: true });
      assert.deepEqual(await left(id), ["f/1", "f.txt"]);
      assert.deepEqual(await left(other), uploads);
    });
  });
}

/** The same statements, synchronous and asynchronous. */
const OWN: [url: string, isAsync: boolean, count: (db: TransactionHandle, epoch: number) => Json | Promise<Json>][] = [
  [
    "sqlite::memory:",
    false,
    (db, epoch) => {
      db.prepare("CREATE TABLE IF NOT EXISTS own (n INTEGER)").run();
      db.prepare("INSERT INTO own VALUES (?)").run(epoch);
      return Number(db.prepare("SELECT count(*) AS total FROM own").get()?.["total"]);
    },
  ],
  ["sqlite::memory:", true, countOwn],
  ["postgres:", true, countOwn],
];

async function countOwn(db: TransactionHandle, epoch: number): Promise<Json> {
  await db.query("CREATE TABLE IF NOT EXISTS own (n INTEGER)");
  assert.equal((await db.query("INSERT INTO own VALUES ($1)", [epoch])).changes, 1);
  return Number((await db.query("SELECT count(*) AS total FROM own")).rows[0]?.["total"]);
}

for (const [url, isAsync, statements] of OWN)
  describe(
    `a user transaction in the store ${url} with ${isAsync ? "asynchronous" : "synchronous"} statements`,
    { skip: url.endsWith("postgres:") && (await withoutPostgres()) },
    () => {
      const opened = openedStore(url);
      let store: Store;
      before(async () => void (store = await opened.open()));
      after(() => opened.close());

      const made = async (): Promise<string> => {
        const id = nextId();
        await store.graphs.commit({ graphId: id, insert: graphRow(id) });
        return id;
      };
      const write = async (id: string, epoch: number, mayRun = (): void => undefined): Promise<unknown> =>
        store.graphs.transact({
          graphId: id,
          isAsync,
          statements: (db) => {
            const result = statements(db, epoch);
            const checked = (value: Json): Json => (mayRun(), value);
            return result instanceof Promise ? result.then(checked) : checked(result);
          },
          decide: (result) => ({
            graphId: id,
            fence: { epoch, phases: [graphRow(id).phase] },
            events: [{ graphId: id, type: "custom", timestampMs: 1, data: result }],
          }),
        });

      it("commits the rows with the transition, or neither if the fence does not match", async () => {
        const id = await made();
        assert.equal(await write(id, graphRow(id).epoch), 1);
        await assert.rejects(write(id, 99), /another state/);
        assert.equal(await write(id, graphRow(id).epoch), 2);
        assert.deepEqual(
          (await store.graphs.events(id, 0)).map(({ seq, data }) => [seq, data]),
          [
            [1, 1],
            [2, 2],
          ],
        );
      });

      it("writes nothing if the user's function throws, and keeps the order of the transitions around it", async () => {
        const id = await made();
        const event = { graphId: id, type: "log" as const, timestampMs: 1 };
        const reported = await Promise.allSettled([
          store.graphs.commit({ graphId: id, events: [event] }),
          write(id, 1, () => {
            throw new Error("no");
          }),
          store.graphs.commit({ graphId: id, events: [event] }),
          write(id, 1),
        ]);
        assert.deepEqual(
          reported.map(({ status }) => status),
          ["fulfilled", "rejected", "fulfilled", "fulfilled"],
        );
        assert.deepEqual(
          (await store.graphs.events(id, 0)).map(({ seq }) => seq),
          [1, 2, 3],
        );
      });

      it("rejects statements that would end it", async () => {
        const id = await made();
        const run = { graphId: id, isAsync: true, decide: () => ({ graphId: id }) };
        for (const sql of ["COMMIT", "rollback to x", " END"])
          await assert.rejects(
            async () => store.graphs.transact({ ...run, statements: async (db) => (await db.query(sql)).changes }),
            (error: Error) => /does not allow/.test((error.cause as Error).message),
          );
      });

      it("notifies listeners of the deliveries that were added with it", async () => {
        const id = await made();
        const reported: string[] = [];
        const stop = store.webhooks.onOutbox((ids) => reported.push(...ids));
        await store.graphs.transact({
          graphId: id,
          isAsync,
          statements: (db) => statements(db, 0),
          decide: () => ({ graphId: id, outbox: [outboxRow(id, { registrationId: `wh_${id}` })] }),
        });
        stop();
        assert.ok(reported.includes(`wh_${id}`));
      });
    },
  );
