import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../../platform/shared/clock.ts";
import { RefusedCallers } from "./refused-callers.ts";

const MINUTE = 60_000;

describe("the list of refused clients", () => {
  it("is grouped by client and limit, most refused first, with the last target", async () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 2));
    const refused = new RefusedCallers(clock);
    const startMs = clock.now();
    refused.add("203.0.113.9", "actions", "save");
    refused.add("203.0.113.9", "submits", "order");
    await clock.advance(20 * MINUTE);
    refused.add("2001:db8::/64", "actions", "save");
    refused.add("203.0.113.9", "actions", "send");
    const one = { client: "203.0.113.9", first_ms: startMs, last_ms: startMs };
    assert.deepEqual(refused.read(), {
      count: 4,
      callers: [
        { ...one, limit: "actions", target: "send", count: 2, last_ms: clock.now() },
        {
          ...one,
          client: "2001:db8::/64",
          limit: "actions",
          target: "save",
          count: 1,
          first_ms: clock.now(),
          last_ms: clock.now(),
        },
        { ...one, limit: "submits", target: "order", count: 1 },
      ],
    });
  });

  it("is dropped after an hour", async () => {
    const clock = new SimulatedClock(Date.UTC(2026, 0, 2));
    const refused = new RefusedCallers(clock);
    refused.add("203.0.113.9", "actions", "save");
    await clock.advance(54 * MINUTE);
    assert.equal(refused.read().count, 1);
    await clock.advance(6 * MINUTE);
    assert.deepEqual(refused.read(), { count: 0, callers: [] });
  });

  it("stays small under a flood of clients: the most frequent ones are kept, and all refusals are counted", () => {
    const refused = new RefusedCallers(new SimulatedClock());
    for (let at = 0; at < 20_000; at++) {
      refused.add(`10.${at >> 8}.${at & 255}.1`, "actions", "save");
      // It arrives when the list is full, and makes a fifth of all calls.
      if (at >= 1000 && at % 4 === 0) refused.add("203.0.113.9", "actions", "save");
    }
    const { count, callers } = refused.read();
    assert.deepEqual([count, callers.length], [24_750, 50]);
    assert.equal(callers[0]?.client, "203.0.113.9");
    const reported = callers[0]?.count ?? 0;
    assert.ok(reported > 4700 && reported <= 4750, String(reported));
  });
});
