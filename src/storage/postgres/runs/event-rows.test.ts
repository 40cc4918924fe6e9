/** Encoding of several events in one row. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextId } from "../../contract/sample-rows.testkit.ts";
import { eventRows, eventsOf } from "./event-rows.ts";

describe("events of one commit", () => {
  const graphId = nextId();
  const event = (at: number) => ({
    graphId,
    type: "node.done" as const,
    timestampMs: 1_700_000_000_000 + at,
    ...(at % 2 === 0 && { node: `item/${at}`, data: { text: "\0\ud800", list: [at, null] } }),
  });

  it("are stored in one row, and decoded unchanged", () => {
    const events = Array.from({ length: 12 }, (_, at) => event(at));
    const [row, ...others] = eventRows(events, (node) => node);
    assert.deepEqual([row?.before, row?.count, others], [0, 12, []]);
    const read = eventsOf({ graph_id: graphId, first: 7, last: 18, data: row?.data ?? "" });
    assert.deepEqual(
      read,
      events.map((one, at) => ({ ...one, seq: 7 + at })),
    );
  });

  it("are split into several rows that each fit a database page", () => {
    const rows = eventRows(
      Array.from({ length: 600 }, (_, at) => event(at)),
      (node) => node,
    );
    assert.deepEqual(
      rows.map(({ before, count }) => [before, count]),
      [
        [0, 256],
        [256, 256],
        [512, 88],
      ],
    );
  });
});
