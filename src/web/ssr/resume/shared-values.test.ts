import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sharedGroups } from "./shared-values.ts";

const groupsOf = (contents: unknown[], stores: number[] = []) =>
  sharedGroups(contents, (at) => stores.includes(at)).map(({ members, inStores }) => [members, [...inStores]]);

describe("groups of values that share objects", () => {
  it("are empty if no object is in two values", () => {
    assert.deepEqual(groupsOf([1, "a", null, { a: [1] }, { a: [1] }, [2]]), []);
  });

  it("contain a part and its whole, with any number of values between them", () => {
    const part = { n: 1 };
    assert.deepEqual(groupsOf([part, 5, { other: true }, { deep: [new Map([["k", part]])] }]), [[[0, 3], []]]);
  });

  it("contain values that share a nested object", () => {
    const shared = {};
    assert.deepEqual(groupsOf([[shared], { shared }, new Set([shared]), [{}]]), [[[0, 1, 2], []]]);
  });

  it("contain each value once, regardless of how the values are connected", () => {
    const [a, b] = [{ name: "a" }, { name: "b" }];
    assert.deepEqual(groupsOf([[a], [b], [a, b], { x: 1 }]), [[[0, 1, 2], []]]);
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    assert.deepEqual(groupsOf([cycle, [cycle]]), [[[0, 1], []]]);
  });

  it("list the values that are inside a store", () => {
    const part = { n: 1 };
    assert.deepEqual(groupsOf([part, { part }, [part]], [1]), [
      [
        [0, 1, 2],
        [0, 1],
      ],
    ]);
  });
});
