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

      it("lets fairness keys take turns by their costs, whatever their number of waiting runs, and keeps the order within a key", async () => {
        const of = newKey();
        const share = (fairnessKey: string, fairnessCost: number) => ({ fairnessKey, fairnessCost });
        const busy: string[] = [];
        for (let at = 0; at < 6; at++) busy.push(await add(of, { ...share("busy", 1), queuePosition: at }));
        const urgent = await add(of, { ...share("busy", 1), queuePosition: -1 });
        const paid: string[] = [];
        for (let at = 0; at < 4; at++) paid.push(await add(of, { ...share("paid", 0.5), queuePosition: 10 + at }));
        // A run that was started before the graph had fairness keys.
        const old = await add(of, { queuePosition: 100 });
        const order: string[] = [];
        for (let ended = 0; ended < 12; ended++) {
          const [id, ...others] = await store.admission.admitFairly(of, 1, 7, false);
          assert.deepEqual([others, (await store.graphs.graph(id ?? ""))?.admittedMs], [[], 7]);
          order.push(id ?? "");
          await store.graphs.commit({ graphId: id ?? "", graph: { phase: "done", status: "done" } });
        }
        const [first, second, third, ...rest] = busy;
        assert.deepEqual(order, [old, urgent, paid[0], paid[1], first, paid[2], paid[3], second, third, ...rest]);
      });

      it("gives a key that was idle its turn at once, and nothing for the time in which it was idle", async () => {
        const of = newKey();
        const next = async (): Promise<string> => {
          const [id = ""] = await store.admission.admitFairly(of, 1, 1, false);
          await store.graphs.commit({ graphId: id, graph: { phase: "done", status: "done" } });
          return id;
        };
        const of1 = { fairnessKey: "one", fairnessCost: 1 };
        const ones: string[] = [];
        for (let at = 0; at < 10; at++) ones.push(await add(of, { ...of1, queuePosition: at }));
        for (let at = 0; at < 4; at++) assert.equal(await next(), ones[at]);
        const twos: string[] = [];
        for (let at = 0; at < 3; at++)
          twos.push(await add(of, { fairnessKey: "two", fairnessCost: 1, queuePosition: 20 + at }));
        // Runs that never start use up nothing.
        await store.graphs.commit({ graphId: ones[5] ?? "", graph: { phase: "failed", status: "cancelled" } });
        const order = [
          await next(),
          await next(),
          await next(),
          await next(),
          await next(),
          await next(),
          await next(),
        ];
        assert.deepEqual(order, [twos[0], ones[4], twos[1], ones[6], twos[2], ones[7], ones[8]]);
      });

      it("admits no expired run and not more than the limit fairly, also for concurrent calls", async () => {
        const of = newKey();
        for (let at = 0; at < 30; at++)
          await add(of, { fairnessKey: `key ${at % 7}`, fairnessCost: 1, ...(at < 7 && { expiresMs: 50 }) });
        const calls = Array.from({ length: 10 }, () => store.admission.admitFairly(of, 5, 50, false));
        const admitted = (await Promise.all(calls)).flat();
        assert.deepEqual([admitted.length, new Set(admitted).size], [5, 5]);
        const rows = await Promise.all(admitted.map((id) => store.graphs.graph(id)));
        assert.deepEqual(
          [new Set(rows.map((row) => row?.fairnessKey)).size, rows.some((row) => row?.expiresMs)],
          [5, false],
        );
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
        const numbered = [...text.matchAll(/\?(\d)/g)].map(([, position]) => Number(position));
        const values = Array.from({ length: Math.max(0, ...numbered) || count }, () => 1);
        for (const step of target.sql(`EXPLAIN QUERY PLAN ${text}`).all(...values)) plans.push(String(step["detail"]));
        return target.sql(text);
      };
    },
  });
  const admission = new SqliteAdmission(watched);
  await admission.admit({ worker: "w", key: "k" }, 1, 1);
  await admission.admitFairly({ worker: "w", key: "k" }, 1, 1);
  await admission.open("w", 1, 1);
  await admission.expired(1, 1);
  await admission.nextExpiryMs();
  await database.close();
  const read = plans.filter((plan) => /SCAN graph|TEMP B-TREE/.test(plan));
  // The first runs of all fairness keys are compared.
  assert.deepEqual(read, ["USE TEMP B-TREE FOR ORDER BY"]);
  assert.ok(
    plans.some((plan) => plan.includes("graph_waiting")) && plans.some((plan) => plan.includes("graph_admitted")),
  );
});
