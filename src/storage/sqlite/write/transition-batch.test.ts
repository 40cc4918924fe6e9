/** Transitions written together have the same effect as transitions written one by one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Store } from "../../contract/contract.ts";
import type { GraphPhase, GraphRow } from "../../contract/graph-rows.ts";
import type { Transition } from "../../contract/transition.ts";
import { MAX_TOTAL } from "../../contract/graph-query.ts";
import { openStore } from "../../open-store.ts";
import { graphRow, nodeRow } from "../../contract/sample-rows.testkit.ts";
import { RUN_STATUSES } from "../../../platform/shared/wire.ts";

const IDS = ["g_1", "g_2", "g_3"];
const PHASES: GraphPhase[] = ["queued", "running", "done"];

const id = fc.constantFrom(...IDS);
const nodeId = fc.constantFrom("a", "b", "b/1");
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

const nodeChange = fc.record(
  {
    id: nodeId,
    status: fc.constantFrom("ready", "running", "done"),
    attempt: fc.nat(3),
    result: fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined)),
    startedMs: fc.oneof(fc.nat(), fc.constant(undefined)),
  },
  { requiredKeys: ["id"] },
);
const graphChange = fc.record(
  {
    phase: fc.constantFrom(...PHASES),
    status: fc.constantFrom("running", "done"),
    epoch: fc.integer({ min: 1, max: 2 }),
    result: fc.jsonValue({ maxDepth: 1 }),
  },
  { requiredKeys: [] },
);

const transition: fc.Arbitrary<Transition> = fc
  .record({
    graphId: id,
    insertKey: optional(fc.constantFrom("none", "k1", "k2")),
    fence: optional(
      fc.record(
        {
          epoch: fc.integer({ min: 1, max: 2 }),
          phases: fc.subarray(PHASES, { minLength: 1 }),
          seq: fc.nat(3),
        },
        { requiredKeys: ["epoch", "phases"] },
      ),
    ),
    graph: optional(graphChange),
    deleteNodes: fc.uniqueArray(nodeId, { maxLength: 2 }),
    insertNodes: fc.uniqueArray(nodeId, { maxLength: 2 }),
    nodes: fc.array(nodeChange, { maxLength: 3 }),
    events: fc.array(fc.record({ data: fc.jsonValue({ maxDepth: 1 }) }), { maxLength: 3 }),
  })
  .map(({ graphId, insertKey, fence, graph, deleteNodes, insertNodes, nodes, events }) => ({
    graphId,
    ...(insertKey === undefined
      ? {}
      : { insert: graphRow(graphId, { tags: [], idempotencyKey: insertKey === "none" ? undefined : insertKey }) }),
    ...(fence && { fence }),
    ...(graph && { graph: graph as Partial<GraphRow> }),
    deleteNodes,
    insertNodes: insertNodes.map((name) => ({
      ...nodeRow(graphId, name),
      input: { text: "\u2028 ' \" \\ \u0000 ž 😀" },
    })),
    nodes: nodes as NonNullable<Transition["nodes"]>,
    events: events.map(({ data }) => ({ graphId, type: "custom" as const, timestampMs: 1, data: data as never })),
  }));

type Outcome = boolean | "refused";

const notify = (commit: Promise<boolean>): Promise<Outcome> => commit.catch(() => "refused" as const);

/** The same transitions for other run ids, so that many test runs share a store: opening one costs more than a test run. */
function renamed(transitions: readonly Transition[], run: string): Transition[] {
  const inRun = <T extends string | undefined>(name: T): T => (name && `${run}${name}`) as T;
  return transitions.map((one) => {
    const graphId = inRun(one.graphId);
    return {
      ...one,
      graphId,
      ...(one.insert && {
        insert: { ...one.insert, id: graphId, idempotencyKey: inRun(one.insert.idempotencyKey) },
      }),
      insertNodes: (one.insertNodes ?? []).map((node) => ({ ...node, graphId })),
      events: (one.events ?? []).map((event) => ({ ...event, graphId })),
    };
  });
}

async function contentOf({ graphs }: Store, run: string): Promise<unknown> {
  const text = JSON.stringify(
    await Promise.all(
      IDS.map((graphId) => `${run}${graphId}`).map(async (graphId) => ({
        graph: await graphs.graph(graphId),
        nodes: (await graphs.load([graphId]))[0]?.nodes ?? [],
        events: await graphs.events(graphId, 0),
      })),
    ),
  );
  return JSON.parse(text.replaceAll(run, ""));
}

async function together(store: Store, transitions: readonly Transition[]): Promise<Outcome[]> {
  return Promise.all(transitions.map((one) => notify(store.graphs.commit(one))));
}

async function oneByOne(store: Store, transitions: readonly Transition[]): Promise<Outcome[]> {
  const reported: Outcome[] = [];
  for (const one of transitions) reported.push(await notify(store.graphs.commit(one)));
  return reported;
}

describe("transitions of one turn", () => {
  it("return the same results and leave the same rows as transitions written one by one", async () => {
    const store = await openStore("sqlite::memory:");
    let count = 0;
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(transition, { maxLength: 8 }), async (transitions) => {
          const [first, second] = [`r${++count}-`, `r${++count}-`];
          const reported = await together(store, renamed(transitions, first));
          assert.deepEqual(reported, await oneByOne(store, renamed(transitions, second)));
          assert.deepEqual(await contentOf(store, first), await contentOf(store, second));
        }),
        { numRuns: 300 },
      );
      // The maintained totals, and the counts by index.
      for (const status of RUN_STATUSES) {
        const counted = Math.min(MAX_TOTAL, (await store.graphs.list({ status })).total);
        assert.equal(counted, (await store.graphs.list({ status, sinceMs: 0 })).total, status);
      }
    } finally {
      await store.close();
    }
  });
});
