import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { overlaps, sharedGroups } from "./shared-values.ts";

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

describe("values that contain an object of another one", () => {
  it("are those around it and in it, and not its siblings", () => {
    const [a, b] = [{ owner: { name: "x" } }, { owner: { name: "y" } }];
    const near = overlaps([[a, b], a, b, a.owner]).map((places) => [...places].sort((x, y) => x - y));
    assert.deepEqual(near, [
      [0, 1, 2, 3],
      [0, 1, 3],
      [0, 2],
      [0, 1, 3],
    ]);
  });

  it("are siblings that share an object, and values with cycles", () => {
    const owner = {};
    const list: unknown[] = [];
    list.push(list);
    assert.deepEqual(
      overlaps([{ owner }, { owner }, list]).map((places) => [...places].sort((x, y) => x - y)),
      [[0, 1], [0, 1], [2]],
    );
  });
});
