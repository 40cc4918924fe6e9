import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { accountLimit } from "./account-limit.ts";

const REFUSED = { code: "SVC_RATE_LIMIT", status: 429 };

describe("The limit of an account", () => {
  it("refuses attempts after the wrong ones of a minute, for this account alone and for a minute", async () => {
    const clock = new SimulatedClock();
    const limit = accountLimit({ perMinute: 3, clock });
    for (let wrong = 0; wrong < 3; wrong++) await limit.attempt("ada");
    await assert.rejects(limit.attempt("ada"), (error: { headers: Record<string, string> } & Error) => {
      assert.equal(error.headers["retry-after"], "60");
      return true;
    });
    await assert.rejects(limit.attempt("ada"), REFUSED);
    await limit.attempt("grace");
    await clock.advance(60_000);
    await limit.attempt("ada");
  });

  it("does not count right attempts, and counts those that have not ended yet", async () => {
    const limit = accountLimit({ perMinute: 2, clock: new SimulatedClock() });
    for (let right = 0; right < 50; right++) {
      await limit.attempt("ada");
      await limit.succeeded("ada");
    }
    await limit.attempt("ada");
    await limit.attempt("ada");
    await assert.rejects(limit.attempt("ada"), REFUSED);
  });

  it("accepts only whole numbers of at least 1", () => {
    for (const perMinute of [0, -1, 1.5, Number.NaN])
      assert.throws(() => accountLimit({ perMinute }), { code: "SVC_DEFINITION" });
    assert.throws(() => accountLimit({ name: "a b" }), { code: "SVC_DEFINITION" });
  });
});
