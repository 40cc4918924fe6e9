import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Json } from "../shared/json.ts";
import type { Store } from "./contract.ts";
import type { NewAudit, ScheduleRow } from "./control.ts";
import { withoutPostgres } from "../testing/test-database.ts";
import { openedStore } from "./opened-store.test.ts";

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

for (const url of ["memory:", "sqlite::memory:", "postgres:"]) {
  describe(
    `control rows of store ${url.split(":")[0]}`,
    { skip: url === "postgres:" && (await withoutPostgres()) },
    () => {
      const opened = openedStore(url);
      let store: Store;
      before(async () => void (store = await opened.open()));
      after(() => opened.close());

      it("keeps what each process counted in a minute: the last word of each, from a minute on, until it is deleted", async () => {
        const row = (process: string, minute: number, data: Json) => ({ process, atMs: minute * 60_000, data });
        await store.activity.save([row("a", 1, { n: 1 }), row("a", 2, { n: 2 })]);
        await store.activity.save([row("b", 2, { n: 3 }), row("a", 2, { n: 4 })]);
        await store.activity.save([]);
        assert.deepEqual(await store.activity.since(2 * 60_000), [row("a", 2, { n: 4 }), row("b", 2, { n: 3 })]);
        await store.activity.purge(2 * 60_000);
        assert.equal((await store.activity.since(0)).length, 2);
      });

      it("keeps schedules as they were given, by name", async () => {
        const bare = schedule("b", { input: undefined, nextMs: undefined });
        await store.schedules.save(bare);
        await store.schedules.save(schedule("a"));
        await store.schedules.save(schedule("a", { isPaused: true, lastMs: 2, lastGraphId: "g_1" }));
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

      it("moves a schedule on once from each time, and only if it is still due then", async () => {
        await store.schedules.save(schedule("daily"));
        const step = { nextMs: 6000, lastMs: 5000, lastGraphId: "g_2" };
        const held = await Promise.all([1, 2, 3].map(() => store.schedules.moveOn("daily", 5000, step)));
        assert.equal(held.filter(Boolean).length, 1);
        assert.deepEqual(await store.schedules.schedule("daily"), schedule("daily", step));
        assert.equal(await store.schedules.moveOn("unknown", undefined, step), false);
      });

      it("removes a schedule, and tells whether there was one", async () => {
        await store.schedules.save(schedule("short"));
        assert.equal(await store.schedules.remove("short", audit("schedule.remove", "short")), true);
        assert.equal(await store.schedules.remove("short", audit("schedule.remove", "short")), false);
        assert.equal((await store.audit.list({ target: "short" })).total, 1);
      });

      it("keeps which workers are paused; a second pause changes nothing", async () => {
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

      it("lists who did what, newest first, by target, actor, operation and time, in pages", async () => {
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
    },
  );
}
