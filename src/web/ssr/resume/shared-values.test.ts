import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sharedGroups } from "./shared-values.ts";

const groupsOf = (contents: unknown[], stores: number[] = []) =>
  sharedGroups(contents, (at) => stores.includes(at)).map(({ members, inStores }) => [members, [...inStores]]);

describe("values that hold the same objects", () => {
  it("are none where no object is in two of them", () => {
    assert.deepEqual(groupsOf([1, "a", null, { a: [1] }, { a: [1] }, [2]]), []);
  });

  it("are a part and its whole, over any number of others", () => {
    const part = { n: 1 };
    assert.deepEqual(groupsOf([part, 5, { other: true }, { deep: [new Map([["k", part]])] }]), [[[0, 3], []]]);
  });

  it("are those that share what neither of them is", () => {
    const shared = {};
    assert.deepEqual(groupsOf([[shared], { shared }, new Set([shared]), [{}]]), [[[0, 1, 2], []]]);
  });

  it("are told once, however they hang together", () => {
    const [a, b] = [{ name: "a" }, { name: "b" }];
    assert.deepEqual(groupsOf([[a], [b], [a, b], { x: 1 }]), [[[0, 1, 2], []]]);
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    assert.deepEqual(groupsOf([cycle, [cycle]]), [[[0, 1], []]]);
  });

  it("are reactive where they lie within a store", () => {
    const part = { n: 1 };
    assert.deepEqual(groupsOf([part, { part }, [part]], [1]), [
      [
        [0, 1, 2],
        [0, 1],
      ],
    ]);
  });
});
