import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../shared/clock.ts";
import { recordLog } from "../testing/log.ts";
import { Drain } from "./drain.ts";

describe("a drain", () => {
  for (const setMs of [-3_600_000, 3_600_000])
    it(`leaves to graphs and deliveries what requests have left, when the clock is set by ${setMs} ms meanwhile`, async () => {
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
});
