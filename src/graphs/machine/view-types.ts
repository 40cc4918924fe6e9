/** Views of a run. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphOrigin, GraphStatus } from "../../platform/shared/wire.ts";
import type { Attributes } from "../../storage/contract/attributes.ts";
import type { Failure, FailureOrigin, GraphPhase, NodeRow } from "../../storage/contract/graph-rows.ts";

/** Snapshot of a run (docs/reference/http.md). Times in Unix milliseconds. */
export interface Snapshot {
  graph_id: string;
  worker: string;
  /** Version of the definition with which it was started. */
  version: string | null;
  status: GraphStatus;
  phase: GraphPhase;
  epoch: number;
  input: Json;
  result: Json;
  error: Failure | null;
  progress: { value: number; note?: string } | null;
  /** One-line summary by its author. */
  summary: string | null;
  tags: string[];
  /** Values by which runs are searched, by name. */
  attributes: Attributes;
  nodes: {
    /** `parse`, `inspect/12` for an item of a fan-out, `parse#fetch` for a step. */
    id: string;
    kind: NodeRow["kind"];
    worker: string;
    status: NodeRow["status"];
    attempts: number;
    started_ms: number | null;
    finished_ms: number | null;
    /** Time until which it sleeps or waits, or of its next attempt. */
    due_ms: number | null;
    error: Failure | null;
    /** Size of its result as JSON; null without a result. */
    readonly result_bytes: number | null;
  }[];
  /** If `nodes` lacks some: pass it as `after` to read the next ones. Absent if it has all. */
  next_node?: string;
  /** Pairs `[from, to]` of node ids of the definition; a fan-out appears once, by its name. */
  edges: [string, string][];
  /** Those of `edges` that lead to an error branch: they are taken if the first node has failed. Absent without any. */
  error_edges?: [string, string][];
  /** The run whose node started this one. */
  parent: { graph_id: string; node: string | null } | null;
  /** Runs that nodes of this one started, oldest first. */
  children: { graph_id: string; node: string | null; worker: string; status: GraphStatus }[];
  forked_from: string | null;
  /** Key under which the run counts for its graph's `concurrency`; null without a limit. */
  concurrency_key: string | null;
  /** Whether the run waits until its key is free. Its stored status, by which lists filter, is `queued` then. */
  is_queued: boolean;
  /** Kind and name of its origin; null for runs of older versions. */
  origin: { kind: GraphOrigin; name: string | null } | null;
  created_ms: number;
  /** Earliest start. */
  due_ms: number;
  started_ms: number | null;
  finished_ms: number | null;
  /** Number of the last event in this snapshot: subscribe after it. */
  last_seq: number;
}

/** The nodes that a snapshot lists, by id. */
export interface SnapshotOptions {
  /** Most nodes to list. 0: neither nodes nor children, at a cost that does not grow with the run. Default: all. */
  limit?: number;
  /** `next_node` of the previous snapshot. */
  after?: string;
  /**
   * An input or result whose object in the bucket or whose payload key is missing. "shown": the reason takes its place; "required": the
   * call rejects with `SVC_BUCKET` or `SVC_PAYLOAD_KEY`. Default "shown".
   */
  values?: "shown" | "required";
}

/** A node with all stored data. */
export type NodeDetail = Snapshot["nodes"][number] & {
  /** Epoch of the run: 1, plus one for each retry. */
  epoch: number;
  /** null before it starts; for past nodes only what a fan-out or a fork gave them. */
  input: Json;
  result: Json;
  /** State that its worker keeps between attempts. */
  state: Json;
  /** Origin of its error; null if unknown, and for viewers with read access to this run only. */
  origin: FailureOrigin | null;
};

/** A file that a worker has stored. */
export interface Artifact {
  name: string;
  /** Id of the node that created it. */
  node: string;
  /** Media type that the worker gave. */
  type: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
  created_ms: number;
}

export interface ArtifactContent {
  artifact: Artifact;
  /** Its bytes, read on demand. */
  body: AsyncIterable<Uint8Array>;
}

export interface EventsQuery {
  /** Events with a higher number only. Default 0. */
  after?: number;
  /** Default 1,000. */
  limit?: number;
}
