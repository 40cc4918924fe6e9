import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exposition } from "./exposition.ts";
import { ProcessMetrics } from "./process-metrics.ts";

describe("metrics of the process", () => {
  it("have the names of the event loop's delay before anything is measured, but no samples of it", () => {
    const families = new ProcessMetrics().families();
    const lag = families.filter(({ name }) => name.startsWith("nodejs_eventloop_lag_"));
    assert.deepEqual(
      lag.map(({ name, samples }) => [name, samples.length]),
      ["mean", "p50", "p99", "max"].map((name) => [`nodejs_eventloop_lag_${name}_seconds`, 0]),
    );
    assert.doesNotMatch(exposition(families), /eventloop/);
  });
});
