/** What pages follow, and what they are sent of it. */
import type { Subject } from "./change-log.ts";

/**
 * Of what was opened with a token, the token, for it may be over when the page comes back. A topic stands sealed in the address of a
 * stream, so that it can't be chosen by whoever asks.
 */
export type LiveTopic =
  | { topic: "graph"; id: string; nodeHref?: string; token?: string }
  | { topic: "events"; id: string; token?: string }
  | { topic: "workers" }
  | { topic: "overview"; runHref?: string }
  | { topic: "changes"; of: Subject[] };

/** A piece of news: elements by the names of their parts, rows to append. */
export interface Patch {
  /** HTML of elements, by their `data-part`. */
  parts?: Record<string, string>;
  /** HTML of rows to append, oldest first. */
  rows?: string[];
  /** Rows that were left out before these. */
  skipped?: number;
}

export interface News {
  /** Where the one who gets it stands then. */
  cursor: string;
  patch: Patch;
  /** Whether there is more at once. */
  hasMore?: boolean;
}

/** A topic while somebody follows it: shared by all who do. */
export interface Feed {
  /** Counts changes. */
  readonly version: number;
  /** Resolves with the next change; at once where `version` is not `seen`. */
  changed(seen: number, signal: AbortSignal): Promise<void>;
  /** What somebody at `cursor` has not seen; empty: the page as it came is unknown. Undefined: nothing. */
  since(cursor: string): Promise<News | undefined>;
  stop(): void;
}
