/**
 * Runs whose large values are objects in a bucket, with references in their rows. Reads replace the references; lists don't read objects.
 * Decision 139.
 */
import type { GraphEvent, StoredGraph } from "../contract/graph-rows.ts";
import type { GraphStore } from "../contract/graph-store.ts";
import { passed } from "../encryption/passed.ts";
import { eventPayloads, graphPayloads, pastNodePayloads, storedPayloads } from "../encryption/payload-rows.ts";
import type { PayloadTransform } from "../encryption/payload-transform.ts";
import { ValueCommits } from "./value-commits.ts";
import type { ValueObjects, ValueWriter } from "./value-objects.ts";
import { isMarkedValue } from "./value-references.ts";
import { finding, inEvents, inGraph, inNode, inSignals, NOTING, resolving } from "./value-rows.ts";

/** Members without values of runs that may be objects. */
const SAME = [
  "children",
  "hasSignal",
  "onAnyEvents",
  "announce",
  "unfinished",
  "waiting",
  "awaiting",
  "list",
  "durations",
  "tagCounts",
  "countByStatus",
  "workers",
  "valueObjects",
  "purge",
  "writePart",
  "part",
  "dropParts",
  "uploads",
  "artifacts",
] as const satisfies (keyof GraphStore)[];

/** @param writer undefined: new values stay in the database */
export function valuesIn(graphs: GraphStore, objects: ValueObjects, writer: ValueWriter | undefined): GraphStore {
  const commits = new ValueCommits(graphs, objects, writer);
  const read = reading(objects);
  return {
    ...passed(graphs, SAME),
    commit: (transition) => commits.commit(transition),
    transact: (run) => commits.transact(run),
    load: async (ids) =>
      read(
        () => graphs.load(ids),
        (all) => all.some(hasMarked),
        (to, all) => all.map((stored) => storedPayloads(to, stored)),
      ),
    heads: async (ids, slice, large = "read") => {
      const isMarked = (rows: Awaited<ReturnType<GraphStore["heads"]>>): boolean =>
        rows.some(({ row }) => inGraph(row, isMarkedValue));
      const change = (to: PayloadTransform, rows: Awaited<ReturnType<GraphStore["heads"]>>): typeof rows =>
        rows.map((one) => ({ ...one, row: graphPayloads(to, one.row.id, one.row) }));
      if (large !== "noted")
        return read(() => graphs.heads(ids, slice), isMarked, change, large === "required" ? "thrown" : "shown");
      const rows = await graphs.heads(ids, slice);
      return isMarked(rows) ? change(NOTING, rows) : rows;
    },
    graph: async (id) =>
      read(
        () => graphs.graph(id),
        (row) => row !== undefined && inGraph(row, isMarkedValue),
        (to, row) => row && graphPayloads(to, id, row),
      ),
    byIdempotencyKey: async (worker, key) =>
      read(
        () => graphs.byIdempotencyKey(worker, key),
        (row) => row !== undefined && inGraph(row, isMarkedValue),
        (to, row) => row && graphPayloads(to, row.id, row),
      ),
    pastNodes: async (graphId) =>
      read(
        () => graphs.pastNodes(graphId),
        (rows) => rows.some((row) => inNode(row, isMarkedValue)),
        (to, rows) => rows.map((row) => pastNodePayloads(to, row)),
      ),
    ...eventsIn(graphs, read),
  };
}

function hasMarked({ row, nodes, signals }: StoredGraph): boolean {
  return (
    inGraph(row, isMarkedValue) ||
    nodes.some((node) => inNode(node, isMarkedValue)) ||
    inSignals(signals, isMarkedValue)
  );
}

type Read = ReturnType<typeof reading>;

/** Events that need an object are read when a follower asks for them: listeners are called without a promise. */
function eventsIn(graphs: GraphStore, read: Read): Pick<GraphStore, "events" | "eventsAtHand" | "onEvents"> {
  const isMarked = (events: readonly GraphEvent[]): boolean => inEvents(events, isMarkedValue);
  const atHand = graphs.eventsAtHand?.bind(graphs);
  return {
    events: async (graphId, afterSeq, limit) =>
      read(
        () => graphs.events(graphId, afterSeq, limit),
        isMarked,
        (to, events) => events.map((event) => eventPayloads(to, event)),
        "shown",
      ),
    ...(atHand && {
      eventsAtHand: (graphId: string, afterSeq: number) => {
        const events = atHand(graphId, afterSeq);
        return events && isMarked(events) ? undefined : events;
      },
    }),
    onEvents: (graphId, listener) => graphs.onEvents(graphId, (events) => listener(isMarked(events) ? [] : events)),
  };
}

/** Reads rows, and the objects to which they refer. */
function reading(objects: ValueObjects) {
  /**
   * @param isMarked whether rows have a value that needs a change; most have none
   * @param change replaces the values of rows
   * @param missing "shown": the reason takes the place of a value that is lost, so that screens show the others
   * @throws SvcError `SVC_BUCKET`
   */
  return async function read<Rows>(
    fetchRows: () => Promise<Rows>,
    isMarked: (rows: Rows) => boolean,
    change: (to: PayloadTransform, rows: Rows) => Rows,
    missing: "thrown" | "shown" = "thrown",
  ): Promise<Rows> {
    for (let isLast = false; ; isLast = true) {
      const rows = await fetchRows();
      if (!isMarked(rows)) return rows;
      const names = new Set<string>();
      change(finding(names), rows);
      const found = await objects.read(names);
      const lost = [...names].find((name) => !found.has(name));
      // The run may be deleted meanwhile, and its objects with it, so the rows are read again.
      if (lost !== undefined && !isLast) continue;
      if (lost !== undefined && missing === "thrown") throw objects.problem(lost);
      return change(
        resolving((name) => objects.valueIn(found.get(name), name)),
        rows,
      );
    }
  };
}
