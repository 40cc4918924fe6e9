import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Clock } from "../../index.ts";
import type { Change } from "../../ops.ts";
import { ChangeLog, type Subject } from "./change-log.ts";
import { ChangesFeed } from "./changes-feed.ts";

const FIRST = 1000;

function logOf(...changes: Change[]): ChangeLog {
  const log = new ChangeLog(FIRST);
  for (const change of changes) log.note(change);
  return log;
}

describe("what has changed", () => {
  it("is told of by what it is, and of graphs one by one as well", () => {
    const log = logOf({ of: "graph", id: "a" }, { of: "webhooks" });
    const flash = (since: number): Subject[] =>
      (["graphs", "graph:a", "graph:b", "webhooks", "controls", "processes"] as const).filter((subject) =>
        log.hasChanged([subject], since),
      );
    assert.deepEqual(flash(FIRST), ["graphs", "graph:a", "webhooks"]);
    assert.deepEqual(flash(FIRST + 1), ["webhooks"]);
    assert.deepEqual(flash(FIRST + 2), []);
  });

  it("is everything, where another process may have written what it told nobody", () => {
    const log = logOf({ of: "all" });
    for (const subject of ["graphs", "graph:b", "webhooks", "controls", "processes"] as const)
      assert.equal(log.hasChanged([subject], FIRST), true, subject);
  });

  it("is everything for a number that is from another server, or none", () => {
    const log = logOf({ of: "webhooks" });
    for (const since of [FIRST - 1, FIRST + 2, Number.NaN]) assert.equal(log.hasChanged(["graphs"], since), true);
  });

  it("is never kept from who follows a graph, however many others change, and told too often of none that changed last", () => {
    const ids = fc.constantFrom("a", "b", "c");
    const others = fc.integer({ min: 0, max: 1200 });
    fc.assert(
      fc.property(fc.array(fc.tuple(ids, others), { maxLength: 4 }), ids, (steps, followed) => {
        const log = new ChangeLog(FIRST);
        let last = FIRST;
        for (const [id, count] of steps) {
          log.note({ of: "graph", id });
          if (id === followed) last = log.at;
          for (let at = 0; at < count; at++) log.note({ of: "graph", id: `other-${at}` });
        }
        assert.equal(last === FIRST || log.hasChanged([`graph:${followed}`], last - 1), true);
        assert.equal(log.hasChanged([`graph:other-0`], log.at), false);
      }),
      { numRuns: 30 },
    );
  });
});

describe("the stream of a screen", () => {
  const fail = (error: unknown): void => assert.fail(String(error));
  const soon = (): Promise<void> => new Promise((done) => setImmediate(done));

  it("says once that something has changed to who has seen less, and nothing to who has seen it", async () => {
    const log = logOf();
    const feed = new ChangesFeed(log, ["webhooks"], fail);
    assert.equal(await feed.since(String(FIRST)), undefined);
    log.note({ of: "webhooks" });
    while (feed.version === 0) await soon();
    const news = await feed.since(String(FIRST));
    assert.deepEqual(news, { cursor: String(FIRST + 1), patch: { parts: { changed: "" } } });
    assert.equal(await feed.since(String(FIRST + 1)), undefined);
    feed.stop();
  });

  it("moves who follows other things on without a word", async () => {
    const log = logOf({ of: "webhooks" });
    const feed = new ChangesFeed(log, ["controls"], fail);
    assert.deepEqual(await feed.since(String(FIRST)), { cursor: String(FIRST + 1), patch: {} });
    feed.stop();
  });

  it("tells who comes from another server, or was there before this one began", async () => {
    const feed = new ChangesFeed(logOf(), ["controls"], fail);
    for (const cursor of ["", "7", String(FIRST + 5)])
      assert.deepEqual(await feed.since(cursor), { cursor: String(FIRST), patch: { parts: { changed: "" } } }, cursor);
    feed.stop();
  });

  it("keeps what comes within a second for the end of it, however often it is asked", async () => {
    const due: (() => void)[] = [];
    const clock: Clock = {
      now: () => 0,
      elapsed: () => 0,
      schedule: (ms, run) => (due[ms] = run) && { cancel: () => undefined },
    };
    const log = logOf();
    const feed = new ChangesFeed(log, ["graphs"], fail, clock);
    log.note({ of: "graph", id: "a" });
    while (feed.version === 0) await soon();
    for (let at = 0; at < 50; at++) {
      log.note({ of: "graph", id: "a" });
      await soon();
    }
    assert.equal(feed.version, 1);
    assert.equal(await feed.since(String(FIRST + 1)), undefined);
    due[1000]?.();
    while (feed.version === 1) await soon();
    assert.equal((await feed.since(String(FIRST + 1)))?.cursor, String(FIRST + 51));
    feed.stop();
  });
});
