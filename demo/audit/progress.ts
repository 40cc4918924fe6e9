/**
 * Computes the progress of an audit from a snapshot on the server and from the event stream in the browser. Both use the
 * same rules, so a reloaded page and a live page show the same. Pure and small, because it ships to the browser.
 */

/** State of one of the graph's three nodes on the page; `unrun` if the graph ended before the node started. */
export type StepState = "waiting" | "running" | "done" | "failed" | "unrun";

export type Progress = {
  parse: StepState;
  inspect: StepState;
  report: StepState;
  /** Inspected packages and all packages; 0 until they are known. */
  inspected: number;
  packages: number;
  isPaused: boolean;
  isOver: boolean;
};

/** The used part of an event. */
export type StreamEvent = { type: string; node?: string };

/** The used part of a snapshot. */
export type SnapshotPart = {
  status: string;
  nodes: readonly { id: string; status: string }[];
};

export const NOT_STARTED: Progress = {
  parse: "waiting",
  inspect: "waiting",
  report: "waiting",
  inspected: 0,
  packages: 0,
  isPaused: false,
  isOver: false,
};

const INSPECT = "inspect/";

export function progressOfSnapshot(snapshot: SnapshotPart): Progress {
  const steps = snapshot.nodes.filter((node) => node.id.startsWith(INSPECT));
  const inspected = steps.filter((node) => node.status === "done").length;
  const progress: Progress = {
    parse: stepState(snapshot.nodes.find((node) => node.id === "parse")?.status),
    inspect: fanOutState(steps, inspected),
    report: stepState(snapshot.nodes.find((node) => node.id === "report")?.status),
    inspected,
    packages: steps.length,
    isPaused: snapshot.status === "paused",
    isOver: snapshot.status === "done" || snapshot.status === "failed",
  };
  return progress.isOver ? withoutWaiting(progress) : progress;
}

/** @returns the progress after `event`. Pass each event once and in order. */
export function afterEvent(progress: Progress, event: StreamEvent): Progress {
  if (event.type.startsWith("graph.")) return afterGraphEvent(progress, event.type);
  const node = event.node ?? "";
  return node.startsWith(INSPECT)
    ? afterInspectEvent(progress, event.type)
    : afterStepEvent(progress, node, event.type);
}

/** One sentence for screen readers. It changes rarely, to limit announcements. */
export function progressSentence(progress: Progress): string {
  if (progress.isPaused) return "The audit is paused.";
  if (progress.isOver) return "The audit has ended.";
  if (progress.parse !== "done") return "Reading the lockfile.";
  if (progress.report !== "waiting" || progress.inspect === "done") return "Writing the report.";
  const quarter = Math.floor((4 * progress.inspected) / Math.max(1, progress.packages));
  return `Inspecting the packages${QUARTERS[quarter] ?? ""}.`;
}

/** By finished quarters. The first is empty, because "0 percent" next to a count above 0 would be wrong. */
const QUARTERS = ["", ": a quarter is done", ": half is done", ": three quarters are done"];

function afterGraphEvent(progress: Progress, type: string): Progress {
  const isOver = type === "graph.done" || type === "graph.failed";
  return {
    ...(isOver ? withoutWaiting(progress) : progress),
    isPaused: type === "graph.paused" || (progress.isPaused && type !== "graph.resumed"),
    isOver,
  };
}

/** In a graph that has ended, waiting nodes become `unrun`. */
function withoutWaiting(progress: Progress): Progress {
  const ended = (state: StepState): StepState => (state === "waiting" ? "unrun" : state);
  const { parse, inspect, report } = progress;
  return { ...progress, parse: ended(parse), inspect: ended(inspect), report: ended(report) };
}

/** @returns the label of a node's state. */
export function stateWord(state: StepState): string {
  return state === "unrun" ? "not run" : state;
}

function afterStepEvent(progress: Progress, node: string, type: string): Progress {
  if (node !== "parse" && node !== "report") return progress;
  const state = STATE_AFTER[type];
  return state === undefined ? progress : { ...progress, [node]: state };
}

function afterInspectEvent(progress: Progress, type: string): Progress {
  const packages = progress.packages + (type === "node.ready" ? 1 : 0);
  const inspected = progress.inspected + (type === "node.done" ? 1 : 0);
  if (type === "node.failed") return { ...progress, inspect: "failed" };
  return { ...progress, packages, inspected, inspect: packages > 0 && inspected === packages ? "done" : "running" };
}

const STATE_AFTER: Readonly<Record<string, StepState>> = {
  "node.started": "running",
  "node.done": "done",
  "node.failed": "failed",
};

function stepState(status: string | undefined): StepState {
  if (status === "done" || status === "failed" || status === "running") return status;
  return status === "retrying" ? "running" : "waiting";
}

function fanOutState(steps: SnapshotPart["nodes"], inspected: number): StepState {
  if (steps.some((node) => node.status === "failed")) return "failed";
  if (steps.length === 0) return "waiting";
  return inspected === steps.length ? "done" : "running";
}
