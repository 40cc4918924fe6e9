import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../index.ts";
import type { GraphQuery } from "../../graph.ts";
import { comparedToTypical, typicalDurations } from "./typical-durations.ts";

/** An app whose runs have the given durations, and which records the queries. */
function appOf(lengths: Readonly<Record<string, readonly number[]>>) {
  const asked: GraphQuery[] = [];
  const durations = async (query: GraphQuery) => {
    asked.push(query);
    return { durationsMs: [...(lengths[query.worker ?? ""] ?? [])], isAll: true };
  };
  // The code under test uses nothing else of the app.
  return { app: { engine: { durations } } as unknown as App, asked };
}

const HUNDRED = Array.from({ length: 100 }, (_, at) => (at + 1) * 10);

describe("The typical duration of a worker's runs", () => {
  it("is the median and p99 of its newest finished runs", async () => {
    const { app, asked } = appOf({ order: HUNDRED, mail: [7, 7, 7, 7, 7] });
    const usual = await typicalDurations(app, ["order", "mail", "order"], 0);
    assert.deepEqual(
      [...usual],
      [
        ["order", { medianMs: 510, p99Ms: 1000 }],
        ["mail", { medianMs: 7, p99Ms: 7 }],
      ],
    );
    assert.deepEqual(asked, [
      { worker: "order", status: "done", limit: 1000 },
      { worker: "mail", status: "done", limit: 1000 },
    ]);
  });

  it("is unknown for fewer than five runs", async () => {
    const { app } = appOf({ order: [1, 2, 3, 4] });
    assert.equal((await typicalDurations(app, ["order", "nobody"], 0)).size, 0);
  });

  it("is cached for ten seconds, but failures are not cached", async () => {
    const { app, asked } = appOf({ order: HUNDRED });
    for (const nowMs of [0, 1000, 9999]) await typicalDurations(app, ["order"], nowMs);
    assert.equal(asked.length, 1);
    await typicalDurations(app, ["order"], 10_000);
    assert.equal(asked.length, 2);
    const engine = app.engine as { durations: unknown };
    const { durations } = app.engine;
    engine.durations = () => Promise.reject(new Error("the store is away"));
    await assert.rejects(typicalDurations(app, ["order"], 20_000), /the store is away/);
    engine.durations = durations;
    assert.equal((await typicalDurations(app, ["order"], 20_001)).size, 1);
  });

  it("puts p99 at four fifths of a bar, and caps longer durations at its end", () => {
    const usual = { medianMs: 500, p99Ms: 1000 };
    assert.deepEqual(comparedToTypical(400, usual), {
      share: 32,
      medianAt: 40,
      p99At: 80,
      word: "less than the median",
    });
    assert.deepEqual(comparedToTypical(600, usual).word, "more than the median");
    assert.deepEqual(comparedToTypical(9000, usual), {
      share: 100,
      medianAt: 40,
      p99At: 80,
      word: "more than p99",
    });
    assert.deepEqual(comparedToTypical(0, { medianMs: 0, p99Ms: 0 }).share, 0);
  });
});
