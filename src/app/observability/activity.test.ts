import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import type { QueueReport } from "../../graphs/machine/report-types.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { ActivityRows } from "../../storage/contract/activity.ts";
import { openStore } from "../../storage/open-store.ts";
import { ActivityLog } from "./activity.ts";
import { RecentMinutes } from "./metrics/recent-activity.ts";

const SILENT: Log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** A process that counts into rows that other processes may share. */
function counting(clock: SimulatedClock, rows: ActivityRows, { isShared = true } = {}) {
  let queueReports: QueueReport[] = [];
  const recent = new RecentMinutes(clock, () => activity.changed());
  const activity = new ActivityLog({ rows, recent, clock, log: SILENT, queueReports: () => queueReports, isShared });
  return { recent, activity, setLanes: (now: QueueReport[]) => (queueReports = now) };
}

describe("the activity of all processes", () => {
  it("is visible to each process a few seconds later", async () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 2));
    const { activity: rows } = await openStore("memory:");
    const [one, other] = [counting(clock, rows), counting(clock, rows)];
    one.recent.started("order");
    one.recent.ended("order", "failed", 250);
    await clock.advance(6000);
    await other.activity.refresh();
    const { hour } = other.recent.read(0);
    assert.deepEqual([hour.started, hour.failed, hour.p50_ms], [1, 1, 256]);
    one.recent.started("order");
    await clock.advance(6000);
    await other.activity.refresh();
    assert.equal(other.recent.read(0).hour.started, 2);
  });

  it("is read once for concurrent callers, and again even if the clock was set back", async () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 2));
    const { activity: rows } = await openStore("memory:");
    const [one, other] = [counting(clock, rows), counting(clock, rows)];
    one.recent.started("order");
    await clock.advance(6000);
    const seen = await Promise.all(
      [1, 2].map(async () => {
        await other.activity.refresh();
        return other.recent.read(0).hour.started;
      }),
    );
    assert.deepEqual(seen, [1, 1]);
    clock.aheadMs = -3_600_000;
    one.recent.started("order");
    await clock.advance(6000);
    await other.activity.refresh();
    assert.equal(other.recent.read(0).hour.started, 1);
  });

  it("survives the end of a process, up to the last count of one that was closed", async () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 2));
    const { activity: rows } = await openStore("memory:");
    const first = counting(clock, rows, { isShared: false });
    first.recent.started("order");
    await first.activity.close();
    const next = counting(clock, rows, { isShared: false });
    await next.activity.refresh();
    assert.equal(next.recent.read(0).hour.started, 1);
    await first.activity.refresh();
    assert.equal(first.recent.read(0).hour.started, 1);
  });

  it("is saved again after an error of the store", async () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 2));
    const { activity: rows } = await openStore("memory:");
    const { recent } = counting(clock, rows);
    const save = rows.save.bind(rows);
    rows.save = () => Promise.reject(new Error("disk full"));
    recent.started("order");
    await clock.advance(6000);
    rows.save = save;
    await clock.advance(6000);
    assert.equal((await rows.since(0)).length, 1);
  });
});

describe("the queues of all processes", () => {
  it("are the sum of current reports, with the oldest waiting time", async () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 2));
    const { activity: rows } = await openStore("memory:");
    const [one, other] = [counting(clock, rows), counting(clock, rows)];
    const sinceMs = clock.now() - 1000;
    one.setLanes([{ worker: "charge", running: 2, waiting: 3, sinceMs }]);
    one.recent.attempted("charge");
    other.setLanes([{ worker: "charge", running: 1, waiting: 0 }]);
    await clock.advance(6000);
    await other.activity.refresh();
    assert.deepEqual(other.activity.queueReports(), [{ worker: "charge", running: 3, waiting: 3, sinceMs }]);
    // Nothing more is counted, but the queue is still reported.
    await clock.advance(60_000);
    await other.activity.refresh();
    assert.equal(other.activity.queueReports()[0]?.waiting, 3);
    await one.activity.close();
    await clock.advance(60_000);
    await other.activity.refresh();
    assert.equal(other.activity.queueReports()[0]?.waiting, 0);
  });

  it("include a long attempt and a paused queue, although nothing was counted", async () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 2));
    const { activity: rows } = await openStore("memory:");
    const [one, other] = [counting(clock, rows), counting(clock, rows)];
    await clock.advance(60_000);
    assert.deepEqual(await rows.since(0), [], "a process that does nothing writes nothing");
    one.setLanes([{ worker: "charge", running: 1, waiting: 0 }]);
    await clock.advance(10_000);
    await other.activity.refresh();
    assert.deepEqual(other.activity.queueReports(), [{ worker: "charge", running: 1, waiting: 0 }]);
    one.setLanes([]);
    await clock.advance(60_000);
    assert.deepEqual(other.activity.queueReports(), []);
    await Promise.all([one.activity.close(), other.activity.close()]);
  });
});
