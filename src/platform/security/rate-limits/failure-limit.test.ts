import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../shared/clock.ts";
import { FailureLimit } from "./failure-limit.ts";

const CLIENT = "203.0.113.9";

function limitOf(clock = new SimulatedClock(), onRefused?: (...refusal: unknown[]) => void): FailureLimit {
  return new FailureLimit({ name: "keys", perMinute: 3, clock, onRefused });
}

describe("a failure limit", () => {
  it("refuses a client after the maximum number of failures, with the time to wait", async () => {
    const clock = new SimulatedClock();
    const limit = limitOf(clock);
    for (let at = 0; at < 3; at++) {
      assert.equal(limit.refusal(CLIENT), undefined);
      limit.failed(CLIENT);
    }
    await clock.advance(20_500);
    const headers = limit.refusal(CLIENT) ?? [];
    assert.equal(headers[headers.indexOf("retry-after") + 1], "40");
    await clock.advance(40_000);
    assert.equal(limit.refusal(CLIENT), undefined);
  });

  it("does not count successes", () => {
    const limit = limitOf();
    for (let at = 0; at < 100; at++) assert.equal(limit.refusal(CLIENT), undefined);
  });

  it("counts each client separately, and IPv6 clients by network", () => {
    const limit = limitOf();
    for (let at = 0; at < 3; at++) limit.failed(`2001:db8:1:2::${at}`);
    assert.ok(limit.refusal("2001:db8:1:2:ffff::1"));
    assert.equal(limit.refusal("2001:db8:1:3::1"), undefined);
    assert.equal(limit.refusal(CLIENT), undefined);
  });

  it("refuses an IPv6 /48 whose networks fail 16 times as often as one client may", () => {
    const limit = limitOf();
    for (let at = 0; at < 3 * 16; at++) {
      assert.equal(limit.refusal(`2001:db8:1:${at.toString(16)}::1`), undefined);
      limit.failed(`2001:db8:1:${at.toString(16)}::1`);
    }
    assert.ok(limit.refusal("2001:db8:1:ffff::1"));
    assert.equal(limit.refusal("2001:db8:2::1"), undefined);
  });

  it("reports each refusal", () => {
    const refusals: unknown[] = [];
    const limit = limitOf(new SimulatedClock(), (...refusal) => refusals.push(refusal));
    for (let at = 0; at < 3; at++) limit.failed(CLIENT);
    limit.refusal(CLIENT, "/_svc/graphs");
    assert.deepEqual(refusals, [["keys", CLIENT, "/_svc/graphs"]]);
  });
});
