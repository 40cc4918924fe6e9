import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { silentLog } from "../../platform/shared/log.ts";
import { Rounds } from "./sweeper.ts";

describe("the sweeper of a process", () => {
  function rig() {
    const looks: string[] = [];
    const clock = new SimulatedClock(0);
    const state = { me: "p_1" as string | undefined };
    const rounds = new Rounds({
      clock,
      log: silentLog,
      me: () => state.me,
      always: [(me) => Promise.reject(new Error(me)), (me) => void looks.push(`always, ${me}`)],
      seldom: [async (me) => looks.push(`seldom, ${me}`)],
    });
    rounds.start();
    return { looks, clock, state, rounds };
  }

  it("runs every five seconds, with the expensive part every thirty seconds, also after a failure", async () => {
    const { looks, clock } = rig();
    await clock.advance(29_999);
    assert.deepEqual(
      looks,
      Array.from({ length: 5 }, () => "always, p_1"),
    );
    await clock.advance(1);
    assert.deepEqual(looks.slice(5), ["always, p_1", "seldom, p_1"]);
  });

  it("waits until the other processes have listed this one", async () => {
    const { looks, clock, state } = rig();
    state.me = undefined;
    await clock.advance(10_000);
    state.me = "p_2";
    await clock.advance(5000);
    assert.deepEqual(looks, ["always, p_2"]);
  });

  it("stops when it is closed", async () => {
    const { looks, clock, rounds } = rig();
    rounds.close();
    rounds.start();
    await clock.advance(60_000);
    assert.deepEqual([looks, clock.pending], [[], 0]);
  });
});
