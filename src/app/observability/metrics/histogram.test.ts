import assert from "node:assert/strict";
import { it } from "node:test";
import { Histogram } from "./histogram.ts";

it("a quantile lies within its bucket, and the last bucket returns its lower bound", () => {
  const histogram = new Histogram();
  assert.equal(histogram.quantile(0.99), 0);
  for (let at = 0; at < 99; at++) histogram.observe(0.02);
  histogram.observe(60);
  const half = histogram.quantile(0.5);
  assert.ok(half > 0.01 && half <= 0.025, `${half}`);
  assert.equal(histogram.quantile(1), 10);
});
