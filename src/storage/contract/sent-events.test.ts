import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { withoutPostgres } from "../../testing/test-database.ts";
import type { Store } from "./contract.ts";
import { openedStore } from "./opened-store.testkit.ts";
import { graphRow, nextId, nodeRow } from "./sample-rows.testkit.ts";
import type { StartGroupRow } from "./start-groups.ts";
import type { NewSentEvent } from "./sent-events.ts";

const ALL = Number.MAX_SAFE_INTEGER;
const sent = (name: string, id: string, position: number): NewSentEvent => ({ name, id, position, data: { id } });

for (const url of [
  "sqlite::memory:",
  "postgres:",
  "encrypted sqlite::memory:",
  "encrypted postgres:",
  "bucket sqlite::memory:",
  "bucket encrypted postgres:",
]) {
  describe(`sent events of the store ${url}`, { skip: url.endsWith("postgres:") && (await withoutPostgres()) }, () => {
    const opened = openedStore(url);
    let store: Store;
    before(async () => void (store = await opened.open()));
    after(() => opened.close());

    it("store an id once for each name, keep the first data, and stay pending until they are handled", async () => {
      const rows = store.sentEvents;
      assert.equal(await rows.add({ ...sent("once", "a", 10), data: { text: "ž \u0000", list: [1.5] } }), true);
      assert.equal(await rows.add(sent("once", "a", 11)), false);
      assert.equal(await rows.add(sent("other", "a", 12)), true);
      const [first, second, ...more] = await rows.pending(-1, ALL, 10);
      assert.deepEqual([first?.data, second?.name, more], [{ text: "ž \u0000", list: [1.5] }, "other", []]);
      await rows.handled("once", "a");
      assert.deepEqual(
        (await rows.pending(-1, ALL, 10)).map(({ name, isPending }) => [name, isPending]),
        [["other", true]],
      );
      assert.deepEqual(await rows.pending(-1, 12, 10), []);
      assert.deepEqual(await rows.pending(12, ALL, 10), []);
      await rows.handled("other", "a");
    });

    it("are read by name after a position, listed newest first, and purged only when handled", async () => {
      const rows = store.sentEvents;
      for (const [id, position] of [
        ["a", 1001],
        ["b", 1002],
        ["c", 1003],
      ] as const)
        await rows.add(sent("read", id, position));
      assert.deepEqual(
        (await rows.after("read", 1001, 10)).map(({ id }) => id),
        ["b", "c"],
      );
      assert.deepEqual(
        (await rows.after("read", 0, 1)).map(({ id }) => id),
        ["a"],
      );
      assert.deepEqual(
        (await rows.list({ name: "read", limit: 2 })).map(({ id }) => id),
        ["c", "b"],
      );
      assert.deepEqual((await rows.list({ before: 1003 })).map(({ id }) => id).slice(0, 2), ["b", "a"]);
      for (const id of ["a", "b"]) await rows.handled("read", id);
      while ((await rows.purge(1002, 1)).count > 0);
      assert.deepEqual(
        (await rows.after("read", 0, 10)).map(({ id }) => id),
        ["b", "c"],
      );
      assert.equal((await rows.purge(ALL, 100)).count, 1);
      await rows.handled("read", "c");
    });

    it("join a group once, also if two callers try at once, and groups close once they are due", async () => {
      const { sentEvents, startGroups } = store;
      const event = { name: "join", id: "j1", sentMs: 1, data: null };
      await sentEvents.add(sent("join", "j1", 1));
      const group = (change: Partial<StartGroupRow>): StartGroupRow => ({
        graph: "g",
        key: "k",
        generation: "j1",
        isOpen: true,
        dueMs: 50,
        events: [event],
        isList: true,
        count: 0.5,
        ...change,
      });
      const seen: (StartGroupRow | undefined)[] = [];
      const join = () =>
        startGroups.join(event, "g", "k", (open) => {
          seen.push(open);
          return [group({})];
        });
      const answers = await Promise.all([join(), join()]);
      assert.deepEqual([answers.filter((rows) => rows !== undefined).length, seen], [1, [undefined]]);
      assert.equal((await startGroups.join(event, "other", "k", () => []))?.length, 0);
      assert.equal(await startGroups.join({ name: "join", id: "unknown" }, "g", "k", () => []), undefined);
      assert.deepEqual([await startGroups.nextDueMs(), await startGroups.due(49, 10)], [50, []]);
      assert.equal(await startGroups.close(group({}), 49), undefined);
      assert.deepEqual(await startGroups.close(group({}), 50), group({ isOpen: false }));
      assert.deepEqual(await startGroups.due(0, 10), [group({ isOpen: false })]);
      assert.equal(await startGroups.nextDueMs(), undefined);
      await startGroups.remove(group({}));
      assert.deepEqual([await startGroups.due(99, 10), await startGroups.close(group({}), 99)], [[], undefined]);
      await sentEvents.handled("join", "j1");
    });

    it("are awaited by the waiting steps of their name, slice by slice", async () => {
      const [first, second] = [nextId(), nextId()];
      const step = (graphId: string, id: string, awaits: string | undefined, status: "waiting" | "done") => {
        return {
          ...nodeRow(graphId, id),
          kind: "event" as const,
          status,
          awaits,
          input: { event: "paid", match: { n: 1 } },
        };
      };
      for (const graphId of [first, second])
        await store.graphs.commit({
          graphId,
          insert: graphRow(graphId),
          insertNodes: [
            step(graphId, "a#1", "paid", "waiting"),
            step(graphId, "a#2", "other", "waiting"),
            step(graphId, "a#3", undefined, "done"),
          ],
        });
      const [one, ...none] = await store.graphs.awaiting("paid", 1);
      assert.deepEqual([one, none], [{ graphId: first, nodeId: "a#1", match: { n: 1 } }, []]);
      assert.deepEqual(await store.graphs.awaiting("paid", 5, one), [
        { graphId: second, nodeId: "a#1", match: { n: 1 } },
      ]);
      await store.graphs.commit({ graphId: first, nodes: [{ id: "a#1", status: "done", awaits: undefined }] });
      assert.deepEqual(
        (await store.graphs.awaiting("paid", 5)).map(({ graphId }) => graphId),
        [second],
      );
    });
  });
}
