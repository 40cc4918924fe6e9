/** The data of the run screen. */
import type { AuditRow } from "../ops.ts";
import type { NodeDetail, Snapshot } from "../graph.ts";
import type { SignalField } from "../internal.ts";
import type { ShownArtifact } from "./screens/runs/artifacts.tsx";
import type { Flow } from "./widgets/load-widgets.ts";
import type { EventsPage, RunEvents } from "./run-events.ts";
import type { RunQuery } from "./views/runs/run-query.ts";

/** The form of an open wait. */
export interface SignalFormView {
  /** Id of the wait: `approve#approval`. */
  wait: string;
  signal: string;
  fields: readonly SignalField[];
}

export interface RunData {
  /** For the picture. */
  flow: Flow;
  run: Snapshot;
  events: RunEvents;
  /** The current page of the events view, if it is open. */
  page: EventsPage | undefined;
  node: NodeDetail | undefined;
  /** Origin of the shown error: the selected node's, otherwise that of the node that failed the run. */
  origin: NodeDetail["origin"];
  /** Loaded if the tab is open. */
  artifacts: ShownArtifact[];
  /** Number of runs with the same failure, including this one; undefined if the run has not failed. */
  likes: number | undefined;
  past: NodeDetail[];
  /** Open waits whose signal has a form. */
  signalForms: SignalFormView[];
  audit: AuditRow[];
  query: RunQuery;
  /** Whether hidden values are shown. */
  isRevealed: boolean;
}
