/** What is done to graphs from outside, and who does it. */
import type { Duration } from "../../platform/shared/clock.ts";
import type { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Origin } from "../../storage/contract/graph-rows.ts";
import type { GraphQuery } from "../../storage/contract/queries.ts";

/** Who steers a graph by hand, and why: kept in the event of the step, for whoever asks later. */
export interface Steering {
  /** `operator`, a user's id. Default: nobody is named. */
  by?: string;
  /** Why, in a few words. */
  note?: string;
  /** The client's address: kept in the audit trail, not told in events. */
  address?: string;
}

/** `by` is kept in the event `graph.queued`; a start with a `note` is in the audit trail too, as something done by hand. */
export interface StartOptions extends Steering {
  /** The same key again, for the same name, is the same graph. */
  idempotencyKey?: string;
  /** Time until the run may start, such as `"10m"`. Default: none. */
  delay?: Duration;
  /** Added to the workers' (see there). A whole number from -1000 to 1000; default 0. */
  priority?: number;
  /** Earliest start, Unix milliseconds; `delay` counts from it. A time in the past means now. */
  at?: number;
  tags?: string[];
  /** What it is, in a few words, until a worker says more (`ctx.summary`). One line; beyond 200 characters it is cut. Default: none. */
  summary?: string;
  /** What starts it, for lists. Default: the action, form or route that is being answered, else the app's code. */
  origin?: Origin;
  /** The graph that this one belongs to, and which of its nodes: shown in both, and found by. */
  parent?: { graphId: string; node?: string };
}

export interface PauseOptions extends Steering {
  /**
   * Time in which running nodes may reach their end or their next step, such as `"30s"`. After it they are aborted, and begin again when
   * the run is resumed; the attempt does not count. Default: no limit.
   */
  grace?: Duration;
}

export interface RetryOptions extends Steering {
  /**
   * A node, or an item of a fan-out such as `inspect/3`: it runs again, and all that comes after it, also in a graph that
   * is done. What they came to before is kept (`pastNodes`). Default: all that is not done, in a graph that has failed.
   */
  from?: string;
}

export interface ForkOptions extends Steering {
  /** The first node to run in the new graph; results of those it doesn't come after are copied. */
  from: string;
  /** Input of that node, in place of what its definition makes. */
  input?: Json;
}

export interface SignalOptions extends Steering {
  /** Sent once for each key, however often it is called. */
  idempotencyKey?: string;
}

export type BulkAction = "pause" | "resume" | "cancel" | "retry";

export interface BulkOptions extends Steering {
  /** Which graphs; an empty one is all. */
  filter: Omit<GraphQuery, "limit" | "cursor">;
  /** Most graphs to steer. Default and most 10,000. */
  limit?: number;
  /** Where an earlier call ended: graphs with lower ids only. */
  cursor?: string;
  /** Only counts: with a cursor one by one from there, as many as `limit`; without, as `engine.list` tells their total. */
  isDryRun?: boolean;
  /** Told how far it has come, after each hundred or so; what it gives is waited for. */
  onProgress?: (soFar: Readonly<BulkReport>) => void | Promise<void>;
  /** Once aborted no further hundred is begun: `next_cursor` says where to go on. */
  signal?: AbortSignal;
  /** Told of each that did not allow it or was gone, and why. Must not throw. */
  onRefused?: (graphId: string, refusal: SvcError) => void;
}

export interface BulkReport {
  action: BulkAction;
  /** Graphs that the filter fits, by the time it began. */
  matched: number;
  changed: number;
  /** Graphs that did not allow it. */
  refused: number;
  dry_run: boolean;
  /** Where to go on; null when none is left. */
  next_cursor: string | null;
}
