/** What becomes of tests that fail (scripts/test-turns.ts): what fails twice is red, and what passed at the second try is named. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runAll, type Group } from "./test-turns.ts";

const story = (name: string): Group => ({ name, files: [`${name}.test.js`], isOfOneFile: true });

/** @param fails how often the groups of these names fail before they pass */
async function outcome(groups: Group[], fails: Record<string, number>, triesAgain = true) {
  const left = new Map(Object.entries(fails));
  const ran: string[] = [];
  let beside = 0;
  let mostBeside = 0;
  const total = await runAll(
    groups,
    async ({ name }) => {
      ran.push(name);
      mostBeside = Math.max(mostBeside, ++beside);
      await Promise.resolve();
      beside--;
      const more = left.get(name) ?? 0;
      left.set(name, more - 1);
      return more > 0 ? { passed: 1, failed: 1, skipped: 0 } : { passed: 2, failed: 0, skipped: 0 };
    },
    { atOnce: 2, triesAgain },
  );
  return { ...total, ran, mostBeside };
}

describe("turns of tests", () => {
  it("are two at a time, each group once", async () => {
    const { ran, mostBeside, passed, failed, unsteady } = await outcome(["a", "b", "c"].map(story), {});
    assert.deepEqual(
      { ran, mostBeside, passed, failed, unsteady },
      { ran: ["a", "b", "c"], mostBeside: 2, passed: 6, failed: 0, unsteady: [] },
    );
  });

  it("name a story that fails beside others and passes alone, and count it once", async () => {
    const { ran, passed, failed, unsteady } = await outcome(["a", "b", "c"].map(story), { a: 1 });
    assert.deepEqual(
      { ran, passed, failed, unsteady },
      { ran: ["a", "b", "c", "a"], passed: 6, failed: 0, unsteady: ["a"] },
    );
  });

  it("stay red where a story fails twice", async () => {
    const { passed, failed, unsteady } = await outcome([story("a"), story("b")], { a: 2 });
    assert.deepEqual({ passed, failed, unsteady }, { passed: 3, failed: 1, unsteady: [] });
  });

  it("give no second turn to tests that need no browser, to many that fail, nor where it is not asked for", async () => {
    const { ran, failed } = await outcome([{ name: "unit", files: ["a", "b"] }, story("c")], { unit: 1 });
    assert.deepEqual({ ran, failed }, { ran: ["unit", "c"], failed: 1 });
    const many = ["a", "b", "c", "d"];
    assert.equal((await outcome(many.map(story), { a: 1, b: 1, c: 1, d: 1 })).failed, 4);
    assert.equal((await outcome([story("a")], { a: 1 }, false)).failed, 1);
  });
});
