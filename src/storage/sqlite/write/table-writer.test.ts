import assert from "node:assert/strict";
import { it } from "node:test";
import { NODE_COLUMNS, toNode } from "../../contract/columns.ts";
import type { NodeRow } from "../../contract/graph-rows.ts";
import { Database } from "../database.ts";
import { Payloads } from "../runs/payloads.ts";
import { TableWriter, type Changes } from "./table-writer.ts";

const OPTIONAL = ["input", "result", "startedMs", "finishedMs", "dueMs", "doneSeq"] as const;

function nodeOf(graphId: string, n: number, changes: Partial<NodeRow>): NodeRow {
  const node = { graphId, id: `n${n}`, worker: "w", kind: "node", status: "pending", attempt: 0, crashes: 0, epoch: 1 };
  return { ...emptyNode, ...node, after: [], ...changes } as NodeRow;
}

const emptyNode = Object.fromEntries(Object.keys(NODE_COLUMNS).map((key) => [key, undefined]));

/** Each bit of `shape` determines whether a column has the same value in all rows. */
function valuesOf(shape: number, n: number, offset: number): Changes {
  const at = (bit: number): number => (((shape >> bit) & 1) === 1 ? 0 : n) + offset;
  return {
    worker: `w${at(0)}`,
    attempt: at(1),
    crashes: at(2),
    epoch: at(3),
    ...Object.fromEntries(OPTIONAL.map((name, bit) => [name, (shape + bit) % 3 === 0 ? undefined : at(bit)])),
  };
}

it("the table writer writes rows as given, for any shared values, with more shapes than its statement cache holds", async () => {
  const database = await Database.open(":memory:");
  const payloads = new Payloads(database);
  const writer = new TableWriter("node", NODE_COLUMNS, ["graphId", "id"]);
  const expected: NodeRow[] = [];
  await database.write(() => {
    for (let shape = 0; shape < 200; shape++) {
      const graphId = `g${String(shape).padStart(3, "0")}`;
      // Below and above the number of rows that makes shared values worthwhile.
      const count = shape % 4 === 0 ? 3 : 9;
      const rows = Array.from({ length: count }, (_, n) => nodeOf(graphId, n, valuesOf(shape, n, 0)));
      writer.insert(database, payloads, rows);
      const changes = rows.map((_, n) => valuesOf(shape >> 1, n, 100));
      writer.update(
        database,
        payloads,
        changes.map((change, n) => ({ key: [graphId, `n${n}`], changes: change })),
      );
      expected.push(...rows.map((row, n) => ({ ...row, ...changes[n] })));
    }
  });
  const found = database.sql("SELECT * FROM node ORDER BY graph_id, id").all();
  assert.deepEqual(found.map(toNode), expected);
  await database.close();
});
