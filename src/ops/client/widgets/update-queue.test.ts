import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { UpdateQueue, type Step } from "./update-queue.ts";

type News = Record<string, string>;

/** Takes slices until the queue is empty. @returns the steps of each slice */
function slices(backlog: UpdateQueue<string>, now = (): number => 0): Step<string>[][] {
  const all: Step<string>[][] = [];
  while (!backlog._isEmpty) {
    const steps: Step<string>[] = [];
    backlog._slice((step) => steps.push(step), now);
    all.push(steps);
  }
  return all;
}

const rowsOf = (from: number, count: number): string[] => Array.from({ length: count }, (_, at) => `${from + at}`);

describe("The update queue of widgets", () => {
  it("yields the last state of each part, in no more steps than there are parts", () => {
    const parts = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.string(), { maxKeys: 4 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom("one", "two"), parts), { maxLength: 40 }), (patches) => {
        const backlog = new UpdateQueue<string>();
        const wanted = new Map<string, News>();
        for (const [widget, news] of patches) {
          backlog._add(widget, news, [], 0, false);
          wanted.set(widget, { ...wanted.get(widget), ...news });
        }
        const steps = slices(backlog).flat();
        const shown = new Map<string, News>();
        for (const { _widget, _part } of steps)
          if (_part) shown.set(_widget, { ...shown.get(_widget), [_part[0]]: _part[1] });
        for (const [widget, news] of wanted) assert.deepEqual(shown.get(widget) ?? {}, { ...news });
        assert.ok(steps.length <= 8);
      }),
    );
  });

  it("yields the last 300 rows of 10,000 events, 20 at a time, and counts the omitted ones", () => {
    const backlog = new UpdateQueue<string>();
    for (let from = 0; from < 10_000; from += 40) backlog._add("log", {}, rowsOf(from, 40), 0, false);
    const steps = slices(backlog).flat();
    assert.ok(steps.every(({ _rows = [] }) => _rows.length <= 20));
    assert.deepEqual(
      steps.flatMap(({ _rows = [] }) => _rows),
      rowsOf(9700, 300),
    );
    assert.equal(
      steps.reduce((sum, { _skipped }) => sum + _skipped, 0),
      9700,
    );
  });

  it("yields at most 40 steps per frame, and only one if that step uses up the frame's time", () => {
    const many = Object.fromEntries(rowsOf(0, 1000).map((name) => [name, name]));
    const backlog = new UpdateQueue<string>();
    backlog._add("graph", many, [], 0, false);
    const fast = slices(backlog);
    assert.deepEqual(
      fast.map((steps) => steps.length),
      Array.from({ length: 25 }, () => 40),
    );
    backlog._add("graph", many, [], 0, false);
    let time = 0;
    const slow = slices(backlog, () => (time += 10));
    assert.ok(slow.every((steps) => steps.length === 1));
    assert.equal(slow.length, 1000);
  });

  it("reports a gap once, with the number of events since", () => {
    const backlog = new UpdateQueue<string>();
    backlog._add("log", {}, rowsOf(0, 30), 5, true);
    backlog._add("log", {}, rowsOf(30, 30), 0, false);
    const gaps = slices(backlog)
      .flat()
      .map(({ _behindGap }) => _behindGap);
    assert.deepEqual(gaps, [65, 0, 0]);
  });

  it("drains completely for a widget that leaves the page, and for no other widget", () => {
    const backlog = new UpdateQueue<string>();
    backlog._add("log", {}, rowsOf(0, 90), 0, false);
    backlog._add("graph", { a: "x", b: "y" }, [], 0, false);
    const taken: string[] = [];
    backlog._rest("log", ({ _widget, _rows = [] }) => taken.push(`${_widget} ${_rows.length}`));
    assert.deepEqual(taken, ["log 20", "log 20", "log 20", "log 20", "log 10"]);
    assert.ok(!backlog._isEmpty);
    assert.deepEqual(
      slices(backlog)
        .flat()
        .map(({ _widget }) => _widget),
      ["graph", "graph"],
    );
  });
});
