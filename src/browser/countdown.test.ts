import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { countdown, type Timers } from "./countdown.ts";

/** Timers that are moved by hand. */
function byHand(): Timers & { move: (ms: number) => void } {
  let time = 1000;
  let next: { run: () => void; at: number } | undefined;
  return {
    now: () => time,
    set: (run, ms) => (next = { run, at: time + ms }),
    clear: () => (next = undefined),
    move(ms) {
      const end = time + ms;
      const due = next;
      if (due && due.at <= end) {
        next = undefined;
        time = due.at;
        due.run();
      }
      time = end;
    },
  };
}

describe("a countdown", () => {
  it("ends when its time is over, once", () => {
    const timers = byHand();
    let ends = 0;
    countdown(500, () => ends++, timers);
    timers.move(499);
    assert.equal(ends, 0);
    timers.move(1);
    timers.move(9999);
    assert.equal(ends, 1);
  });

  it("does not run while it is held, and goes on with what was left, however often either is asked for", () => {
    const step = fc.record({ ms: fc.integer({ min: 0, max: 300 }), isHeld: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), fc.array(step), (ms, steps) => {
        const timers = byHand();
        let hasEnded = false;
        const clock = countdown(ms, () => (hasEnded = true), timers);
        let run = 0;
        for (const { ms: forMs, isHeld } of steps) {
          if (hasEnded) break;
          if (isHeld) clock.hold();
          else clock.goOn();
          timers.move(forMs);
          if (!isHeld) run += forMs;
          assert.equal(hasEnded, run >= ms);
        }
      }),
    );
  });
});
