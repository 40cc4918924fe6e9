/**
 * How far an audit is: from a snapshot on the server, and from the event stream in the browser, by the same rules, so
 * that a page which is reloaded and a page which listens show the same. Pure and small: it ships to the browser.
 */

/** State of one of the graph's three nodes, as the page shows it; `unrun` once the graph has ended before its turn. */
export type StepState = "waiting" | "running" | "done" | "failed" | "unrun";

export type Progress = {
  parse: StepState;
  inspect: StepState;
  report: StepState;
  /** Packages inspected, and how many there are; 0 while nobody knows. */
  inspected: number;
  packages: number;
  isPaused: boolean;
  isOver: boolean;
};

/** What the rules need of an event of the stream. */
export type StreamEvent = { type: string; node?: string };

/** What the rules need of a snapshot. */
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

/** @returns how far the audit is after `event`; events must come in order and once. */
export function afterEvent(progress: Progress, event: StreamEvent): Progress {
  if (event.type.startsWith("graph.")) return afterGraphEvent(progress, event.type);
  const node = event.node ?? "";
  return node.startsWith(INSPECT)
    ? afterInspectEvent(progress, event.type)
    : afterStepEvent(progress, node, event.type);
}

/** One sentence for people who listen instead of look; changes seldom, so that it doesn't chatter. */
export function progressSentence(progress: Progress): string {
  if (progress.isPaused) return "The audit is paused.";
  if (progress.isOver) return "The audit has ended.";
  if (progress.parse !== "done") return "Reading the lockfile.";
  if (progress.report !== "waiting" || progress.inspect === "done") return "Writing the report.";
  const quarter = Math.floor((4 * progress.inspected) / Math.max(1, progress.packages));
  return `Inspecting the packages${QUARTERS[quarter] ?? ""}.`;
}

/** Of nothing yet and of all nothing is said: beside the count "0 percent" would be wrong. */
const QUARTERS = ["", ": a quarter is done", ": half is done", ": three quarters are done"];

function afterGraphEvent(progress: Progress, type: string): Progress {
  const isOver = type === "graph.done" || type === "graph.failed";
  return {
    ...(isOver ? withoutWaiting(progress) : progress),
    isPaused: type === "graph.paused" || (progress.isPaused && type !== "graph.resumed"),
    isOver,
  };
}

/** Nothing waits in a graph that has ended. */
function withoutWaiting(progress: Progress): Progress {
  const ended = (state: StepState): StepState => (state === "waiting" ? "unrun" : state);
  const { parse, inspect, report } = progress;
  return { ...progress, parse: ended(parse), inspect: ended(inspect), report: ended(report) };
}

/** What a node's state is called on the page. */
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
