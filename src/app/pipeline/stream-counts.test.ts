import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StreamCounts } from "./stream-counts.ts";

describe("counts of open streams", () => {
  it("refuse a stream if one of its keys is at its limit, and accept it after another has ended", () => {
    const counts = new StreamCounts();
    const [ada, token] = [
      { key: "client a", most: 2 },
      { key: "token t", most: 3 },
    ];
    const first = counts.take([ada, token]);
    assert.ok(first && counts.take([ada, token]));
    assert.equal(counts.take([ada]), undefined);
    assert.ok(counts.take([{ key: "client b", most: 2 }, token]));
    assert.equal(counts.take([{ key: "client c", most: 2 }, token]), undefined);
    first();
    first();
    assert.ok(counts.take([ada]));
    assert.equal(counts.take([ada]), undefined);
  });

  it("forget keys without open streams", () => {
    const counts = new StreamCounts();
    const releases = Array.from({ length: 100 }, (_, at) => counts.take([{ key: `client ${at}`, most: 1 }]));
    assert.equal(counts.size, 100);
    for (const release of releases) release?.();
    assert.equal(counts.size, 0);
  });
});
