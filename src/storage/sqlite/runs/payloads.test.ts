/** Long values are stored beside their rows, which readers do not notice. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graphRow, nodeRow } from "../../contract/sample-rows.testkit.ts";
import { Database } from "../database.ts";
import { Outbox } from "../webhooks/outbox.ts";
import { SqliteGraphs } from "./graphs.ts";
import { LONGEST_IN_ROW } from "./payloads.ts";

const ID = "g_0000000000payload0000000000";
const LONG = "ž".repeat(LONGEST_IN_ROW);

async function opened() {
  const database = await Database.open(":memory:");
  const graphs = new SqliteGraphs(database, new Outbox(database));
  const inRow = (table: string, column: string): number =>
    Number(database.sql(`SELECT length(${column}) AS length FROM ${table}`).get()?.["length"]);
  const beside = (): string[] =>
    database
      .sql("SELECT id FROM payload ORDER BY id")
      .all()
      .map((row) => String(row["id"]));
  return { database, graphs, inRow, beside };
}

describe("values longer than 64 KiB", () => {
  it("are stored beside the rows of runs and nodes, and read as if they were part of them", async () => {
    const { database, graphs, inRow, beside } = await opened();
    const node = { ...nodeRow(ID, "parse"), input: LONG, result: [LONG], state: { kept: LONG } };
    await graphs.commit({ graphId: ID, insert: graphRow(ID, { input: { text: LONG } }), insertNodes: [node] });
    assert.deepEqual(beside(), ["graph/input", "node/parse/input", "node/parse/result", "node/parse/state"]);
    assert.ok(inRow("graph", "input") < 100 && inRow("node", "result") < 100);
    const [stored] = await graphs.load([ID]);
    assert.deepEqual(stored?.row.input, { text: LONG });
    assert.deepEqual([stored.nodes[0]?.input, stored.nodes[0]?.result], [LONG, [LONG]]);
    assert.deepEqual(stored.nodes[0]?.state, { kept: LONG });
    assert.deepEqual((await graphs.heads([ID]))[0]?.row.input, { text: LONG });
    database.close();
  });

  it("are written only by the change that sets them", async () => {
    const { database, graphs, beside } = await opened();
    await graphs.commit({ graphId: ID, insert: graphRow(ID, { input: { text: LONG } }) });
    await graphs.commit({ graphId: ID, graph: { result: { text: LONG }, status: "done", phase: "done" } });
    assert.deepEqual(beside(), ["graph/input", "graph/result"]);
    const writes = database.sql("SELECT total_changes() AS count");
    const before = Number(writes.get()?.["count"]);
    await graphs.commit({ graphId: ID, graph: { pauseNo: 1 } });
    assert.ok(Number(writes.get()?.["count"]) - before <= 2);
    assert.deepEqual((await graphs.graph(ID))?.result, { text: LONG });
    database.close();
  });

  it("may become shorter or longer again", async () => {
    const { database, graphs } = await opened();
    await graphs.commit({ graphId: ID, insert: graphRow(ID), insertNodes: [{ ...nodeRow(ID, "a"), result: LONG }] });
    for (const result of ["short", `${LONG}!`, null, LONG]) {
      await graphs.commit({ graphId: ID, nodes: [{ id: "a", result }] });
      assert.equal((await graphs.load([ID]))[0]?.nodes[0]?.result, result);
    }
    database.close();
  });

  it("are not read for lists, nor are shorter values in their rows", async () => {
    const { database, graphs } = await opened();
    const long = { ...nodeRow(ID, "a"), result: LONG };
    await graphs.commit({ graphId: ID, insert: graphRow(ID), insertNodes: [long, nodeRow(ID, "b")] });
    const before = await graphs.heads([ID]);
    assert.deepEqual(
      before[0]?.nodes.map(({ resultBytes }) => resultBytes),
      [2 * LONGEST_IN_ROW + 2, undefined],
    );
    // A reader of one of these values would find invalid JSON.
    database.sql("UPDATE node SET input = '{', state = '{'").run();
    database.sql("UPDATE payload SET data = '{' || substr(data, 2)").run();
    assert.deepEqual(await graphs.heads([ID]), before);
    await assert.rejects(graphs.load([ID]), SyntaxError);
    database.close();
  });

  it("are deleted with their run", async () => {
    const { database, graphs, beside } = await opened();
    const ended = { status: "done", phase: "done", finishedMs: 5, input: { text: LONG } } as const;
    await graphs.commit({ graphId: ID, insert: graphRow(ID, ended) });
    await graphs.purge({ finishedBeforeMs: Date.now() });
    assert.deepEqual(beside(), []);
    database.close();
  });
});
