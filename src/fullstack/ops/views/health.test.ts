import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { healthOf } from "./health.ts";

const HOUR: Parameters<typeof healthOf>[1] = {
  started: 0,
  done: 0,
  failed: 0,
  p50_ms: null,
  p95_ms: null,
  p99_ms: null,
};

function toldOf(disk: number | null): [word: string, reasons: string] {
  const delivery = { oldest_waiting_ms: 0 };
  const { word, reasons } = healthOf({ status: "ready", delivery, disk_free_bytes: disk }, HOUR, [], 0);
  return [word, reasons.join()];
}

describe("the health of an app", () => {
  it("needs a look where the database's disk is nearly full", () => {
    const [word, reasons] = toldOf(120_000_000);
    assert.equal(word, "needs a look");
    assert.match(reasons, /has 120 MB left/);
  });

  it("does not where there is room, or the disk is another's", () => {
    assert.deepEqual(
      [toldOf(5e9), toldOf(null)],
      [
        ["all is well", ""],
        ["all is well", ""],
      ],
    );
  });
});
