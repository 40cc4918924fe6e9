import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HeldClock } from "../engine/engine.testkit.ts";
import { Starts } from "./start-throttle.ts";

const turn = (): Promise<void> => new Promise((next) => setImmediate(next));

describe("the start throttle", () => {
  const begun = () => {
    const clock = new HeldClock();
    const starts = new Starts(clock);
    const order: string[] = [];
    const add = (name: string, heldMs: number): void =>
      starts.add(() => {
        order.push(name);
        clock.heldMs += heldMs;
      });
    return { order, add };
  };

  it("starts attempts one after another if they are short", () => {
    const { order, add } = begun();
    for (const name of ["a", "b", "c"]) add(name, 1);
    assert.deepEqual(order, ["a", "b", "c"]);
  });

  it("yields to the event loop after each start that blocked it, and keeps the order", async () => {
    const { order, add } = begun();
    add("a", 500);
    add("b", 500);
    add("c", 1);
    add("d", 1);
    assert.deepEqual(order, ["a"]);
    setImmediate(() => order.push("somebody else"));
    await turn();
    await turn();
    add("e", 1);
    assert.deepEqual(order, ["a", "b", "somebody else", "c", "d", "e"]);
  });
});
