/** The cache of a run's first events, which saves queries to the database. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextId } from "../../contract/sample-rows.testkit.ts";
import { FirstEvents } from "./first-events.ts";

const events = (graphId: string) =>
  [1, 2, 3].map((seq) => ({ graphId, seq, type: "log" as const, timestampMs: 1_700_000_000_000 }));

describe("the cached first events of a run", () => {
  const id = nextId();

  it("are returned from any position", () => {
    const first = new FirstEvents();
    first.keep(id, events(id));
    assert.deepEqual(first.after(id, 0), events(id));
    assert.deepEqual(first.after(id, 2), events(id).slice(2));
    assert.deepEqual(first.after(id, 3), []);
  });

  it("are dropped for a run that has continued, or for all runs", () => {
    const first = new FirstEvents();
    const other = nextId();
    for (const graphId of [id, other]) first.keep(graphId, events(graphId));
    first.forget(id);
    assert.deepEqual([first.after(id, 0), first.after(other, 0)?.length], [undefined, 3]);
    first.forget();
    assert.equal(first.after(other, 0), undefined);
  });

  it("are kept for the last thousand runs", () => {
    const first = new FirstEvents();
    const ids = Array.from({ length: 1001 }, (_, at) => `${id}${at}`);
    for (const graphId of ids) first.keep(graphId, events(graphId));
    assert.deepEqual(
      ids.filter((graphId) => !first.after(graphId, 0)),
      ids.slice(0, 1),
    );
  });
});
