import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { healthOf } from "./health.ts";

const HOUR: Parameters<typeof healthOf>[1] = {
  started: 0,
  done: 0,
  failed: 0,
  cancelled: 0,
  p50_ms: null,
  p95_ms: null,
  p99_ms: null,
};

const NOW_MS = 1_000_000;

function healthIn(
  disk: number | null,
  processes: Parameters<typeof healthOf>[0]["processes"] = [],
  parked = 0,
): [word: string, reasons: string] {
  const delivery = { oldest_waiting_ms: 0 };
  const status = { status: "ready", graphs: { parked }, delivery, disk_free_bytes: disk, processes } as const;
  const { word, reasons } = healthOf(status, HOUR, [], 0, NOW_MS);
  return [word, reasons.join()];
}

function processOf(host: string, upMs: number, p99Ms: number | null) {
  const more = { id: host, role: "all", workers: [], build: "b1", silent_ms: 0, memory_bytes: 1e8 };
  return { ...more, host, started_ms: NOW_MS - upMs, loop_p99_ms: p99Ms };
}

describe("The health of an app", () => {
  it("is degraded if the database's disk is nearly full", () => {
    const [word, reasons] = healthIn(120_000_000);
    assert.equal(word, "Degraded");
    assert.match(reasons, /has 120 MB left/);
  });

  it("is degraded if runs are parked", () => {
    assert.match(
      healthIn(null, [], 1)[1],
      /^1 run is parked: start a build with the definition of this run, or cancel it$/,
    );
  });

  it("is good if the disk has room, or is not known", () => {
    assert.deepEqual(
      [healthIn(5e9), healthIn(null)],
      [
        ["Healthy", ""],
        ["Healthy", ""],
      ],
    );
  });

  it("is degraded if an event loop lags, names the slowest process, and ignores processes that have just started", () => {
    const slow = [processOf("box/1", 90_000, 700), processOf("box/2", 90_000, 1250), processOf("box/3", 90_000, null)];
    const [word, reasons] = healthIn(null, slow);
    assert.equal(word, "Degraded");
    assert.match(reasons, /event-loop lag p99 of box\/2 is 1\.25 s/);
    assert.equal(healthIn(null, [processOf("box/1", 20_000, 1250), processOf("box/2", 90_000, 12)])[0], "Healthy");
  });
});
