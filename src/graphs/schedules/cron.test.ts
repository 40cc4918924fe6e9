import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../../platform/shared/errors.ts";
import { loadCron } from "./cron.ts";

const readCron = await loadCron();

/** The times after a given one, as ISO text to the minute. */
function times(cron: string, timeZone: string, after: string, count: number): string[] {
  let ms = Date.parse(after);
  const { next } = readCron(cron, timeZone, ms);
  return Array.from({ length: count }, () => {
    ms = next(ms) ?? Number.NaN;
    return new Date(ms).toISOString().slice(0, 16);
  });
}

describe("times of a cron expression", () => {
  it("follow the wall clock of the time zone", () => {
    assert.deepEqual(times("30 2 * * *", "Europe/Berlin", "2026-01-10T00:00Z", 2), [
      "2026-01-10T01:30",
      "2026-01-11T01:30",
    ]);
    assert.deepEqual(times("0 9 * * MON", "America/New_York", "2026-07-01T00:00Z", 1), ["2026-07-06T13:00"]);
    assert.deepEqual(times("0 0 29 2 *", "UTC", "2026-01-01T00:00Z", 1), ["2028-02-29T00:00"]);
    assert.deepEqual(times("@hourly", "Asia/Kolkata", "2026-01-01T00:00Z", 2), [
      "2026-01-01T00:30",
      "2026-01-01T01:30",
    ]);
  });

  // Europe/Berlin 2026: 29 March 02:00 → 03:00 (01:00Z), 25 October 03:00 → 02:00 (01:00Z).
  it("move to the end of the spring gap, once, on the same day", () => {
    assert.deepEqual(times("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00Z", 3), [
      "2026-03-28T01:30",
      "2026-03-29T01:00",
      "2026-03-30T00:30",
    ]);
    assert.deepEqual(times("30 2,14 * * *", "Europe/Berlin", "2026-03-28T13:00Z", 3), [
      "2026-03-28T13:30",
      "2026-03-29T01:00",
      "2026-03-29T12:30",
    ]);
  });

  it("in the repeated hour of autumn occur once, at the first time", () => {
    assert.deepEqual(times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", 2), [
      "2026-10-25T00:30",
      "2026-10-26T01:30",
    ]);
    assert.deepEqual(times("30 1 * * *", "America/New_York", "2026-11-01T04:00Z", 2), [
      "2026-11-01T05:30",
      "2026-11-02T06:30",
    ]);
  });

  it("with intervals keep their interval through both clock changes", () => {
    assert.deepEqual(times("*/30 * * * *", "Europe/Berlin", "2026-03-29T00:00Z", 4), [
      "2026-03-29T00:30",
      "2026-03-29T01:00",
      "2026-03-29T01:30",
      "2026-03-29T02:00",
    ]);
    assert.deepEqual(times("*/30 * * * *", "Europe/Berlin", "2026-10-25T00:00Z", 4), [
      "2026-10-25T00:30",
      "2026-10-25T01:00",
      "2026-10-25T01:30",
      "2026-10-25T02:00",
    ]);
  });

  it("in a zone whose day begins with the gap are not a day late", () => {
    // Africa/Cairo 2026: 24 April 00:00 → 01:00 (22:00Z on the 23rd).
    assert.deepEqual(times("0 0 * * *", "Africa/Cairo", "2026-04-23T00:00Z", 2), [
      "2026-04-23T22:00",
      "2026-04-24T21:00",
    ]);
  });

  it("always increase, by one and a half hours at most, if clocks change by half an hour", () => {
    for (const from of [Date.UTC(2026, 3, 3), Date.UTC(2026, 9, 2)]) {
      const { next } = readCron("15 * * * *", "Australia/Lord_Howe", from);
      for (let ms = from, count = 0; count < 72; count++) {
        const later = next(ms) ?? 0;
        assert.ok(
          later > ms && later - ms <= 5_400_000,
          `${new Date(ms).toISOString()} → ${new Date(later).toISOString()}`,
        );
        ms = later;
      }
    }
  });

  const BAD = ["", "soon", "* * * *", "61 * * * *", "* * * * * * *", "2026-01-01T00:00:00", "@never", "0 0 30 2 *"];
  for (const cron of BAD)
    it(`reject ${JSON.stringify(cron)} with an error that names the key`, () => {
      assert.throws(
        () => readCron(cron, "UTC", Date.UTC(2026, 0, 1)),
        (error: SvcError) => error.code === "SVC_INVALID" && error.issues?.[0]?.path[0] === "cron",
      );
    });

  it("reject an invalid time zone", () => {
    assert.throws(
      () => readCron("* * * * *", "Europe/Nowhere", 0),
      (error: SvcError) => error.code === "SVC_INVALID" && error.issues?.[0]?.path[0] === "time_zone",
    );
  });
});
