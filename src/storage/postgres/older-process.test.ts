/**
 * A process of a build without attributes of runs beside a newer one, as during a rolling deploy: it sends what that build sends, and the
 * newer one finds runs by their attributes all the same.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import type { Attributes } from "../contract/attributes.ts";
import type { Store } from "../contract/contract.ts";
import type { RunStatus } from "../../platform/shared/wire.ts";
import { graphRow, nextId } from "../contract/sample-rows.testkit.ts";
import { openStore } from "../open-store.ts";
import { Database } from "./database.ts";
import { bitAt } from "./write/change-mask.ts";
import { ARRAYS, GRAPH_CHANGES } from "./write/commit-function.ts";
import { COMMIT_UNITS } from "./write/group-document.ts";

/** Columns of a change in the order of their bits, in the build before attributes. */
const OLDER =
  `worker status phase epoch pause_no input result error progress tags idempotency_key definition created_ms due_ms started_ms
  finished_ms priority parent_graph parent_node forked_from version timeout_ms deadline_ms summary origin concurrency_key queue_position
  admitted_ms expires_ms`.split(/\s+/);
/** Tables from which the build before attributes deletes a run. */
const OWNED = ["node", "past_node", "event", "signal", "artifact_part", "artifact", "delivery"];

describe("A process of a build without attributes", { skip: await withoutPostgres() }, () => {
  let home: TestDatabase;
  let store: Store;
  let older: Database;
  let ticket = 0;

  before(async () => {
    home = await testDatabase();
    store = await openStore(home.url);
    older = await Database.open(home.url);
    await older.run(
      "INSERT INTO svc.slot (id, ticket, outcomes, used_at) VALUES ('older', 0, '{}', clock_timestamp())",
    );
  });
  after(async () => {
    await older.close();
    await store.close();
    await home.drop();
  });

  /** Sends a group of one run. */
  async function send(id: string, arrays: Partial<Record<(typeof ARRAYS)[number], object>>): Promise<unknown> {
    const texts = ARRAYS.map((name) => (arrays[name] ? JSON.stringify([{ at: 1, ...arrays[name] }]) : null));
    const row = await older.row(COMMIT_UNITS, "older", ticket, ++ticket, null, true, [id], ...texts);
    return row?.["seqs"];
  }

  /** Changes columns of a run that has a number of events. */
  async function change(id: string, seq: number, columns: Record<string, string | number>): Promise<unknown> {
    const mask = Object.keys(columns).reduce((sum, name) => sum + bitAt(OLDER.indexOf(name)), 0);
    const data = JSON.stringify([{ type: "log", at: 1 }]);
    return send(id, {
      heads: { id, epoch: 1, phases: ["queued", "running"], seq, lease: 0 },
      graphs: { id, n: 1, mask, ...columns },
      events: { graph_id: id, before: 0, count: 1, data },
    });
  }

  async function newRun(attributes: Attributes | undefined): Promise<string> {
    const id = nextId();
    await store.graphs.commit({ graphId: id, insert: graphRow(id, { attributes }) });
    return id;
  }

  const found = async (attributes: Attributes, status?: RunStatus): Promise<string[]> =>
    (await store.graphs.list({ attributes, ...(status && { status }) })).items.map(({ id }) => id);

  it("names the columns of a change by the same bits, because new columns come last", () => {
    assert.deepEqual(GRAPH_CHANGES.slice(0, OLDER.length), OLDER);
  });

  it("keeps the attributes of a run that it continues and ends, and its searches follow the status", async () => {
    const id = await newRun({ plan: "pro" });
    assert.deepEqual(await change(id, 0, { status: "running", phase: "running", started_ms: 5 }), [0]);
    assert.deepEqual([await found({ plan: "pro" }, "running"), await found({ plan: "pro" }, "pending")], [[id], []]);
    const [loaded] = await store.graphs.load([id]);
    assert.deepEqual([loaded?.row.attributes, loaded?.row.startedMs, loaded?.lastSeq], [{ plan: "pro" }, 5, 1]);
    const attributes = { plan: "basic", seats: 3 };
    const fence = { epoch: 1, phases: ["running" as const], seq: 1, lease: 0 };
    assert.equal(await store.graphs.commit({ graphId: id, fence, graph: { attributes } }), true);
    assert.deepEqual(await change(id, 1, { status: "done", phase: "done", finished_ms: 9 }), [1]);
    assert.deepEqual([await found({ plan: "pro" }), await found({ plan: "basic", seats: 3 }, "done")], [[], [id]]);
    assert.deepEqual((await store.graphs.graph(id))?.attributes, attributes);
  });

  it("starts runs that have none, and a newer process gives them some", async () => {
    const id = nextId();
    const row = {
      worker: "w",
      status: "pending",
      phase: "queued",
      epoch: 1,
      pause_no: 0,
      priority: 0,
      seq: 0,
      lease: 0,
    };
    const rest = { input: "1", tags: "[]", definition: "d", created_ms: 1, due_ms: 1 };
    assert.deepEqual(await send(id, { heads: { id, is_new: true }, inserts: { id, ...row, ...rest } }), [0]);
    assert.equal((await store.graphs.graph(id))?.attributes, undefined);
    const fence = { epoch: 1, phases: ["queued" as const], seq: 0, lease: 0 };
    await store.graphs.commit({ graphId: id, fence, graph: { attributes: { own: true } } });
    assert.deepEqual(await found({ own: true }), [id]);
  });

  it("deletes runs, which a newer process then finds no longer", async () => {
    const [gone, kept] = [await newRun({ batch: 7 }), await newRun({ batch: 7 })];
    for (const table of OWNED) await older.run(`DELETE FROM svc.${table} WHERE graph_id = $1`, gone);
    await older.run("DELETE FROM svc.graph WHERE id = $1", gone);
    assert.deepEqual(await found({ batch: 7 }), [kept]);
    assert.equal((await store.graphs.list({ attributes: { batch: 7 } })).total, 1);
    const query = { attributes: { batch: 7 }, status: "pending" as const };
    assert.deepEqual((await store.graphs.durations(query, 1000)).durationsMs, []);
    assert.equal((await store.graphs.tagCounts(query)).looked, 1);
  });
});
