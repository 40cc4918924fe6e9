import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import type { GraphStore } from "../contract/graph-store.ts";
import { graphRow, nodeRow, outboxRow } from "../contract/sample-rows.testkit.ts";
import type { Transition } from "../contract/transition.ts";
import { EncryptedGraphs } from "./encrypted-graphs.ts";
import { PayloadCipher } from "./payload-cipher.ts";

/** Begins like an encrypted value. */
const FORGED = "svc:enc:1:key:AAAA";
const STORED = `svc:enc:0:${FORGED}`;
const ID = "g_1";
const error = { message: FORGED, reason: "error" } as const;
const audit = { atMs: 1, actor: "op", address: undefined, operation: "graph.x", target: ID, note: undefined };
const signal = { graphId: ID, seq: 1, name: "go", key: undefined, actor: undefined, createdMs: 1, node: undefined };

/** A transition for each payload of a run, in which only that one looks encrypted. */
const TRANSITIONS: Record<string, Omit<Transition, "graphId">> = {
  "input of a new run": { insert: graphRow(ID, { input: FORGED }) },
  "summary of a new run": { insert: graphRow(ID, { summary: FORGED }) },
  "result of a run": { graph: { result: FORGED } },
  "error of a run": { graph: { error } },
  "note of the progress of a run": { graph: { progress: { value: 0.5, note: FORGED } } },
  "result of a node": { nodes: [{ id: "a", result: FORGED }] },
  "error of a node": { nodes: [{ id: "a", error }] },
  "state of a node": { nodes: [{ id: "a", state: FORGED }] },
  "input of a new node": { insertNodes: [nodeRow(ID, "a"), { ...nodeRow(ID, "b"), input: FORGED }] },
  "result of a node of an earlier epoch": { pastNodes: [{ ...nodeRow(ID, "a"), result: FORGED }] },
  "data of an event": { events: [{ graphId: ID, type: "log", timestampMs: 1, data: FORGED }] },
  "body of a delivery": { outbox: [{ ...outboxRow(ID), body: FORGED }] },
  "payload of a signal": { signals: [{ ...signal, payload: FORGED }] },
  "details of an audit entry": { audit: { ...audit, data: FORGED } },
};

/** What reaches the database without keys. */
async function committed(transition: Transition): Promise<Transition> {
  let written: Transition | undefined;
  const commit = async (given: Transition): Promise<boolean> => ((written = given), true);
  // No other member is called.
  const inner = { commit } as unknown as GraphStore;
  await new EncryptedGraphs(inner, new PayloadCipher([]), new WeakMap()).commit(transition);
  return written as Transition;
}

/** All texts in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe("A transition without keys", () => {
  for (const [name, parts] of Object.entries(TRANSITIONS))
    it(`stores a value that looks encrypted so that it is read as plain: ${name}`, async () => {
      const texts = textsIn(await committed({ graphId: ID, ...parts }));
      assert.deepEqual([texts.includes(STORED), texts.includes(FORGED)], [true, false]);
    });

  it("does so with deliveries that the store computes again", async () => {
    const again = [{ ...outboxRow(ID), body: FORGED }];
    const { outboxAgain } = await committed({ graphId: ID, outboxAgain: () => again });
    assert.deepEqual(
      outboxAgain?.().map(({ body }) => body),
      [STORED],
    );
  });

  it("reaches the database as it is if no value looks encrypted", async () => {
    const state: Json = { text: FORGED };
    const transition = { graphId: ID, insert: graphRow(ID), insertNodes: [{ ...nodeRow(ID, "a"), state }] };
    assert.equal(await committed(transition), transition);
  });
});
