import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { recordLog } from "../../testing/log.ts";
import { Drain } from "./drain.ts";

describe("a drain", () => {
  for (const setMs of [-3_600_000, 3_600_000])
    it(`gives runs and deliveries the time that requests have left, even if the clock is set by ${setMs} ms meanwhile`, async () => {
      const clock = new SimulatedClock();
      const close = async (): Promise<number> => {
        await clock.advance(4000);
        clock.aheadMs = setMs;
        return 0;
      };
      const drain = new Drain({ deadline: "10s" }, clock);
      const { leftMs } = await drain.sockets({ url: "", port: 0, close }, () => undefined, recordLog());
      assert.equal(leftMs, 6000);
    });

  it("continues if a part fails, and logs the error", async () => {
    const log = recordLog();
    const closed: string[] = [];
    const fails = (what: string) => async () => assert.fail(`${what} is broken`);
    const closes = (what: string) => ({ close: async () => void closed.push(what) });
    const ending = {
      deferred: { close: fails("held") },
      cluster: { drain: fails("cluster"), close: fails("cluster") },
      engine: closes("engine"),
      webhooks: { close: fails("webhooks") },
      activity: { close: fails("activity") },
      limits: closes("limits"),
      store: closes("store"),
      log,
    } as unknown as Parameters<Drain["work"]>[0];
    await new Drain({}, new SimulatedClock()).work(ending, 0);
    assert.deepEqual(closed, ["engine", "limits", "store"]);
    assert.equal(log.entries.filter(({ message }) => /Failed to close /.test(message)).length, 5);
  });
});
