import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { App } from "../../index.ts";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { StateFeed } from "./state-feed.ts";

/** A feed with a state that the test controls. */
class FakeFeed extends StateFeed {
  part = "one";
  fails = false;

  protected async read(): Promise<Map<string, string>> {
    if (this.fails) throw new Error("The database is locked");
    return new Map([["part", this.part]]);
  }
}

function follow() {
  const clock = new SimulatedClock();
  const errors: unknown[] = [];
  const feed = new FakeFeed({} as App, (error) => errors.push(error), clock);
  return { clock, errors, feed };
}

describe("A feed about the whole process", () => {
  it("notifies a follower that joined between two equal reads of the next change", async () => {
    const { clock, feed } = follow();
    await clock.advance(1500);
    const { cursor } = (await feed.since("")) ?? assert.fail();
    await clock.advance(1000);
    const still = (await feed.since(cursor))?.cursor ?? cursor;
    feed.part = "two";
    const seen = feed.version;
    await clock.advance(1000);
    assert.notEqual(feed.version, seen);
    assert.deepEqual((await feed.since(still))?.patch, { parts: { part: "two" } });
    feed.stop();
  });

  it("does not mistake a cursor from another server for its own", async () => {
    const [one, two] = [follow(), follow()];
    two.feed.part = "of the other";
    await one.clock.advance(60_000);
    await two.clock.advance(120_000);
    const { cursor } = (await one.feed.since("")) ?? assert.fail();
    assert.deepEqual((await two.feed.since(cursor))?.patch, { parts: { part: "of the other" } });
    one.feed.stop();
    two.feed.stop();
  });

  it("reads again after a failed read", async () => {
    const { clock, errors, feed } = follow();
    await clock.advance(100);
    const { cursor } = (await feed.since("")) ?? assert.fail();
    feed.fails = true;
    await clock.advance(2000);
    assert.ok(errors.length > 0);
    feed.fails = false;
    feed.part = "two";
    await clock.advance(5000);
    assert.deepEqual((await feed.since(cursor))?.patch, { parts: { part: "two" } });
    feed.stop();
  });
});
