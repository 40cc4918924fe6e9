/** What every store promises of signals, files and rows of the author's (src/store/contract.ts, artifacts.ts). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Store } from "./contract.ts";
import type { SignalRow } from "./graph-rows.ts";
import type { Unit } from "./unit.ts";
import { openStore } from "./open.ts";
import { graphRow, nextId, nodeRow, stored } from "./sample-rows.test.ts";

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

for (const url of ["memory:", "sqlite::memory:"]) {
  describe(`store ${url}`, () => {
    let store: Store;
    before(async () => void (store = await openStore(url)));
    after(() => store.close());

    const made = async (): Promise<string> => {
      const id = nextId();
      await store.graphs.commit({ graphId: id, insert: graphRow(id), insertNodes: [nodeRow(id, "a")] });
      return id;
    };

    it("keeps signals in order until a node takes them, and their keys after", async () => {
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

    it("keeps no signal of a unit whose fence does not match", async () => {
      const id = await made();
      const late: Unit = { graphId: id, fence: { epoch: 7, phases: ["running"] }, signals: [signalRow(id, 1)] };
      assert.equal(await store.graphs.commit(late), false);
      assert.deepEqual((await stored(store, id))?.signals, []);
    });

    it("keeps files with their parts; a part, or a file, that comes again stands in place of the first", async () => {
      const id = await made();
      await store.graphs.writePart(id, "f", 0, new Uint8Array([1, 2]));
      await store.graphs.writePart(id, "f", 0, new Uint8Array([3, 0, 255]));
      assert.deepEqual([...((await store.graphs.part(id, "f", 0)) ?? [])], [3, 0, 255]);
      assert.deepEqual([await store.graphs.part(id, "f", 1), await store.graphs.artifacts(id)], [undefined, []]);
      const row = { graphId: id, name: "f", node: "a", type: "text/plain", bytes: 3, sha256: "00", createdMs: 5 };
      await store.graphs.commit({ graphId: id, artifacts: [row] });
      await store.graphs.commit({ graphId: id, artifacts: [{ ...row, bytes: 4 }] });
      assert.deepEqual(await store.graphs.artifacts(id), [{ ...row, bytes: 4 }]);
    });
  });
}

describe("store sqlite::memory:, rows of the author's", () => {
  it("commits them with the unit, or neither where its fence does not match", async () => {
    const store = await openStore("sqlite::memory:");
    const id = nextId();
    await store.graphs.commit({ graphId: id, insert: graphRow(id) });
    const write = (epoch: number): Promise<unknown> | undefined =>
      store.graphs.transact?.({
        statements: (db) => {
          db.prepare("CREATE TABLE IF NOT EXISTS own (n INTEGER)").run();
          db.prepare("INSERT INTO own VALUES (?)").run(epoch);
          return Number(db.prepare("SELECT count(*) AS total FROM own").get()?.["total"]);
        },
        decide: (result) => ({
          graphId: id,
          fence: { epoch, phases: [graphRow(id).phase] },
          events: [{ graphId: id, type: "custom", timestampMs: 1, data: result }],
        }),
      });
    assert.equal(await write(graphRow(id).epoch), 1);
    await assert.rejects(async () => write(99), /another state/);
    assert.equal(await write(graphRow(id).epoch), 2);
    assert.deepEqual(
      (await store.graphs.events(id, 0)).map(({ seq, data }) => [seq, data]),
      [
        [1, 1],
        [2, 2],
      ],
    );
    await store.close();
  });
});
