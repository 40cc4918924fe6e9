/** All that the screen of a run is made of. */
import type { AuditRow } from "../ops.ts";
import type { NodeDetail, Snapshot } from "../graph.ts";
import type { ShownArtifact } from "./screens/runs/artifacts.tsx";
import type { Flow } from "./widgets/load-widgets.ts";
import type { EventsPage, RunEvents } from "./run-events.ts";
import type { RunQuery } from "./views/runs/run-query.ts";

export interface RunData {
  /** For its picture. */
  flow: Flow;
  run: Snapshot;
  events: RunEvents;
  /** Of the list of events, where that is open. */
  page: EventsPage | undefined;
  node: NodeDetail | undefined;
  /** Of the error that is shown: of the node that is chosen, else of the one that the run failed of. */
  origin: NodeDetail["origin"];
  /** Where its tab is open. */
  artifacts: ShownArtifact[];
  /** How many runs have failed alike, this one included; undefined where it has not failed. */
  likes: number | undefined;
  past: NodeDetail[];
  audit: AuditRow[];
  query: RunQuery;
  /** Whether secrets are shown. */
  isRevealed: boolean;
}
