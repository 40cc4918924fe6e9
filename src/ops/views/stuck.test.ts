import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Snapshot } from "../../graph.ts";
import { STUCK_MS, stuckRuns } from "./stuck.ts";

type Row = Snapshot["nodes"][number];

const NOW_MS = 10 * STUCK_MS;

function run(id: string, nodes: Partial<Row>[], more: Partial<Snapshot> = {}): Snapshot {
  const rows = nodes.map((node) => ({ started_ms: null, finished_ms: null, ...node }) as Row);
  return { graph_id: id, phase: "running", created_ms: 0, started_ms: 1, nodes: rows, ...more } as Snapshot;
}

function found(...runs: Snapshot[]): string[] {
  return stuckRuns(runs, NOW_MS).map(({ graph_id: id }) => id);
}

describe("Stuck runs", () => {
  it("are runs without a recent start or end of a node, the longest delay first", () => {
    const long = { status: "running", started_ms: NOW_MS - STUCK_MS } as const;
    const longer = { status: "running", started_ms: NOW_MS - 2 * STUCK_MS } as const;
    const moved = { status: "done", finished_ms: NOW_MS - STUCK_MS + 1 } as const;
    assert.deepEqual(found(run("long", [long]), run("longer", [longer]), run("moves", [long, moved])), [
      "longer",
      "long",
    ]);
  });

  it("are not runs that wait, retry, are queued, paused or ended", () => {
    const deferred = (["waiting", "retrying", "ready"] as const).map((status) =>
      run(status, [{ status, started_ms: 1 }]),
    );
    const others = (["pausing", "paused", "cancelling", "failed"] as const).map((phase) =>
      run(phase, [{ status: "running", started_ms: 1 }], { phase }),
    );
    assert.deepEqual(found(...deferred, ...others), []);
    assert.deepEqual(found(run("stuck", [{ status: "running", started_ms: 1 }])), ["stuck"]);
  });
});
