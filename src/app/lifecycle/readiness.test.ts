import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { recordLog } from "../../testing/log.ts";
import { Readiness, type ReadyChecks } from "./readiness.ts";

function rig(checks: ReadyChecks) {
  const [clock, log] = [new SimulatedClock(), recordLog()];
  return { clock, log, readiness: new Readiness(checks, clock, log) };
}

describe("the readiness check", () => {
  it("reports checks that throw, reject or never end, each with its own timeout", async () => {
    const { clock, readiness } = rig({
      passes: () => true,
      throws: () => assert.fail("no"),
      rejects: async () => assert.fail("no"),
      hangs: () => new Promise(() => undefined),
    });
    const failed = readiness.failed();
    await clock.advance(2000);
    assert.deepEqual(await failed, ["throws", "rejects", "hangs"]);
    assert.equal(clock.pending, 0);
  });

  it("aborts the signal of a check at its timeout", async () => {
    let given: AbortSignal | undefined;
    const { clock, readiness } = rig({ hangs: (signal) => new Promise(() => (given = signal)) });
    const failed = readiness.failed();
    await clock.advance(1999);
    assert.equal(given?.aborted, false);
    await clock.advance(1);
    await failed;
    assert.equal(given?.aborted, true);
  });

  it("runs once for concurrent probes, and again after a second", async () => {
    let asked = 0;
    const { clock, readiness } = rig({ counted: () => void asked++ });
    await Promise.all([readiness.failed(), readiness.failed()]);
    await clock.advance(999);
    await readiness.failed();
    assert.equal(asked, 1);
    await clock.advance(1);
    await readiness.failed();
    assert.equal(asked, 2);
  });

  it("runs again after a second even if the clock was set back", async () => {
    let asked = 0;
    const { clock, readiness } = rig({ counted: () => void asked++ });
    await readiness.failed();
    clock.aheadMs = -3_600_000;
    await clock.advance(1000);
    await readiness.failed();
    assert.equal(asked, 2);
  });

  it("logs once when a check starts to fail and once when it passes again", async () => {
    let isDown = true;
    const { clock, log, readiness } = rig({ database: () => assert.ok(!isDown, "connection refused") });
    for (const state of [true, true, true, false, false]) {
      isDown = state;
      await readiness.failed();
      await clock.advance(1000);
    }
    assert.deepEqual(
      log.entries.map(({ level, fields }) => [level, fields["check"]]),
      [
        ["warn", "database"],
        ["info", "database"],
      ],
    );
    assert.match(log.texts[0] ?? "", /connection refused/);
  });
});
