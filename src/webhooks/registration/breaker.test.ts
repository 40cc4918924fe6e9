import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { afterFailure, afterSuccess, HEALTHY, phaseOf, type Health } from "./breaker.ts";

const HOUR_MS = 3_600_000;

/** Fails `count` times in a row, each attempt as soon as the breaker lets one out. */
function failing(count: number, startMs = 0): { health: Health; nowMs: number } {
  let health: Health = HEALTHY;
  let nowMs = startMs;
  for (let failure = 0; failure < count; failure++) {
    nowMs = Math.max(nowMs, health.openUntilMs ?? 0);
    health = afterFailure(health, nowMs, nowMs);
  }
  return { health, nowMs };
}

describe("breaker", () => {
  it("stays closed for nine failures and opens with the tenth, for 60 s", () => {
    assert.equal(phaseOf(failing(9).health, 0), "closed");
    const { health } = failing(10);
    assert.equal(phaseOf(health, 59_999), "open");
    assert.equal(phaseOf(health, 60_000), "probing");
    assert.equal(health.state, "failing");
  });

  it("doubles the wait between probes up to 15 min", () => {
    const waits = [10, 11, 12, 13, 14, 15, 20].map((count) => {
      const { health, nowMs } = failing(count);
      return ((health.openUntilMs ?? 0) - nowMs) / 60_000;
    });
    assert.deepEqual(waits, [1, 2, 4, 8, 15, 15, 15]);
  });

  it("an attempt that began before it opened neither counts nor lengthens the wait", () => {
    const { health } = failing(10, 1000);
    assert.equal(afterFailure(health, 500, 1200), health);
  });

  it("closes with one success, which costs no write where nothing was wrong", () => {
    assert.deepEqual(afterSuccess(failing(12).health), HEALTHY);
    assert.deepEqual(afterSuccess(failing(1).health), HEALTHY);
    assert.equal(afterSuccess(HEALTHY), HEALTHY);
  });

  it("disables after 120 h of nothing but failures, not before", () => {
    const first = afterFailure(HEALTHY, 0, 0);
    const before = afterFailure(first, 120 * HOUR_MS - 1, 120 * HOUR_MS - 1);
    assert.equal(before.enabled, true);
    const after = afterFailure(before, 120 * HOUR_MS, 120 * HOUR_MS);
    assert.deepEqual([after.enabled, after.state, phaseOf(after, 0)], [false, "disabled", "disabled"]);
  });

  it("counts the 120 h anew after a success", () => {
    const healed = afterSuccess(afterFailure(HEALTHY, 0, 0));
    assert.equal(afterFailure(healed, 121 * HOUR_MS, 121 * HOUR_MS).enabled, true);
  });

  it("leaves a registration alone that was disabled meanwhile", () => {
    const disabled: Health = { ...HEALTHY, enabled: false, state: "disabled" };
    assert.equal(afterFailure(disabled, 0, 0), disabled);
    assert.equal(afterSuccess(disabled), disabled);
  });
});
