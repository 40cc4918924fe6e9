import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Lengths, spreadingOf, type Load } from "./work-sharing-policy.ts";

/** A hundred that wait for sixteen places, of which each takes 200 ms: 1.25 s of work. */
const LONG: Load = {
  spread: "auto",
  waiting: 100,
  places: 16,
  lengthMs: 200,
  heldMs: 0,
  sinceStartMs: 10,
  isSpread: false,
};
const isWanted = (load: Partial<Load>): boolean => spreadingOf({ ...LONG, ...load }).isWanted;
const placesOf = (load: Partial<Load>): number => spreadingOf({ ...LONG, ...load }).places;

describe("what waits for a place", () => {
  it("is spread where it is more than a second of work, in nodes that are long enough", () => {
    assert.equal(isWanted({}), true);
    assert.equal(isWanted({ waiting: 80 }), false, "a second, no more");
    assert.equal(isWanted({ waiting: 81 }), true);
    assert.equal(isWanted({ waiting: 40, places: 8 }), false);
    assert.equal(isWanted({ waiting: 41, places: 8 }), true);
    assert.equal(isWanted({ waiting: 6, places: 1 }), true);
  });

  it("stays where it is however much it is, where nodes are short", () => {
    assert.equal(isWanted({ waiting: 1_000_000, lengthMs: 49 }), false);
    assert.equal(isWanted({ waiting: 1_000_000, lengthMs: 50 }), true);
    assert.equal(isWanted({ waiting: 1_000_000, lengthMs: 0.3 }), false);
  });

  it("stays where nothing is known of it yet", () => {
    assert.equal(isWanted({ waiting: 1000, lengthMs: undefined, sinceStartMs: 0 }), false);
  });

  it("is spread before the first has ended, or after they were shorter, once none has left its place for so long", () => {
    assert.equal(isWanted({ lengthMs: undefined, sinceStartMs: 161 }), true);
    assert.equal(isWanted({ lengthMs: undefined, sinceStartMs: 160 }), false);
    assert.equal(isWanted({ lengthMs: 2, sinceStartMs: 500 }), true);
    assert.equal(isWanted({ lengthMs: 2, sinceStartMs: 500, waiting: 10 }), false, "a third of a second");
  });

  it("is as much as the loop has to do where nodes hold it up, whatever places there are", () => {
    assert.equal(isWanted({ waiting: 11, lengthMs: 100, heldMs: 100 }), true);
    assert.equal(isWanted({ waiting: 10, lengthMs: 100, heldMs: 100 }), false);
    assert.equal(isWanted({ waiting: 11, lengthMs: 100, heldMs: 10 }), false);
  });

  it("goes on being spread until nothing waits, or nodes are half as long as they were to be", () => {
    assert.equal(isWanted({ isSpread: true, waiting: 1 }), true);
    assert.equal(isWanted({ isSpread: true, waiting: 0 }), false);
    assert.equal(isWanted({ isSpread: true, waiting: 1, lengthMs: 25 }), true);
    assert.equal(isWanted({ isSpread: true, waiting: 1000, lengthMs: 24 }), false);
  });

  it("is spread always, or never, where its author says so", () => {
    assert.equal(isWanted({ spread: "always", waiting: 1, lengthMs: undefined, sinceStartMs: 0 }), true);
    assert.equal(isWanted({ spread: "always", waiting: 0 }), false);
    assert.equal(isWanted({ spread: "never", waiting: 10_000, lengthMs: 60_000 }), false);
    assert.equal(isWanted({ spread: "never", isSpread: true }), false);
  });

  it("leaves nodes that do nothing but hold up the loop two places here, and all others theirs", () => {
    assert.equal(placesOf({ lengthMs: 200, heldMs: 200 }), 2);
    assert.equal(placesOf({ lengthMs: 200, heldMs: 200, places: 1 }), 1);
    assert.equal(placesOf({ lengthMs: 200, heldMs: 150 }), 16, "they wait for something as well");
    assert.equal(placesOf({ lengthMs: 20, heldMs: 20 }), 16, "they are short");
    assert.equal(placesOf({ lengthMs: undefined }), 16);
  });
});

describe("the length of attempts", () => {
  it("is not known before one has ended", () => {
    const lengths = new Lengths();
    assert.deepEqual([lengths.lengthMs, lengths.heldMs], [undefined, 0]);
  });

  it("is the mean of the first", () => {
    const lengths = new Lengths();
    for (const ms of [100, 200, 300]) lengths.add(ms, ms / 2);
    assert.deepEqual([Math.round(lengths.lengthMs ?? 0), Math.round(lengths.heldMs)], [200, 100]);
  });

  it("follows what changes: of long ones before, little is left after some dozens of short ones", () => {
    const lengths = new Lengths();
    for (let at = 0; at < 1000; at++) lengths.add(10_000, 0);
    for (let at = 0; at < 100; at++) lengths.add(1, 0);
    assert.ok((lengths.lengthMs ?? 0) < 50, String(lengths.lengthMs));
  });
});
