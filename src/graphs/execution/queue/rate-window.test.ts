import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RateWindow } from "./rate-window.ts";

describe("a rate of 5 per 200 ms", () => {
  it("counts a start from the call of its worker, so a blocked event loop does not double it", () => {
    const rate = new RateWindow(5, 200);
    for (let start = 0; start < 5; start++) rate.take();
    // The event loop is blocked between the decision and the calls.
    for (let start = 0; start < 5; start++) rate.started(201);
    assert.equal(rate.opensAtMs(202), 401);
  });

  it("opens at the earliest a period later while its starts are only decided", () => {
    const rate = new RateWindow(5, 200);
    for (let start = 0; start < 5; start++) rate.take();
    assert.deepEqual([rate.opensAtMs(1000), rate.isIdle(1000)], [1200, false]);
    rate.giveBack();
    assert.equal(rate.opensAtMs(1000), 1000);
  });
});
