import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../shared/clock.ts";
import { LINK_MINUTES, OneTimeLink } from "./one-time-link.ts";

describe("a one-time link", () => {
  it("works once", () => {
    const link = new OneTimeLink(new SimulatedClock());
    const token = link.issue();
    assert.deepEqual([link.redeem(token), link.redeem(token)], [true, false]);
  });

  it("survives invalid tokens, and does not work before one was issued", () => {
    const link = new OneTimeLink(new SimulatedClock());
    assert.deepEqual([link.redeem(""), link.redeem("undefined")], [false, false]);
    const token = link.issue();
    assert.deepEqual([link.redeem(""), link.redeem(token.slice(1)), link.redeem(token)], [false, false, true]);
  });

  it("expires", async () => {
    const clock = new SimulatedClock();
    const link = new OneTimeLink(clock);
    const token = link.issue();
    await clock.advance(LINK_MINUTES * 60_000);
    assert.equal(link.redeem(token), false);
  });

  it("is replaced by the next one", () => {
    const link = new OneTimeLink(new SimulatedClock());
    const [first, second] = [link.issue(), link.issue()];
    assert.deepEqual([link.redeem(first), link.redeem(second)], [false, true]);
  });

  it("has 256 random bits, and an issuer id for its process", () => {
    const clock = new SimulatedClock();
    const links = Array.from({ length: 20 }, () => new OneTimeLink(clock));
    assert.equal(new Set(links.map((link) => link.issue())).size, 20);
    assert.equal(new Set(links.map(({ issuer }) => issuer)).size, 20);
    assert.match(new OneTimeLink(clock).issue(), /^[0-9a-f]{64}$/);
  });
});
