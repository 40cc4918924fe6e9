import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Replay } from "./replay.ts";

/** Asks for outcomes, and notes the order in which they are delivered. */
async function delivered(replay: Replay, asked: readonly (number | undefined)[]): Promise<(number | undefined)[]> {
  const seen: (number | undefined)[] = [];
  await Promise.all(asked.map(async (order) => (await replay.turnOf(order), seen.push(order))));
  return seen;
}

describe("a replay", () => {
  it("delivers outcomes in the order in which they were recorded, not in that of the calls", async () => {
    assert.deepEqual(await delivered(new Replay([7, 3, 5]), [7, 5, 3]), [3, 5, 7]);
  });

  it("delivers an outcome that is next at once", async () => {
    const replay = new Replay([3, 5]);
    let turns = 0;
    const turn = setImmediate(() => turns++);
    await replay.turnOf(3);
    await replay.turnOf(5);
    clearImmediate(turn);
    assert.equal(turns, 0);
  });

  it("delivers outcomes without an order at once", async () => {
    assert.deepEqual(await delivered(new Replay([3]), [undefined, 9]), [undefined, 9]);
  });

  it("does not wait for an earlier outcome that nobody asks for", async () => {
    assert.deepEqual(await delivered(new Replay([3, 5]), [5]), [5]);
  });

  it("lets the code after an outcome run before it delivers the next one", async () => {
    const replay = new Replay([1, 2, 3]);
    const chain = async (): Promise<string> => {
      await replay.turnOf(1);
      await replay.turnOf(2);
      return "chain";
    };
    const late = async (): Promise<string> => (await replay.turnOf(3), "late");
    assert.equal(await Promise.race([late(), chain()]), "chain");
  });

  it("has new outcomes wait until those that were asked for are delivered", async () => {
    const replay = new Replay([1, 2]);
    const seen: string[] = [];
    const old = replay.turnOf(2).then(() => seen.push("old"));
    await replay.settled();
    seen.push("new");
    await old;
    assert.deepEqual(seen, ["old", "new"]);
  });
});
