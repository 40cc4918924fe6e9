import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { loadCron } from "../schedules/cron.ts";
import { worker } from "../definition/definition.ts";
import { dueRuns, missedText } from "../schedules/due-runs.ts";
import { bench, gate, STORES, type Bench } from "./engine.testkit.ts";
import type { ScheduleDefinition } from "../schedules/schedule-types.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Start of the simulated clock. */
const START = Date.UTC(2026, 0, 1);

const echo = worker("echo", (input: Json) => input);
const hourly: ScheduleDefinition = { name: "hourly", cron: "0 * * * *", worker: "echo" };

/** Times for which runs were started, in order. */
async function timesOf({ store }: Pick<Bench, "store">, name = "hourly"): Promise<number[]> {
  const { items } = await store.graphs.list({ tag: `schedule:${name}`, limit: 200 });
  return (await store.graphs.heads(items.map(({ id }) => id)))
    .map(({ row: { input } }) => (input as { scheduled_ms: number }).scheduled_ms)
    .toReversed();
}

const has = (code: string, text: RegExp) => (error: unknown) =>
  error instanceof SvcError && error.code === code && text.test(error.message);

for (const url of STORES) {
  describe(`schedules on ${url}`, () => {
    it("start a run at each of their times, and pass it that time", async () => {
      const here = await bench({ workers: [echo], schedules: [hourly] }, url);
      await here.engine.recover();
      await here.pass(59 * MINUTE);
      assert.deepEqual(await timesOf(here), []);
      for (let count = 0; count < 3; count++) await here.pass(HOUR);
      assert.deepEqual(await timesOf(here), [START + HOUR, START + 2 * HOUR, START + 3 * HOUR]);
      const [view] = await here.engine.schedule.list();
      assert.deepEqual([view?.next_ms, view?.last_ms, view?.source], [START + 4 * HOUR, START + 3 * HOUR, "app"]);
      assert.equal((await here.engine.snapshot(view?.last_graph_id ?? ""))?.status, "done");
    });

    it("continue if the store fails when a schedule is changed just after it has run", async () => {
      const here = await bench({ workers: [echo], schedules: [hourly] }, url);
      await here.engine.recover();
      const { schedules } = here.store.schedules;
      const { moveOn } = here.store.schedules;
      let changed: Promise<unknown> | undefined;
      here.store.schedules.moveOn = async (...given) => {
        const hasMoved = await moveOn.apply(here.store.schedules, given);
        // The change reads the schedule after the run has read it, and fails.
        let looks = 0;
        here.store.schedules.schedules = () => {
          if (++looks === 2) return Promise.reject(new Error("the disk is unavailable"));
          return schedules.call(here.store.schedules);
        };
        changed ??= here.engine.schedule.upsert({ ...hourly, name: "other" });
        return hasMoved;
      };
      await here.pass(HOUR);
      await changed;
      here.store.schedules.schedules = schedules;
      here.store.schedules.moveOn = moveOn;
      for (let count = 0; count < 2; count++) await here.pass(HOUR);
      assert.deepEqual((await timesOf(here)).length, 3);
      assert.deepEqual((await timesOf(here, "other")).length, 2);
    });

    it("start nothing twice if the process dies between a start and its record", async () => {
      const here = await bench({ workers: [echo], schedules: [hourly] }, url);
      await here.engine.recover();
      const { moveOn } = here.store.schedules;
      here.store.schedules.moveOn = () => Promise.reject(new Error("the disk is gone"));
      await here.pass(HOUR);
      here.store.schedules.moveOn = moveOn;
      assert.equal((await timesOf(here)).length, 1);
      await here.crash();
      await here.pass(MINUTE);
      assert.deepEqual(await timesOf(here), [START + HOUR]);
      assert.equal((await here.engine.schedule.get("hourly"))?.last_ms, START + HOUR);
    });

    for (const [catchUp, missed] of [
      ["none", []],
      ["last", [4]],
      ["all", [1, 2, 3, 4]],
    ] as const)
      it(`catch up with ${catchUp} of the times missed while no process ran`, async () => {
        const schedules = [{ ...hourly, catchUp, overlap: "allow" as const }];
        const here = await bench({ workers: [echo], schedules }, url);
        await here.engine.recover();
        await here.engine.close();
        await here.clock.advance(4 * HOUR + 30 * MINUTE);
        await here.crash();
        await here.pass(0);
        assert.deepEqual(
          await timesOf(here),
          missed.map((hour) => START + hour * HOUR),
        );
        await here.pass(30 * MINUTE);
        assert.equal((await timesOf(here)).at(-1), START + 5 * HOUR);
      });

    it("skip a time while their last run is active, unless overlaps are allowed", async () => {
      const held = gate();
      const slow = worker("slow", async () => held.promise);
      const schedules: ScheduleDefinition[] = [
        { ...hourly, worker: "slow" },
        { ...hourly, name: "both", worker: "slow", overlap: "allow" },
      ];
      const here = await bench({ workers: [slow], schedules }, url);
      await here.engine.recover();
      await here.clock.advance(2 * HOUR);
      assert.deepEqual([(await timesOf(here)).length, (await timesOf(here, "both")).length], [1, 2]);
      held.open();
      await here.engine.idle();
      await here.pass(HOUR);
      assert.deepEqual(await timesOf(here), [START + HOUR, START + 3 * HOUR]);
      assert.ok(here.logs.some((text) => /hourly is skipped: its last run is still active/.test(text)));
    });

    it("follow the clock of their time zone on the days of its changes", async () => {
      const { engine, store, clock } = await bench({ workers: [echo] }, url);
      await clock.advance(Date.UTC(2026, 2, 28) - START);
      const nightly = { name: "nightly", cron: "30 2 * * *", timeZone: "Europe/Berlin", worker: "echo" };
      await engine.schedule.upsert({ ...nightly, overlap: "allow" });
      for (let hour = 0; hour < 72; hour++) await clock.advance(HOUR);
      assert.deepEqual(
        (await timesOf({ store }, "nightly")).map((ms) => new Date(ms).toISOString().slice(5, 16)),
        ["03-28T01:30", "03-29T01:00", "03-30T00:30"],
      );
    });

    it("can be paused and resumed, continue with the next time, and stay paused over a restart", async () => {
      const here = await bench({ workers: [echo], schedules: [hourly] }, url);
      await here.engine.recover();
      const paused = await here.engine.schedule.pause("hourly", { by: "anna", note: "holidays" });
      assert.deepEqual([paused.paused, paused.next_ms], [true, null]);
      await here.crash();
      await here.pass(3 * HOUR + MINUTE);
      assert.deepEqual(await timesOf(here), []);
      const resumed = await here.engine.schedule.resume("hourly");
      assert.deepEqual([resumed.paused, resumed.next_ms], [false, START + 4 * HOUR]);
      await here.pass(HOUR);
      assert.deepEqual(await timesOf(here), [START + 4 * HOUR]);
      const trail = (await here.store.audit.list({ target: "hourly" })).items;
      assert.deepEqual(
        trail.map(({ operation, actor, note }) => [operation, actor, note]),
        [
          ["schedule.resume", "app", undefined],
          ["schedule.pause", "anna", "holidays"],
        ],
      );
    });

    it("keep the records of a run while somebody pauses, edits or takes over the schedule, and stay paused", async () => {
      const changes: Record<string, (here: Bench) => Promise<unknown>> = {
        pause: ({ engine }) => engine.schedule.pause("hourly"),
        edit: ({ engine }) => engine.schedule.upsert({ ...hourly, cron: "30 * * * *" }),
        "edit of a paused one": ({ engine }) => engine.schedule.upsert({ ...hourly, input: 7 }),
      };
      for (const [what, change] of Object.entries(changes)) {
        const here = await bench({ workers: [echo] }, url);
        await here.engine.recover();
        await here.engine.schedule.upsert(hourly);
        // Writes that occur between the read and the write of a change: a run, and a pause by somebody else.
        const rows = here.store.schedules;
        const { schedule: read } = rows;
        const between = async (): Promise<void> => {
          rows.schedule = read;
          await rows.moveOn("hourly", START + HOUR, { nextMs: START + 2 * HOUR, ran: { ms: 7, graphId: "g_7" } });
          if (what.includes("paused")) await here.engine.schedule.pause("hourly");
        };
        rows.schedule = async (name) => {
          const row = await read.call(rows, name);
          await between();
          return row;
        };
        const { change: write } = rows;
        rows.change = async (...given) => {
          rows.change = write;
          await between();
          return write.apply(rows, given);
        };
        await change(here);
        const view = await here.engine.schedule.get("hourly");
        assert.deepEqual([view?.last_ms, view?.last_graph_id], [7, "g_7"], what);
        assert.equal(view?.paused, what !== "edit", what);
      }
    });

    it("that are not paused lose no due time when somebody resumes them", async () => {
      const here = await bench({ workers: [echo], schedules: [hourly] }, url);
      await here.engine.recover();
      await here.engine.close();
      await here.clock.advance(HOUR);
      assert.equal((await here.engine.schedule.resume("hourly")).next_ms, START + HOUR);
    });

    it("stop catching up once they are paused, and record their progress", async () => {
      const schedules = [{ ...hourly, catchUp: "all" as const, overlap: "allow" as const }];
      const here = await bench({ workers: [echo], schedules }, url);
      await here.engine.recover();
      await here.engine.close();
      await here.clock.advance(5 * HOUR);
      const { commit } = here.store.graphs;
      let starts = 0;
      here.store.graphs.commit = async (transition) => {
        const hasHeld = await commit.call(here.store.graphs, transition);
        if (transition.insert && ++starts === 2) await here.engine.schedule.pause("hourly");
        return hasHeld;
      };
      await here.crash();
      await here.pass(0);
      assert.deepEqual(await timesOf(here), [START + HOUR, START + 2 * HOUR]);
      assert.equal((await here.store.schedules.schedule("hourly"))?.nextMs, START + 3 * HOUR);
      assert.equal((await here.engine.schedule.get("hourly"))?.last_ms, START + 2 * HOUR);
    });

    for (const isUp of [true, false])
      it(`follow the clock after it is corrected from far in the future, ${isUp ? "in a running process" : "before a process starts"}`, async () => {
        const clock = new SimulatedClock();
        const here = await bench({ workers: [echo], schedules: [hourly] }, url, clock);
        await here.engine.recover();
        clock.aheadMs = 400 * 24 * HOUR;
        await here.pass(MINUTE);
        assert.deepEqual(await timesOf(here), [START + 400 * 24 * HOUR]);
        clock.aheadMs = 0;
        if (!isUp) await here.crash();
        for (let count = 0; count < 3; count++) await here.pass(HOUR);
        assert.deepEqual(
          (await timesOf(here)).slice(1),
          [1, 2, 3].map((hours) => START + hours * HOUR),
        );
      });

    it("start nothing twice when the clock is set back by hours", async () => {
      const clock = new SimulatedClock();
      const here = await bench({ workers: [echo], schedules: [hourly] }, url, clock);
      await here.engine.recover();
      for (let count = 0; count < 4; count++) await here.pass(HOUR);
      clock.aheadMs = -3 * HOUR - MINUTE;
      await here.pass(MINUTE);
      assert.equal((await here.engine.schedule.get("hourly"))?.next_ms, START + 2 * HOUR);
      for (let count = 0; count < 3; count++) await here.pass(HOUR);
      assert.deepEqual(
        await timesOf(here),
        [1, 2, 3, 4].map((hours) => START + hours * HOUR),
      );
      assert.equal((await here.engine.schedule.get("hourly"))?.next_ms, START + 5 * HOUR);
    });

    it("wait if the clock was set back a little, because those times have passed", async () => {
      const clock = new SimulatedClock();
      const here = await bench({ workers: [echo], schedules: [hourly] }, url, clock);
      await here.engine.recover();
      await here.pass(2 * HOUR);
      clock.aheadMs = -HOUR;
      await here.pass(5 * MINUTE);
      assert.equal((await here.engine.schedule.get("hourly"))?.next_ms, START + 3 * HOUR);
    });

    it("are at most a minute late when the clock jumps forward, as after a sleep of the machine", async () => {
      const clock = new SimulatedClock();
      const here = await bench({ workers: [echo], schedules: [{ ...hourly, cron: "0 9 * * *" }] }, url, clock);
      await here.engine.recover();
      await here.pass(HOUR);
      clock.aheadMs = 8 * HOUR - 30_000;
      await here.pass(MINUTE);
      assert.deepEqual(await timesOf(here), [START + 9 * HOUR]);
    });

    it("start at once when they are triggered, with one run per idempotency key", async () => {
      const { engine, store } = await bench({ workers: [echo] }, url);
      await engine.schedule.upsert({ ...hourly, input: { fixed: true } });
      const first = await engine.schedule.trigger("hourly", { idempotencyKey: "once", by: "anna" });
      const second = await engine.schedule.trigger("hourly", { idempotencyKey: "once" });
      const third = await engine.schedule.trigger("hourly");
      await engine.idle();
      assert.equal(first.graph_id, second.graph_id);
      assert.notEqual(first.graph_id, third.graph_id);
      assert.deepEqual((await engine.snapshot(first.graph_id))?.result, { fixed: true });
      assert.equal((await engine.schedule.get("hourly"))?.next_ms, START + HOUR);
      assert.equal((await store.audit.list({ operation: "schedule.trigger" })).total, 3);
    });

    it("record who triggered a run in the same transaction as the start", async () => {
      const { engine, store } = await bench({ workers: [echo], schedules: [hourly] }, url);
      await engine.recover();
      const { add } = store.audit;
      store.audit.add = () => Promise.reject(new Error("the disk is full"));
      const { graph_id } = await engine.schedule.trigger("hourly", { by: "anna" });
      store.audit.add = add;
      const { items } = await store.audit.list({ operation: "schedule.trigger" });
      assert.deepEqual(
        items.map(({ actor, target, data }) => [actor, target, data]),
        [["anna", "hourly", { graph_id }]],
      );
      await engine.idle();
    });

    it("leave the remaining catch-up to the next process when this one stops", async () => {
      const schedules = [{ ...hourly, catchUp: "all" as const, overlap: "allow" as const }];
      const here = await bench({ workers: [echo], schedules }, url);
      await here.engine.recover();
      await here.engine.close();
      await here.clock.advance(4 * HOUR + 30 * MINUTE);
      const { schedule } = here.store.schedules;
      let looks = 0;
      let closed: Promise<void> | undefined;
      here.store.schedules.schedule = (name) => {
        if (++looks === 2) closed = here.engine.close();
        return schedule.call(here.store.schedules, name);
      };
      await here.crash();
      await here.pass(0);
      await closed;
      assert.deepEqual(await timesOf(here), [START + HOUR]);
      here.store.schedules.schedule = schedule;
      await here.crash();
      await here.pass(0);
      assert.deepEqual(
        await timesOf(here),
        [1, 2, 3, 4].map((hour) => START + hour * HOUR),
      );
    });

    it("from code replace those of an earlier deploy, but not those from the API", async () => {
      const here = await bench({ workers: [echo], schedules: [hourly, { ...hourly, name: "old" }] }, url);
      await here.engine.recover();
      await here.engine.schedule.upsert({ ...hourly, name: "mine" });
      await here.crash({ schedules: [{ ...hourly, cron: "30 * * * *" }] });
      assert.deepEqual(
        (await here.engine.schedule.list()).map(({ name, source, cron }) => [name, source, cron]),
        [
          ["hourly", "app", "30 * * * *"],
          ["mine", "api", "0 * * * *"],
        ],
      );
      await here.pass(HOUR);
      assert.deepEqual([await timesOf(here), await timesOf(here, "mine")], [[START + HOUR / 2], [START + HOUR]]);
      const isApps = has("SVC_TRANSITION", /defined in the app's code/);
      await assert.rejects(here.engine.schedule.upsert(hourly), isApps);
      await assert.rejects(here.engine.schedule.remove("hourly"), isApps);
      await here.engine.schedule.remove("mine");
      await assert.rejects(here.engine.schedule.remove("mine"), has("SVC_NOT_FOUND", /no schedule "mine"/));
    });

    it("run once if two processes share the store", async () => {
      const here = await bench({ workers: [echo], schedules: [hourly] }, url);
      await here.engine.recover();
      const { engine: first, clock } = here;
      // The first process continues beside the second, on its own clock.
      await here.crash();
      await Promise.all([clock.advance(HOUR), here.clock.advance(HOUR)]);
      await Promise.all([first.idle(), here.engine.idle()]);
      assert.deepEqual(await timesOf(here), [START + HOUR]);
    });

    it("are rejected at boot, with an error that names them, if they can't run", async () => {
      const { engine } = await bench({ workers: [echo] }, url);
      for (const [change, text] of [
        [{ cron: "often" }, /"cron" is "often"/],
        [{ timeZone: "Mars/Olympus" }, /not a time zone/],
        [{ worker: "nobody" }, /No worker or graph is named "nobody"/],
        [{ name: "no name" }, /is not a valid name/],
        [{ cron: undefined }, /cron is undefined; use a text such as "30 2 \* \* \*"/],
        [{ timeZone: null }, /timeZone is null; use a text such as "Europe\/Berlin"/],
        [{ catchUp: "some" }, /catchUp is "some"; use "none", "last" or "all"/],
        [{ overlap: true }, /overlap is true; use "skip", "allow", "buffer" or "cancel"/],
        [{ timezone: "UTC" }, /an unknown option "timezone"; known: name, /],
      ] as const)
        await assert.rejects(engine.schedule.upsert({ ...hourly, ...change } as never), has("SVC_INVALID", text));
      await assert.rejects(
        engine.schedule.upsert({ ...hourly, input: [Number.NaN] }),
        /the input\[0\] is NaN, which JSON/,
      );
      const bad = await bench({ workers: [echo], schedules: [{ ...hourly, cron: "often" }] }, url);
      await assert.rejects(bad.engine.recover(), has("SVC_DEFINITION", /The schedule "hourly": "cron" is "often"/));
      const twice = await bench({ workers: [echo], schedules: [hourly, hourly] }, url);
      await assert.rejects(twice.engine.recover(), has("SVC_DEFINITION", /Two schedules are named "hourly"/));
    });
  });
}

describe("the due times of a schedule", () => {
  it("are a thousand at most, and include the last one", async () => {
    const times = (await loadCron())("* * * * * *", "UTC", START);
    const nowMs = START + 24 * HOUR + 500;
    const all = dueRuns({ nextMs: START, catchUp: "all" }, times, nowMs);
    assert.deepEqual([all.runs.length, all.runs[0], all.nextMs], [1000, START, START + 24 * HOUR + 1000]);
    const last = dueRuns({ nextMs: START, catchUp: "last" }, times, nowMs);
    assert.deepEqual([last.runs, last.nextMs], [[START + 24 * HOUR], START + 24 * HOUR + 1000]);
    assert.deepEqual(dueRuns({ nextMs: START, catchUp: "none" }, times, nowMs).runs, [START + 24 * HOUR]);
    assert.deepEqual(dueRuns({ nextMs: nowMs + 1, catchUp: "all" }, times, nowMs), {
      runs: [],
      skipped: 0,
      isMore: false,
      nextMs: nowMs + 1,
    });
  });

  it("are reported if they are skipped, also beyond a thousand", async () => {
    const times = (await loadCron())("* * * * * *", "UTC", START);
    const reported = (catchUp: "all" | "last" | "none", lateMs: number): string | undefined =>
      missedText("often", dueRuns({ nextMs: START, catchUp }, times, START + lateMs));
    assert.equal(
      reported("all", HOUR),
      "The schedule often was due more than 1000 times. It catches up with that many and skips the rest.",
    );
    assert.equal(reported("all", 999_000), undefined);
    assert.equal(reported("last", HOUR), "The schedule often missed 1000 of its times, or more");
    assert.equal(reported("last", 10_000), "The schedule often missed 10 of its times");
    assert.equal(reported("none", 0), undefined);
  });

  it("count as on time within a minute, also without catch-up", async () => {
    const times = (await loadCron())("0 * * * *", "UTC", START);
    const runs = (lateMs: number) =>
      dueRuns({ nextMs: START + HOUR, catchUp: "none" }, times, START + HOUR + lateMs).runs;
    assert.deepEqual([runs(MINUTE), runs(MINUTE + 1)], [[START + HOUR], []]);
  });
});
