import assert from "node:assert/strict";
import { it } from "node:test";
import { bound } from "./bound.ts";

class Counter {
  #count = 0;
  readonly name = "counter";

  add(more: number): number {
    return (this.#count += more);
  }
}

it("bound returns methods that work without their object", () => {
  const { add } = bound(new Counter(), ["add"]);
  assert.deepEqual([add(2), add(3)], [2, 5]);
});

it("bound rejects the name of a property that is not a method", () => {
  assert.throws(() => bound(new Counter(), ["name"]), /"name" is not a method/);
});
