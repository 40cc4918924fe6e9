import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SignalRow } from "../../storage/contract/graph-rows.ts";
import { Signals } from "./signals.ts";
import { Change, LastEvent } from "./transition-builder.ts";
import type { Wait } from "./waits.ts";
import { graphRow } from "../../storage/contract/sample-rows.testkit.ts";

const row = (seq: number, name = "go"): SignalRow => ({
  graphId: "g_1",
  seq,
  name,
  payload: seq,
  key: undefined,
  actor: undefined,
  createdMs: 0,
  node: undefined,
});
const wait = (id: string): Wait => ({ kind: "signal", id, signal: "go", wake: () => undefined }) as Wait;

describe("the signals of a run", () => {
  it("are received in their order, by name", () => {
    const signals = new Signals([row(1), row(2, "other"), row(3)]);
    const change = new Change(graphRow("g_1"), 0, new LastEvent(3));
    const taken: (number | undefined)[] = [];
    for (let first = signals.first("go"); first; first = signals.first("go")) {
      taken.push(first.row.seq);
      signals.take(change, first, wait("w"));
    }
    assert.deepEqual([taken, signals.first("other")?.row.seq], [[1, 3], 2]);
  });

  it("keep their order if a wait that had one of them is gone", () => {
    const signals = new Signals([row(1), row(2), row(3)]);
    const gone = wait("gone");
    const first = signals.first("go");
    assert.ok(first);
    signals.assign(first, gone);
    assert.deepEqual([signals.of(gone)?.row.seq, signals.first("go")?.row.seq], [1, 2]);
    signals.releaseHeld((one) => one === gone);
    assert.deepEqual([signals.of(gone), signals.first("go")?.row.seq], [undefined, 1]);
  });
});
