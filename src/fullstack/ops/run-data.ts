/** All that the screen of a run is made of. */
import type { AuditRow } from "../../index.ts";
import type { GraphEvent, NodeDetail, Snapshot } from "../../graph.ts";
import type { RunQuery } from "./views/run-query.ts";

export interface RunData {
  run: Snapshot;
  events: GraphEvent[];
  /** Whether there are more than were read. */
  isCut: boolean;
  node: NodeDetail | undefined;
  past: NodeDetail[];
  audit: AuditRow[];
  query: RunQuery;
  /** Whether secrets are shown. */
  isRevealed: boolean;
}
