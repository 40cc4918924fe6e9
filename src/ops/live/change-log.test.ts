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

describe("The change log", () => {
  it("tracks changes by subject, and those of graphs one by one", () => {
    const log = logOf({ of: "graph", id: "a" }, { of: "webhooks" });
    const changed = (since: number): Subject[] =>
      (["graphs", "graph:a", "graph:b", "webhooks", "controls", "processes"] as const).filter((subject) =>
        log.hasChanged([subject], since),
      );
    assert.deepEqual(changed(FIRST), ["graphs", "graph:a", "webhooks"]);
    assert.deepEqual(changed(FIRST + 1), ["webhooks"]);
    assert.deepEqual(changed(FIRST + 2), []);
  });

  it("reports every subject as changed after a change of unknown extent", () => {
    const log = logOf({ of: "all" });
    for (const subject of ["graphs", "graph:b", "webhooks", "controls", "processes"] as const)
      assert.equal(log.hasChanged([subject], FIRST), true, subject);
  });

  it("reports every subject as changed for a number from another server, or for none", () => {
    const log = logOf({ of: "webhooks" });
    for (const since of [FIRST - 1, FIRST + 2, Number.NaN]) assert.equal(log.hasChanged(["graphs"], since), true);
  });

  it("never misses a change of a followed graph, however many other graphs change, and reports no false change of a recently changed one", () => {
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

describe("The change stream of a screen", () => {
  const fail = (error: unknown): void => assert.fail(String(error));
  const soon = (): Promise<void> => new Promise((done) => setImmediate(done));

  it("notifies a follower with an older cursor once, and does not notify one that is up to date", async () => {
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

  it("advances the cursor of a follower of other subjects without a notification", async () => {
    const log = logOf({ of: "webhooks" });
    const feed = new ChangesFeed(log, ["controls"], fail);
    assert.deepEqual(await feed.since(String(FIRST)), { cursor: String(FIRST + 1), patch: {} });
    feed.stop();
  });

  it("notifies a follower whose cursor is from another server or from before this one started", async () => {
    const feed = new ChangesFeed(logOf(), ["controls"], fail);
    for (const cursor of ["", "7", String(FIRST + 5)])
      assert.deepEqual(await feed.since(cursor), { cursor: String(FIRST), patch: { parts: { changed: "" } } }, cursor);
    feed.stop();
  });

  it("collects changes within a second into one notification, however often it is asked", async () => {
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
