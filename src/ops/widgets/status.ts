/**
 * What every status looks like: colour, shape and word, never colour alone. The colours are tokens of flow.css (`--svc-<tone>`), the
 * shapes outlines for a square of 16; words and shapes are told apart without either of the others.
 */

/** Statuses of graphs, nodes and what their workers did, as they are shown. */
export type FlowStatus =
  | "queued"
  | "running"
  | "waiting"
  | "retrying"
  | "paused"
  | "done"
  | "failed"
  | "skipped"
  /** Its graph has ended before its turn came. */
  | "unrun"
  | "cancelling"
  | "cancelled"
  | "compensating"
  | "compensated"
  | "uncompensated";

export interface StatusLook {
  /** For people, in lower case. */
  word: string;
  /** Name of the colour: statuses that mean alike share one. */
  tone: "idle" | "live" | "wait" | "warn" | "held" | "good" | "bad" | "void";
  /** Path data, drawn with a line of 2 and no filling. */
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
  compensating: { word: "undoing", tone: "warn", shape: BACK },
  compensated: { word: "undone", tone: "void", shape: `${BACK}M11 3h3` },
  uncompensated: { word: "not undone", tone: "bad", shape: "M8 2L14.5 13.5H1.5zM8 6.5v3M8 11.5v.2" },
};
