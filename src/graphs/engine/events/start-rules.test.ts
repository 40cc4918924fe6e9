import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GroupedEvent, StartGroupRow } from "../../../storage/contract/start-groups.ts";
import type { StartRules } from "../../definition/start-rule-types.ts";
import { decideStart } from "./start-rules.ts";

/** Applies events at these times, and returns the times at which runs may start. */
function starts(rules: StartRules, timesMs: readonly number[]): number[] {
  let open: StartGroupRow | undefined;
  const found: number[] = [];
  for (const [at, nowMs] of timesMs.entries()) {
    if (open && open.dueMs <= nowMs) open = undefined;
    const event: GroupedEvent = { id: `e${at}`, name: "x", sentMs: nowMs, data: at };
    for (const row of decideStart(rules, { graph: "g", key: "", event, nowMs, inputBytes: 1000 }, open))
      if (row.isOpen) open = row;
      else found.push(row.dueMs);
  }
  return found;
}

describe("A throttle", () => {
  it("lets `limit` and `burst` runs start at once, then one every `period / limit`", () => {
    const times = [0, 500, 1000, 1500, 2000, 2500];
    assert.deepEqual(
      starts({ throttle: { limit: 2, period: "6s", burst: 1 } }, times),
      [0, 500, 1000, 3000, 6000, 9000],
    );
    assert.deepEqual(starts({ throttle: { limit: 1, period: "5s" } }, [0, 0, 0, 20_000]), [0, 0, 5000, 20_000]);
  });

  it("with a rate above one per millisecond and with fractions keeps its rate", () => {
    const many = starts(
      { throttle: { limit: 7, period: 1000, burst: 1 } },
      Array.from({ length: 22 }, () => 0),
    );
    assert.deepEqual([many[7], many[8], many[21]], [0, 143, 2000]);
  });
});

describe("A rate limit", () => {
  it("starts `limit` runs per period, which begins with the first event, and drops the others", () => {
    assert.deepEqual(
      starts({ rateLimit: { limit: 2, period: "10s" } }, [0, 9000, 9500, 10_000, 10_001, 10_002]),
      [0, 9000, 10_000, 10_001],
    );
  });
});
