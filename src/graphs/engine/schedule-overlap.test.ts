/** Times at which the last run of a schedule is active; random delays; and times in the past. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import { worker } from "../definition/definition.ts";
import type { ScheduleDefinition } from "../schedules/schedule-types.ts";
import { bench, STORES, type Bench } from "./engine.testkit.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Start of the simulated clock. */
const START = Date.UTC(2026, 0, 1);

const echo = worker("echo", (input: Json) => input);
/** Runs for the given number of minutes. */
const slow = worker("slow", async (_input: unknown, ctx) => ctx.sleep("150m"));
const hourly: ScheduleDefinition = { name: "hourly", cron: "0 * * * *", worker: "slow" };

/** Runs of the schedule, oldest first: time, start and status. */
async function runsOf({ store }: Pick<Bench, "store">): Promise<[number, number | undefined, string][]> {
  const { items } = await store.graphs.list({ tag: "schedule:hourly", limit: 200 });
  const rows = (await store.graphs.heads(items.map(({ id }) => id))).map(({ row }) => row).toReversed();
  return rows.map(({ input, startedMs, status }) => [
    ((input as { scheduled_ms: number }).scheduled_ms - START) / HOUR,
    startedMs === undefined ? undefined : (startedMs - START) / HOUR,
    status,
  ]);
}

/** Passes time in steps, so that every timer fires at its time. */
async function pass(here: Bench, minutes: number): Promise<void> {
  for (let at = 0; at < minutes; at += 30) await here.pass(30 * MINUTE);
}

for (const url of STORES)
  describe(`a schedule on ${url}`, () => {
    it("with the overlap buffer starts one run when the last one ends", async () => {
      const here = await bench({ workers: [slow], schedules: [{ ...hourly, overlap: "buffer" }] }, url);
      await here.engine.recover();
      await pass(here, 6 * 60 + 30);
      // The run of 1:00 ends at 3:30. The times 2:00 and 3:00 have passed: the last of them runs.
      assert.deepEqual(await runsOf(here), [
        [1, 1, "done"],
        [3, 3.5, "done"],
        [6, 6, "running"],
      ]);
    });

    it("with the overlap buffer and catchUp all starts a run for each time, one after the other, over restarts", async () => {
      const schedules = [{ ...hourly, overlap: "buffer", catchUp: "all" }] satisfies ScheduleDefinition[];
      const here = await bench({ workers: [slow], schedules }, url);
      await here.engine.recover();
      await pass(here, 150);
      await here.crash();
      await pass(here, 240);
      assert.deepEqual(await runsOf(here), [
        [1, 1, "done"],
        [2, 3.5, "done"],
        [3, 6, "running"],
      ]);
    });

    it("with the overlap cancel cancels the last run and starts the next one", async () => {
      const here = await bench({ workers: [slow], schedules: [{ ...hourly, overlap: "cancel" }] }, url);
      await here.engine.recover();
      await pass(here, 150);
      assert.deepEqual(await runsOf(here), [
        [1, 1, "cancelled"],
        [2, 2, "running"],
      ]);
      const trail = (await here.store.audit.list({ operation: "graph.cancel" })).items;
      assert.deepEqual(
        trail.map(({ actor, note }) => [actor, note]),
        [["schedule", "The next run of the schedule hourly is due"]],
      );
    });

    it("with a jitter delays each start by a time within it, the same in every process", async () => {
      const schedules: ScheduleDefinition[] = [{ ...hourly, worker: "echo", jitter: "30m" }];
      const delaysOf = async (): Promise<number[]> => {
        const here = await bench({ workers: [echo], schedules }, url);
        await here.engine.recover();
        for (let at = 0; at < 12 * 60; at += 5) await here.pass(5 * MINUTE);
        const [view] = await here.engine.schedule.list();
        assert.equal(view?.jitter_ms, 30 * MINUTE);
        const { items } = await here.store.graphs.list({ tag: "schedule:hourly", limit: 200 });
        const rows = (await here.store.graphs.heads(items.map(({ id }) => id))).map(({ row }) => row);
        return rows.map(({ dueMs, input }) => dueMs - (input as { scheduled_ms: number }).scheduled_ms);
      };
      const delays = await delaysOf();
      assert.ok(delays.length >= 11 && delays.every((ms) => ms >= 0 && ms < 30 * MINUTE), delays.join(", "));
      assert.ok(new Set(delays).size > 5, "the delays differ");
      assert.deepEqual(await delaysOf(), delays);
    });

    it("starts a run for each time of a past period that has none", async () => {
      const here = await bench({ workers: [echo], schedules: [{ ...hourly, worker: "echo" }] }, url);
      await here.engine.recover();
      await pass(here, 60);
      const period = { fromMs: START - 2 * HOUR, untilMs: START + HOUR };
      const first = await here.engine.schedule.backfill("hourly", period, { by: "ada" });
      await here.pass(0);
      assert.deepEqual([first.started.length, first.known], [3, 1]);
      const inputs = await Promise.all(first.started.map((id) => here.engine.result(id)));
      assert.deepEqual(
        inputs.map((input) => ((input as { scheduled_ms: number }).scheduled_ms - START) / HOUR),
        [-2, -1, 0],
      );
      assert.deepEqual(await here.engine.schedule.backfill("hourly", period), { started: [], known: 4 });
      const [, entry] = (await here.store.audit.list({ operation: "schedule.backfill" })).items;
      assert.deepEqual([entry?.actor, entry?.data], ["ada", { from_ms: period.fromMs, until_ms: period.untilMs }]);
    });

    it("rejects an invalid overlap, jitter or period", async () => {
      const here = await bench({ workers: [echo], schedules: [{ ...hourly, worker: "echo" }] }, url);
      await here.engine.recover();
      const other = { ...hourly, name: "other", worker: "echo" };
      const upsert = (wrong: object) => here.engine.schedule.upsert({ ...other, ...wrong });
      await assert.rejects(upsert({ overlap: "queue" }), { code: "SVC_INVALID", message: /"buffer" or "cancel"/ });
      await assert.rejects(upsert({ jitter: "soon" }), { code: "SVC_INVALID", message: /jitter is "soon"/ });
      const backfill = (fromMs: number, untilMs: number) =>
        here.engine.schedule.backfill("hourly", { fromMs, untilMs });
      await assert.rejects(backfill(START, START - 1), { code: "SVC_INVALID", message: /the earlier time first/ });
      await assert.rejects(backfill(START, START + 2000 * HOUR), { code: "SVC_INVALID", message: /more than 1000/ });
      await assert.rejects(here.engine.schedule.backfill("none", { fromMs: 0, untilMs: 1 }), { code: "SVC_NOT_FOUND" });
    });
  });
