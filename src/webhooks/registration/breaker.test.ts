import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { afterFailure, afterSuccess, HEALTHY, phaseOf, type Health } from "./breaker.ts";

const HOUR_MS = 3_600_000;

/** Fails `count` times in a row, each time as soon as the breaker allows an attempt. */
function failing(count: number, startMs = 0): { health: Health; nowMs: number } {
  let health: Health = HEALTHY;
  let nowMs = startMs;
  for (let failure = 0; failure < count; failure++) {
    nowMs = Math.max(nowMs, health.openUntilMs ?? 0);
    health = afterFailure(health, nowMs, nowMs);
  }
  return { health, nowMs };
}

describe("the circuit breaker", () => {
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

  it("ignores an attempt that began before it opened", () => {
    const { health } = failing(10, 1000);
    assert.equal(afterFailure(health, 500, 1200), health);
  });

  it("closes with one success, which writes nothing if it was already closed", () => {
    assert.deepEqual(afterSuccess(failing(12).health), HEALTHY);
    assert.deepEqual(afterSuccess(failing(1).health), HEALTHY);
    assert.equal(afterSuccess(HEALTHY), HEALTHY);
  });

  it("disables the registration after 120 h of failures only, not before", () => {
    const first = afterFailure(HEALTHY, 0, 0);
    const before = afterFailure(first, 120 * HOUR_MS - 1, 120 * HOUR_MS - 1);
    assert.equal(before.enabled, true);
    const after = afterFailure(before, 120 * HOUR_MS, 120 * HOUR_MS);
    assert.deepEqual([after.enabled, after.state, phaseOf(after, 0)], [false, "disabled", "disabled"]);
  });

  it("restarts the 120 h after a success", () => {
    const healed = afterSuccess(afterFailure(HEALTHY, 0, 0));
    assert.equal(afterFailure(healed, 121 * HOUR_MS, 121 * HOUR_MS).enabled, true);
  });

  it("does not change a registration that was disabled meanwhile", () => {
    const disabled: Health = { ...HEALTHY, enabled: false, state: "disabled" };
    assert.equal(afterFailure(disabled, 0, 0), disabled);
    assert.equal(afterSuccess(disabled), disabled);
  });
});
