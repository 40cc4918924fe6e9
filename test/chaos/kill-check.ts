/** Checks the database and the recorded calls after all kills, when all work is done. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { openStore, type GraphEvent, type Store } from "svckit/graph";
import { checkJournal } from "./graph-journal.ts";
import { callOf, kindOf, SLOTS, resultOf } from "./kill-load.ts";

export interface Report {
  graphs: number;
  /** Number of committed nodes. */
  nodes: number;
  outboxRows: number;
  /** Number of calls recorded more often than their attempts ended. */
  repeated: number;
}

const ANNOUNCED = ["graph.done", "graph.failed", "graph.paused"];

/**
 * @param isWhole whether every requested run was eventually acknowledged.
 * @throws AssertionError that names the run and what is wrong with it.
 */
export async function checkAll(
  file: string,
  calls: string,
  acknowledged: ReadonlyMap<number, string>,
  { kills, isWhole }: { kills: number; isWhole: boolean },
): Promise<Report> {
  const store = await openStore(`sqlite:${file}`);
  try {
    const outbox = await countOutbox(store);
    const ended = new Map<string, number>();
    const report: Report = { graphs: 0, nodes: 0, outboxRows: 0, repeated: 0 };
    for (const [index, id] of acknowledged) {
      const events = await eventsOf(store, id);
      await checkGraph(store, index, id, events);
      countEnded(ended, id, events);
      const announced = events.filter(({ type }) => ANNOUNCED.includes(type)).length;
      assert.equal(outbox.get(id) ?? 0, announced, `${id}: outbox rows must match the ends and pauses`);
      report.graphs++;
      report.outboxRows += announced;
      report.nodes += events.filter(({ type }) => type === "node.done").length;
    }
    const stored = Object.values(await store.graphs.countByStatus()).reduce((total, count) => total + count, 0);
    // If it had the time, the last process has also repeated the starts that were killed before they were acknowledged.
    if (isWhole) assert.equal(stored, acknowledged.size, "an idempotency key that was used twice started two runs");
    report.repeated = countRepeated(calls, ended, acknowledged);
    assert.ok(report.repeated <= kills * SLOTS, `${report.repeated} calls were repeated after ${kills} kills`);
    return report;
  } finally {
    await store.close();
  }
}

async function checkGraph(store: Store, index: number, id: string, events: readonly GraphEvent[]): Promise<void> {
  const row = await store.graphs.graph(id);
  assert.ok(row, `run ${index} was acknowledged as ${id} but is not stored`);
  checkJournal(id, events);
  const last = events.at(-1)?.type;
  if (kindOf(index) === "cancelled" && row.phase === "failed") {
    // Poison: it happened to run during three kills before it was cancelled.
    assert.ok(row.error?.reason === "cancelled" || row.error?.reason === "poison", id);
    assert.equal(last, "graph.failed", id);
    return;
  }
  assert.equal(row.phase, "done", `${id} (number ${index}) does not end: ${JSON.stringify(row.error)}`);
  assert.equal(last, "graph.done", id);
  const expected = resultOf(index);
  if (expected !== undefined) assert.deepEqual(row.result, expected, `${id}: the result of ${kindOf(index)} ${index}`);
  const done = events.filter(({ type, node }) => type === "node.done" && !node?.includes("#")).map(({ node }) => node);
  assert.equal(new Set(done).size, done.length, `${id}: a node was committed twice`);
}

async function eventsOf(store: Store, id: string): Promise<GraphEvent[]> {
  const events: GraphEvent[] = [];
  for (
    let page = await store.graphs.events(id, 0);
    page.length > 0;
    page = await store.graphs.events(id, events.length)
  )
    events.push(...page);
  return events;
}

/** Outbox rows by run. A unique key prevents duplicates, so only lost rows have to be noticed. */
async function countOutbox(store: Store): Promise<Map<string, number>> {
  const rows = new Map<string, number>();
  let cursor: string | undefined;
  do {
    const page = await store.webhooks.listDeliveries({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    for (const { graphId } of page.items) rows.set(graphId, (rows.get(graphId) ?? 0) + 1);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return rows;
}

/** Counts ended attempts by run, node and epoch. Each has called its worker once. */
function countEnded(ended: Map<string, number>, id: string, events: readonly GraphEvent[]): void {
  let epoch = 1;
  for (const { type, node, data } of events) {
    if (type === "graph.started") epoch = (data as { epoch: number }).epoch;
    if (type !== "node.done" && type !== "node.retrying" && type !== "node.failed") continue;
    const key = `${id} ${node} ${epoch}`;
    ended.set(key, (ended.get(key) ?? 0) + 1);
  }
}

function countRepeated(file: string, ended: ReadonlyMap<string, number>, acknowledged: ReadonlyMap<number, string>) {
  const cancelled = new Set([...acknowledged].filter(([index]) => kindOf(index) === "cancelled").map(([, id]) => id));
  const reported = new Map<string, number>();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const { graphId, node, epoch } = callOf(line);
    // Calls of a cancelled run do not end.
    if (line === "" || cancelled.has(graphId)) continue;
    const key = `${graphId} ${node} ${epoch}`;
    reported.set(key, (reported.get(key) ?? 0) + 1);
  }
  let repeated = 0;
  for (const [key, times] of reported) repeated += Math.max(0, times - (ended.get(key) ?? 1));
  return repeated;
}
