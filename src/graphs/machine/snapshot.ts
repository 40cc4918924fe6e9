/** A run as the API shows it (docs/reference/http.md). */
import {
  withoutOrigin,
  type ChildRow,
  type GraphRow,
  type NodeHead,
  type NodeRow,
} from "../../storage/contract/graph-rows.ts";
import { waitsForKey } from "../../storage/contract/admission.ts";
import { wireStatus } from "../../platform/shared/wire.ts";
import { isSuspended } from "./suspension.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";
import type { ArtifactRow } from "../../storage/contract/artifacts.ts";
import type { Artifact, NodeDetail, Snapshot } from "./view-types.ts";

/** @param definition absent if this process does not know it: then there are no edges. @param lastSeq number of the last event. */
export function snapshotOf(
  row: GraphRow,
  nodes: Snapshot["nodes"],
  definition: GraphDefinition | undefined,
  lastSeq: number,
  children: readonly ChildRow[],
): Snapshot {
  return {
    graph_id: row.id,
    worker: row.worker,
    version: row.version ?? null,
    status: wireStatus(row.status),
    phase: row.phase,
    epoch: row.epoch,
    input: row.input,
    result: row.result ?? null,
    error: row.error ?? null,
    progress: row.progress ?? null,
    summary: row.summary ?? null,
    tags: row.tags,
    attributes: row.attributes ?? {},
    nodes,
    edges: (definition?.nodes ?? []).flatMap((node) => node.after.map((from): [string, string] => [from, node.name])),
    ...errorEdgesOf(definition),
    parent: row.parentGraph === undefined ? null : { graph_id: row.parentGraph, node: row.parentNode ?? null },
    children: children.map(({ id, parentNode, worker, status }) => ({
      graph_id: id,
      node: parentNode ?? null,
      worker,
      status: wireStatus(status),
    })),
    forked_from: row.forkedFrom ?? null,
    concurrency_key: row.concurrencyKey ?? null,
    is_queued: waitsForKey(row),
    origin: row.origin === undefined ? null : { kind: row.origin.kind, name: row.origin.name ?? null },
    created_ms: row.createdMs,
    due_ms: row.dueMs,
    started_ms: row.startedMs ?? null,
    finished_ms: row.finishedMs ?? null,
    last_seq: lastSeq,
  };
}

/** For lists, without results. */
export function headView(node: NodeHead): Snapshot["nodes"][number] {
  return viewOf(node, node.resultBytes ?? null);
}

export function nodeView(node: NodeRow): Snapshot["nodes"][number] {
  const view = viewOf(node, null);
  const { result } = node;
  if (result === undefined || result === null) return view;
  // Computed on demand: a run may have thousands of nodes, and few callers read the size. A getter costs as much as the rest of the view,
  // so nodes without a result have none.
  const get = (): number => Buffer.byteLength(JSON.stringify(result));
  return Object.defineProperty(view, "result_bytes", { get, enumerable: true });
}

function viewOf(node: Omit<NodeHead, "resultBytes">, resultBytes: number | null): Snapshot["nodes"][number] {
  return {
    id: node.id,
    kind: node.kind,
    worker: node.worker,
    status: node.status,
    attempts: node.attempt,
    started_ms: node.startedMs ?? null,
    finished_ms: node.finishedMs ?? null,
    // The steps of a suspended node have the times of its waits.
    due_ms: isSuspended(node) ? null : (node.dueMs ?? null),
    error: node.error ? withoutOrigin(node.error) : null,
    result_bytes: resultBytes,
  };
}

/** @param input used if the row has none */
export function nodeDetail(node: NodeRow, input = node.input): NodeDetail {
  return {
    ...nodeView(node),
    epoch: node.epoch,
    input: input ?? null,
    result: node.result ?? null,
    state: node.state ?? null,
    origin: node.error?.origin ?? null,
  };
}

export function artifactView({ name, node, type, bytes, sha256, createdMs }: ArtifactRow): Artifact {
  return { name, node, type, bytes, sha256, created_ms: createdMs };
}

/** Absent without error branches, which few graphs have. */
function errorEdgesOf(definition: GraphDefinition | undefined): Pick<Snapshot, "error_edges"> {
  const branches = (definition?.nodes ?? []).filter(({ on }) => on === "failed");
  if (branches.length === 0) return {};
  return { error_edges: branches.flatMap(({ name, after }) => after.map((from): [string, string] => [from, name])) };
}
