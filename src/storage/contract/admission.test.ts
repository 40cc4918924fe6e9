import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { withoutPostgres } from "../../testing/test-database.ts";
import { Database } from "../sqlite/database.ts";
import { SqliteAdmission } from "../sqlite/admission.ts";
import type { Store } from "./contract.ts";
import type { GraphRow } from "./graph-rows.ts";
import { openedStore } from "./opened-store.testkit.ts";
import { graphRow, nextId } from "./sample-rows.testkit.ts";

for (const url of ["sqlite::memory:", "postgres:"]) {
  describe(
    `admission in the store ${url.split(":")[0]}`,
    { skip: url === "postgres:" && (await withoutPostgres()) },
    () => {
      const opened = openedStore(url);
      let store: Store;
      let keys = 0;
      before(async () => void (store = await opened.open()));
      after(() => opened.close());

      const newKey = () => ({ worker: "limited", key: `key ž ${++keys}` });
      const add = async (of: { worker: string; key: string }, change: Partial<GraphRow> = {}): Promise<string> => {
        const row = {
          status: "queued",
          worker: of.worker,
          concurrencyKey: of.key,
          queuePosition: 0,
          ...change,
        } as const;
        const id = nextId();
        await store.graphs.commit({ graphId: id, insert: graphRow(id, row) });
        return id;
      };

      it("admits the first waiting runs of a key, by position and id, up to the limit", async () => {
        const key = newKey();
        const [late, first, second] = [
          await add(key, { queuePosition: 5 }),
          await add(key, { queuePosition: -5 }),
          await add(key, { queuePosition: -5 }),
        ];
        await add(newKey());
        assert.deepEqual(await store.admission.admit(key, 2, 77, false), [first, second]);
        assert.equal((await store.graphs.graph(first))?.admittedMs, 77);
        assert.deepEqual(await store.admission.admit(key, 2, 78, false), []);
        assert.deepEqual(await store.admission.waiting(key, 10), [late]);
        assert.deepEqual(await store.admission.admitted(key, 1), [first]);
        assert.deepEqual(await store.admission.admit(key, 3, 79, false), [late]);
      });

      it("counts runs until they have ended, also paused ones, and admits no paused, pending or ended run", async () => {
        const key = newKey();
        const held = await add(key, { status: "paused", phase: "paused", admittedMs: 1 });
        for (const change of [
          { status: "paused", phase: "paused" },
          { status: "pending" },
          { status: "cancelled", phase: "failed" },
        ] as const)
          await add(key, change);
        const waiting = await add(key);
        assert.deepEqual(await store.admission.admit(key, 1, 2, false), []);
        await store.graphs.commit({ graphId: held, graph: { phase: "done", status: "done" } });
        assert.deepEqual(await store.admission.admit(key, 1, 2, false), [waiting]);
        assert.deepEqual(await store.admission.admit(key, 9, 2, false), []);
      });

      it("never admits a run that has expired, and finds those runs", async () => {
        const key = newKey();
        const [first, second] = [await add(key, { expiresMs: 100 }), await add(key, { expiresMs: 200 })];
        assert.deepEqual(await store.admission.expired(99, 10), []);
        assert.equal(await store.admission.nextExpiryMs(), 100);
        assert.deepEqual(await store.admission.expired(100, 10), [first]);
        assert.deepEqual(await store.admission.admit(key, 1, 100, false), [second]);
        // An admitted run does not expire.
        assert.deepEqual(await store.admission.expired(300, 10), [first]);
        await store.graphs.commit({ graphId: first, graph: { phase: "failed", status: "cancelled" } });
        assert.equal(await store.admission.nextExpiryMs(), undefined);
      });

      it("never admits more than the limit, also for concurrent calls", async () => {
        const key = newKey();
        for (let at = 0; at < 20; at++) await add(key);
        const admitted = await Promise.all(Array.from({ length: 10 }, () => store.admission.admit(key, 3, 1, false)));
        assert.equal(new Set(admitted.flat()).size, 3);
        assert.equal(admitted.flat().length, 3);
      });

      it("finds the keys of a graph that have a waiting run and are not full", async () => {
        const of = (key: string) => ({ worker: "swept", key });
        for (const key of ["c", "a", "b"]) await add(of(key));
        await add(of("b"), { admittedMs: 1 });
        await add(of("d"), { admittedMs: 1 });
        await add(of("a"));
        assert.deepEqual(await store.admission.open("swept", 1, 10), ["a", "c"]);
        assert.deepEqual(await store.admission.open("swept", 2, 2), ["a", "b"]);
        assert.deepEqual(await store.admission.open("none", 2, 2), []);
      });

      it("leaves waiting runs out of those that a process recovers", async () => {
        const key = newKey();
        const waiting = await add(key);
        const admitted = await add(key, { admittedMs: 1 });
        const unfinished = await store.graphs.unfinished("", 1000);
        assert.deepEqual([unfinished.includes(waiting), unfinished.includes(admitted)], [false, true]);
      });
    },
  );
}

it("an admission in SQLite reads only the rows that it admits and counts, by index", async () => {
  const database = await Database.open(":memory:");
  const plans: string[] = [];
  const watched = new Proxy(database, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name !== "sql") return typeof value === "function" ? (value.bind(target) as unknown) : value;
      return (text: string) => {
        const count = text.split("?").length - 1;
        const values = text.includes("?1") ? ["w", 1, 1] : Array.from({ length: count }, () => 1);
        for (const step of target.sql(`EXPLAIN QUERY PLAN ${text}`).all(...values)) plans.push(String(step["detail"]));
        return target.sql(text);
      };
    },
  });
  const admission = new SqliteAdmission(watched);
  await admission.admit({ worker: "w", key: "k" }, 1, 1);
  await admission.open("w", 1, 1);
  await admission.expired(1, 1);
  await admission.nextExpiryMs();
  await database.close();
  const read = plans.filter((plan) => /SCAN graph|TEMP B-TREE/.test(plan));
  assert.deepEqual(read, []);
  assert.ok(
    plans.some((plan) => plan.includes("graph_waiting")) && plans.some((plan) => plan.includes("graph_admitted")),
  );
});
