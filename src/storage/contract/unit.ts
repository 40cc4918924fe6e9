/** What one transition writes, in one transaction. */
import type { ArtifactRow } from "./artifacts.ts";
import type { NewAudit } from "./control.ts";
import type { GraphPhase, GraphRow, NewEvent, NodeRow, NodeStatus, SignalRow } from "./graph-rows.ts";
import type { OutboxRow } from "./webhook-rows.ts";

/**
 * What one transition changes. `fence` is checked first, inside the transaction: the graph row must have this
 * epoch and one of these phases (and, when given, the node this status and attempt).
 */
export interface Transition {
  graphId: string;
  fence?: {
    epoch: number;
    phases: GraphPhase[];
    /** Number of the graph's last event: a unit made on top of one that was not written is refused with it. */
    seq?: number;
    /** Who made it, of those that don't wait for their units: once one of a line was not written, none that follows is. */
    line?: number;
    /** Where several processes share the store: number of the lease it was made under. With another number by now nothing is written. */
    lease?: number;
    node?: { id: string; status: NodeStatus[]; attempt: number };
  };
  /** Columns to change; absent keys stay. `insert` creates the row. */
  insert?: GraphRow;
  /**
   * Where several processes share the store, of a graph that is inserted: the process that holds it, under the lease number 1; null:
   * nobody does (number 0), and a job is written with it, for whoever takes it. Once a graph is done or failed nobody holds it.
   */
  heldBy?: string | null;
  graph?: Partial<Omit<GraphRow, "id">>;
  nodes?: (Partial<NodeRow> & { id: string })[];
  insertNodes?: NodeRow[];
  /** Ids of nodes to take away, before any are inserted or changed; unknown ones are no error. */
  deleteNodes?: string[];
  events?: NewEvent[];
  outbox?: OutboxRow[];
  /**
   * Makes `outbox` anew: for a store whose registrations others may have changed since. Called where it finds, as it writes the unit,
   * that the rows went by registrations which are not those of the database.
   */
  outboxAgain?: () => OutboxRow[];
  signals?: SignalRow[];
  /** Signals that nodes take. */
  takenSignals?: { seq: number; node: string }[];
  /** Files whose parts are written: of their names there are no other parts after this. */
  artifacts?: ArtifactRow[];
  /** Takes away the parts that belong to no file: nobody who wrote any goes on with it. */
  dropsUploads?: boolean;
  /** Rows of an epoch that is over, to keep for reading. */
  pastNodes?: NodeRow[];
  /** Who wanted it, where somebody did. */
  audit?: NewAudit;
}
