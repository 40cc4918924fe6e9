import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import type { Store } from "./contract.ts";
import type { NewAudit, ScheduleRow } from "./control.ts";
import { withoutPostgres } from "../../testing/test-database.ts";
import { openedStore } from "./opened-store.testkit.ts";

function schedule(name: string, change: Partial<ScheduleRow> = {}): ScheduleRow {
  return {
    name,
    worker: "report",
    cron: "30 2 * * *",
    timeZone: "Europe/Berlin",
    input: { day: "today" },
    catchUp: "last",
    overlap: "skip",
    source: "api",
    isPaused: false,
    nextMs: 5000,
    lastMs: undefined,
    lastGraphId: undefined,
    createdMs: 1000,
    updatedMs: 1000,
    ...change,
  };
}

function audit(operation: string, target: string, change: Partial<NewAudit> = {}): NewAudit {
  return {
    atMs: 1,
    actor: "operator",
    address: undefined,
    operation,
    target,
    note: undefined,
    data: undefined,
    ...change,
  };
}

for (const url of ["sqlite::memory:", "postgres:", "encrypted sqlite::memory:", "encrypted postgres:"]) {
  describe(`control rows of the store ${url}`, { skip: url.endsWith("postgres:") && (await withoutPostgres()) }, () => {
    const opened = openedStore(url);
    let store: Store;
    const save = (row: ScheduleRow) => store.schedules.change(row.name, () => row);
    before(async () => void (store = await opened.open()));
    after(() => opened.close());

    it("keep the latest counts of each process per minute, can be read from a minute on, and can be deleted", async () => {
      const row = (process: string, minute: number, data: Json) => ({ process, atMs: minute * 60_000, data });
      await store.activity.save([row("a", 1, { n: 1 }), row("a", 2, { n: 2 })]);
      await store.activity.save([row("b", 2, { n: 3 }), row("a", 2, { n: 4 })]);
      await store.activity.save([]);
      assert.deepEqual(await store.activity.since(2 * 60_000), [row("a", 2, { n: 4 }), row("b", 2, { n: 3 })]);
      await store.activity.purge(2 * 60_000);
      assert.equal((await store.activity.since(0)).length, 2);
    });

    it("keep schedules by name as they were written", async () => {
      const bare = schedule("b", { input: undefined, nextMs: undefined });
      await save(bare);
      await save(schedule("a"));
      await save(schedule("a", { isPaused: true, lastMs: 2, lastGraphId: "g_1" }));
      assert.deepEqual(
        await store.schedules.schedule("a"),
        schedule("a", { isPaused: true, lastMs: 2, lastGraphId: "g_1" }),
      );
      assert.deepEqual(await store.schedules.schedule("b"), bare);
      assert.deepEqual(
        (await store.schedules.schedules()).map(({ name }) => name),
        ["a", "b"],
      );
      assert.equal(await store.schedules.schedule("c"), undefined);
    });

    it("advance a schedule once from each time, and only if it is still due then", async () => {
      await save(schedule("daily"));
      const step = { nextMs: 6000, ran: { ms: 5000, graphId: "g_2" } };
      const held = await Promise.all([1, 2, 3].map(() => store.schedules.moveOn("daily", 5000, step)));
      assert.equal(held.filter(Boolean).length, 1);
      const moved = schedule("daily", { nextMs: 6000, lastMs: 5000, lastGraphId: "g_2" });
      assert.deepEqual(await store.schedules.schedule("daily"), moved);
      assert.equal(await store.schedules.moveOn("unknown", undefined, step), false);
    });

    it("record the run of a schedule even if it is too late to advance it, unless a later run is recorded", async () => {
      await save(schedule("edited", { nextMs: 9000 }));
      const late = (ms: number) =>
        store.schedules.moveOn("edited", 5000, { nextMs: 6000, ran: { ms, graphId: `g_${ms}` } });
      assert.deepEqual([await late(5000), await late(4000)], [false, false]);
      assert.equal(await store.schedules.moveOn("edited", 9000, { nextMs: 9500, ran: undefined }), true);
      const noted = schedule("edited", { nextMs: 9500, lastMs: 5000, lastGraphId: "g_5000" });
      assert.deepEqual(await store.schedules.schedule("edited"), noted);
    });

    it("lose no concurrent change of a schedule", async () => {
      const count = 6;
      const add = (old = schedule("shared", { input: [] })): ScheduleRow => ({
        ...old,
        input: [...(old.input as Json[]), 1],
      });
      await Promise.all([
        ...Array.from({ length: count }, () => store.schedules.change("shared", add)),
        store.schedules.moveOn("shared", 5000, { nextMs: 6000, ran: { ms: 5000, graphId: "g_3" } }),
      ]);
      await store.schedules.moveOn("shared", 5000, { nextMs: 6000, ran: { ms: 5000, graphId: "g_3" } });
      const ran = { nextMs: 6000, lastMs: 5000, lastGraphId: "g_3" };
      assert.deepEqual(
        await store.schedules.schedule("shared"),
        schedule("shared", { input: Array<Json>(count).fill(1), ...ran }),
      );
    });

    it("contain neither the schedule nor the audit entry of a change that throws", async () => {
      await save(schedule("kept"));
      const refusal = new Error("not allowed");
      const refuse = () => {
        throw refusal;
      };
      await assert.rejects(store.schedules.change("kept", refuse, audit("schedule.save", "kept")), refusal);
      assert.deepEqual(await store.schedules.schedule("kept"), schedule("kept"));
      assert.equal((await store.audit.list({ target: "kept" })).total, 0);
    });

    it("remove a schedule only for its owner, and report whether it existed", async () => {
      await save(schedule("short"));
      const removal = audit("schedule.remove", "short");
      assert.equal(await store.schedules.remove("short", "app", removal), false);
      assert.equal(await store.schedules.remove("short", "api", removal), true);
      assert.equal(await store.schedules.remove("short", "api", removal), false);
      assert.equal((await store.audit.list({ target: "short" })).total, 1);
    });

    it("keep the paused workers, and a second pause changes nothing", async () => {
      const row = { worker: "mail", pausedMs: 7, by: "operator", note: undefined };
      await store.queues.pause(row, audit("queue.pause", "mail"));
      await store.queues.pause({ ...row, pausedMs: 9 });
      await store.queues.pause({ worker: "audit", pausedMs: 8, by: undefined, note: "slow disk" });
      assert.deepEqual(await store.queues.paused(), [
        { worker: "audit", pausedMs: 8, by: undefined, note: "slow disk" },
        row,
      ]);
      await store.queues.resume("mail");
      await store.queues.resume("mail");
      assert.deepEqual(
        (await store.queues.paused()).map(({ worker }) => worker),
        ["audit"],
      );
    });

    it("list the audit trail newest first, by target, actor, operation and time, in pages", async () => {
      for (let at = 1; at <= 5; at++) await store.audit.add(audit("graph.pause", `t${at}`, { atMs: at * 10 }));
      const last = audit("graphs.bulk", "t5", {
        atMs: 60,
        actor: "anna",
        address: "::1",
        note: "why",
        data: { count: 2 },
      });
      await store.audit.add(last);
      const { items, nextCursor, total } = await store.audit.list({ operation: "graph", limit: 2 });
      assert.deepEqual([items.map(({ target }) => target), total], [["t5", "t4"], 5]);
      const next = await store.audit.list({
        operation: "graph",
        limit: 3,
        ...(nextCursor === undefined ? {} : { cursor: nextCursor }),
      });
      assert.deepEqual([next.items.map(({ target }) => target), next.nextCursor], [["t3", "t2", "t1"], undefined]);
      const [only, ...others] = (await store.audit.list({ actor: "anna", sinceMs: 60 })).items;
      assert.deepEqual([only, others], [{ ...last, id: only?.id }, []]);
      assert.equal((await store.audit.list({ target: "t5", operation: "graphs.bulk" })).total, 1);
      await store.audit.purge(30);
      assert.deepEqual(
        (await store.audit.list({ operation: "graph" })).items.map(({ target }) => target),
        ["t5", "t4", "t3"],
      );
    });
  });
}
