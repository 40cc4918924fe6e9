/** What is shown of a graph. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphOrigin, GraphStatus } from "../../platform/shared/wire.ts";
import type { Failure, FailureOrigin, GraphPhase, NodeRow } from "../../storage/contract/graph-rows.ts";

/** The snapshot of contract section 4. Times in Unix milliseconds. */
export interface Snapshot {
  graph_id: string;
  worker: string;
  /** Of the definition it was started with. */
  version: string | null;
  status: GraphStatus;
  phase: GraphPhase;
  epoch: number;
  input: Json;
  result: Json;
  error: Failure | null;
  progress: { value: number; note?: string } | null;
  /** What its author says of it, in one line. */
  summary: string | null;
  tags: string[];
  nodes: {
    /** `parse`, `inspect/12` for an item of a fan-out, `parse#fetch` for what a worker did under that key. */
    id: string;
    kind: NodeRow["kind"];
    worker: string;
    status: NodeRow["status"];
    attempts: number;
    started_ms: number | null;
    finished_ms: number | null;
    /** Until when it sleeps or waits, or when it is tried again. */
    due_ms: number | null;
    error: Failure | null;
    /** Of its result as JSON: what is handed on; null where there is none, or it is null. */
    readonly result_bytes: number | null;
  }[];
  /** Pairs `[from, to]` of node ids of the definition; a fan-out appears once, by its name. */
  edges: [string, string][];
  /** The graph whose node started this one. */
  parent: { graph_id: string; node: string | null } | null;
  /** Those that nodes of this one started, oldest first. */
  children: { graph_id: string; node: string | null; worker: string; status: GraphStatus }[];
  forked_from: string | null;
  /** What started it, and which of its kind; null for a graph from before this was kept. */
  origin: { kind: GraphOrigin; name: string | null } | null;
  created_ms: number;
  /** Not before this time. */
  due_ms: number;
  started_ms: number | null;
  finished_ms: number | null;
  /** Sequence number of the last event in this snapshot: subscribe after it. */
  last_seq: number;
}

/** A node with all that is kept of it. */
export type NodeDetail = Snapshot["nodes"][number] & {
  /** The run of the graph it belongs to: 1, and one more for each retry. */
  epoch: number;
  /** null until it has begun; of past nodes only what a fan-out or a fork gave them. */
  input: Json;
  result: Json;
  /** What its worker keeps from one attempt to the next. */
  state: Json;
  /** Where its error comes from; null where nothing is known of that, and to those who may only look at this graph. */
  origin: FailureOrigin | null;
};

/** A file that a worker has left. */
export interface Artifact {
  name: string;
  /** Id of the node that made it. */
  node: string;
  /** Media type, as its worker has it. */
  type: string;
  bytes: number;
  /** In hex. */
  sha256: string;
  created_ms: number;
}

export interface ArtifactContent {
  artifact: Artifact;
  /** Its bytes, read as they are wanted. */
  body: AsyncIterable<Uint8Array>;
}

export interface EventsQuery {
  /** Events with a higher number only. Default 0. */
  after?: number;
  /** Default 1,000. */
  limit?: number;
}
