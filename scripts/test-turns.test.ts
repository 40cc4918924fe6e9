/** Handling of failed tests (scripts/test-turns.ts): two failures are red, and a pass at the second try is reported as unsteady. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runAll, type Group } from "./test-turns.ts";

const story = (name: string): Group => ({ name, files: [`${name}.test.js`], isOfOneFile: true });

/** @param fails number of failures of each named group before it passes */
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

describe("The scheduler of test groups", () => {
  it("runs two groups at a time, each once", async () => {
    const { ran, mostBeside, passed, failed, unsteady } = await outcome(["a", "b", "c"].map(story), {});
    assert.deepEqual(
      { ran, mostBeside, passed, failed, unsteady },
      { ran: ["a", "b", "c"], mostBeside: 2, passed: 6, failed: 0, unsteady: [] },
    );
  });

  it("reports a story that fails next to others and passes alone as unsteady, and counts it once", async () => {
    const { ran, passed, failed, unsteady } = await outcome(["a", "b", "c"].map(story), { a: 1 });
    assert.deepEqual(
      { ran, passed, failed, unsteady },
      { ran: ["a", "b", "c", "a"], passed: 6, failed: 0, unsteady: ["a"] },
    );
  });

  it("counts a story that fails twice as failed", async () => {
    const { passed, failed, unsteady } = await outcome([story("a"), story("b")], { a: 2 });
    assert.deepEqual({ passed, failed, unsteady }, { passed: 3, failed: 1, unsteady: [] });
  });

  it("repeats no tests without a browser, no long list of failures, and nothing unless requested", async () => {
    const { ran, failed } = await outcome([{ name: "unit", files: ["a", "b"] }, story("c")], { unit: 1 });
    assert.deepEqual({ ran, failed }, { ran: ["unit", "c"], failed: 1 });
    const many = ["a", "b", "c", "d"];
    assert.equal((await outcome(many.map(story), { a: 1, b: 1, c: 1, d: 1 })).failed, 4);
    assert.equal((await outcome([story("a")], { a: 1 }, false)).failed, 1);
  });
});
