/** The topics that pages can follow, and the messages they receive. */
import type { Subject } from "./change-log.ts";

/**
 * A topic opened with a token carries it, because the token may have expired when the page reconnects. Topics are sealed in the stream's
 * URL, so a client cannot choose one.
 */
export type LiveTopic =
  | { topic: "graph"; id: string; nodeHref?: string; token?: string }
  | { topic: "events"; id: string; token?: string }
  | { topic: "workers" }
  | { topic: "overview"; runHref?: string }
  | { topic: "changes"; of: Subject[] };

/** An update of a page: parts to replace and rows to append. */
export interface Patch {
  /** HTML of elements, by their `data-part`. */
  parts?: Record<string, string>;
  /** HTML of rows to append, oldest first. */
  rows?: string[];
  /** Rows that were left out before these. */
  skipped?: number;
}

export interface News {
  /** The position of a follower that has received this. */
  cursor: string;
  patch: Patch;
  /** Whether more is available immediately. */
  hasMore?: boolean;
}

/** A followed topic, shared by all its followers. */
export interface Feed {
  /** Number of changes so far. */
  readonly version: number;
  /** Resolves at the next change; immediately if `version` differs from `seen`. */
  changed(seen: number, signal: AbortSignal): Promise<void>;
  /** The news since `cursor`; an empty cursor means that its state is unknown. Undefined: nothing new. */
  since(cursor: string): Promise<News | undefined>;
  stop(): void;
}
