import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { histogramOf } from "./histogram.ts";
import { graphQueryOf, lengthMsOf, lengthText, readRunsQuery } from "./runs/runs-query.ts";

describe("The histogram of durations", () => {
  it("has columns that double in width, from the first to the last with a run", () => {
    const histogram = histogramOf({ durationsMs: [700, 1000, 1999, 2000, 9000, -3], isAll: true });
    assert.deepEqual(
      histogram?.columns
        .map(({ fromMs, count }) => [fromMs, count])
        .filter(([from]) => from === 0 || Number(from) >= 500),
      [
        [0, 1],
        [500, 1],
        [1000, 2],
        [2000, 1],
        [5000, 1],
      ],
    );
    assert.deepEqual([histogram?.columns[0]?.share, histogram?.columns.at(-1)?.toMs], [0.5, 10_000]);
  });

  it("marks the columns that the filters include completely", () => {
    const chosen = { longerMs: 1000, shorterMs: 5000 };
    const histogram = histogramOf({ durationsMs: [600, 1500, 3000, 6000], isAll: false }, chosen);
    assert.deepEqual(
      histogram?.columns.map(({ isChosen }) => isChosen),
      [false, true, true, false],
    );
  });

  it("has the median and the 95th percentile", () => {
    const histogram = histogramOf({ durationsMs: Array.from({ length: 100 }, (_, at) => 100 - at), isAll: true });
    assert.deepEqual([histogram?.medianMs, histogram?.p95Ms], [51, 96]);
  });

  it("ends with the longest duration of any length, and does not exist without durations", () => {
    const year = 365 * 86_400_000;
    assert.deepEqual(
      histogramOf({ durationsMs: [year], isAll: true })?.columns.map(({ toMs }) => toMs),
      [undefined],
    );
    assert.equal(histogramOf({ durationsMs: [], isAll: true }), undefined);
  });
});

describe("Durations in the URL", () => {
  it("are parsed and formatted alike", () => {
    assert.deepEqual(["500ms", "1.5s", "5m", "2h", "1d"].map(lengthMsOf), [500, 1500, 300_000, 7_200_000, 86_400_000]);
    for (const ms of [10, 1000, 1500, 60_000, 7_200_000, 86_400_000]) assert.equal(lengthMsOf(lengthText(ms)), ms);
    assert.deepEqual(
      ["", "5", "m", "-1s", "1e3s", "5 m"].map(lengthMsOf),
      Array.from({ length: 6 }, () => undefined),
    );
  });

  it("become part of the query, or are reported as invalid", () => {
    const { filter, problems } = readRunsQuery(new URLSearchParams("longer=30s&shorter=soon"), []);
    assert.deepEqual(graphQueryOf(filter, 0), { longerMs: 30_000 });
    assert.match(problems[0] ?? "", /"soon" is not a valid duration/);
  });
});
