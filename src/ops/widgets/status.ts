/**
 * The look of every status: color, shape and word, so that color is never the only difference. Colors are tokens of flow.css
 * (`--svc-<tone>`); shapes are outlines in a square of 16.
 */

/** Statuses of graphs, nodes and their steps, as shown. */
export type FlowStatus =
  | "queued"
  | "running"
  | "waiting"
  | "retrying"
  | "paused"
  | "done"
  | "failed"
  | "skipped"
  /** The graph ended before the node could start. */
  | "unrun"
  | "cancelling"
  | "cancelled"
  | "compensating"
  | "compensated"
  | "uncompensated";

export interface StatusLook {
  /** Display text in lower case. */
  word: string;
  /** Name of the color. Related statuses share one. */
  tone: "idle" | "live" | "wait" | "warn" | "held" | "good" | "bad" | "void";
  /** SVG path data, drawn with a stroke of 2 and no fill. */
  shape: string;
}

const RING = "M8 2a6 6 0 1 0 0 12a6 6 0 1 0 0-12z";
const BACK = "M5 3L2 6l3 3M2 6h7a4 4 0 0 1 0 8H6";

export const STATUS_LOOKS: Readonly<Record<FlowStatus, StatusLook>> = {
  queued: { word: "queued", tone: "idle", shape: RING },
  running: { word: "running", tone: "live", shape: `${RING}M6.8 5.6L10.4 8L6.8 10.4z` },
  waiting: { word: "waiting", tone: "wait", shape: "M8 1.5L14.5 8L8 14.5L1.5 8z" },
  retrying: { word: "retrying", tone: "warn", shape: "M13.5 8a5.5 5.5 0 1 1-2-4.2M13.5 1.5v3h-3" },
  paused: { word: "paused", tone: "held", shape: "M5.5 3v10M10.5 3v10" },
  done: { word: "done", tone: "good", shape: "M2.5 8.5L6.5 12.5L13.5 4" },
  failed: { word: "failed", tone: "bad", shape: "M3 3L13 13M13 3L3 13" },
  skipped: { word: "skipped", tone: "void", shape: "M2 8h2.5M6.75 8h2.5M11.5 8H14" },
  unrun: { word: "not run", tone: "void", shape: "M5 8h6" },
  cancelling: { word: "cancelling", tone: "held", shape: `${RING}M5 8h6` },
  cancelled: { word: "cancelled", tone: "void", shape: `${RING}M4 12L12 4` },
  compensating: { word: "compensating", tone: "warn", shape: BACK },
  compensated: { word: "compensated", tone: "void", shape: `${BACK}M11 3h3` },
  uncompensated: { word: "not compensated", tone: "bad", shape: "M8 2L14.5 13.5H1.5zM8 6.5v3M8 11.5v.2" },
};
