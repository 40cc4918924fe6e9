/** The writes of one transition, in one transaction. */
import type { ArtifactRow } from "./artifacts.ts";
import type { NewAudit } from "./control.ts";
import type { GraphPhase, GraphRow, NewEvent, NodeRow, NodeStatus, SignalRow } from "./graph-rows.ts";
import type { OutboxRow } from "./webhook-rows.ts";

/**
 * The changes of one transition. The transaction checks `fence` first: the row of the run must have this epoch and one of these phases
 * (and, if given, the node this status and attempt).
 */
export interface Transition {
  graphId: string;
  fence?: {
    epoch: number;
    phases: GraphPhase[];
    /** Number of the run's last event: a transition based on one that was not written is refused as well. */
    seq?: number;
    /** Chain of transitions that don't wait for each other: once one was not written, none that follows is. */
    line?: number;
    /** Lease number, if several processes share the store. With another number nothing is written. */
    lease?: number;
    node?: { id: string; status: NodeStatus[]; attempt: number };
  };
  /** Columns to change; absent keys stay. `insert` creates the row. */
  insert?: GraphRow;
  /**
   * For a new run if several processes share the store: the process that holds it, with lease number 1; null: none (number 0), and a job
   * is written with it, unless it waits for a key (admission.ts). An ended run has no holder.
   */
  heldBy?: string | null;
  graph?: Partial<Omit<GraphRow, "id">>;
  nodes?: (Partial<NodeRow> & { id: string })[];
  insertNodes?: NodeRow[];
  /** Ids of nodes to delete before others are inserted or changed; unknown ones are ignored. */
  deleteNodes?: string[];
  events?: NewEvent[];
  outbox?: OutboxRow[];
  /**
   * Computes `outbox` again, for a store whose registrations other processes may change. Called if the store finds that the rows are
   * based on outdated registrations.
   */
  outboxAgain?: () => OutboxRow[];
  signals?: SignalRow[];
  /** Signals that nodes receive. */
  takenSignals?: { seq: number; node: string }[];
  /** Files whose parts are written. Other parts with their names are deleted. */
  artifacts?: ArtifactRow[];
  /** Deletes parts that belong to no file, because their uploads were abandoned. */
  dropsUploads?: boolean;
  /** Rows of a past epoch, to keep for reading. */
  pastNodes?: NodeRow[];
  /** Audit entry, if a caller caused the transition. */
  audit?: NewAudit;
}
