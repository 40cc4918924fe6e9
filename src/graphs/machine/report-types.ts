/** Reports of an engine to its observers. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphStatus, WebhookEvent } from "../../platform/shared/wire.ts";
import type { Failure } from "../../storage/contract/graph-rows.ts";
import type { OutboxRow } from "../../storage/contract/webhook-rows.ts";

/** Facts about a transition that sends webhooks. */
export interface LifecycleEvent {
  event: WebhookEvent;
  graphId: string;
  worker: string;
  status: GraphStatus;
  timestampMs: number;
  durationMs: number;
  result: Json | undefined;
  error: Failure | undefined;
  epoch: number;
  pauseNo: number;
}

/** An ended attempt, for metrics and traces. */
export interface AttemptReport {
  graphId: string;
  node: string;
  worker: string;
  epoch: number;
  attempt: number;
  startedMs: number;
  endedMs: number;
  outcome: "done" | "failed" | "timeout" | "aborted";
  /** Message of a failure. */
  message: string | undefined;
}

/** Attempts of one worker in this process now. */
export interface QueueReport {
  worker: string;
  running: number;
  /** Ready, without a slot. */
  waiting: number;
  /** Since when the first of them has waited; absent if none waits. */
  sinceMs?: number;
}

/**
 * Provided by the webhooks layer: the rows to write in the transition's own transaction.
 * @param isAgain whether this is the second call for an event, because other processes have changed the registrations meanwhile
 */
export type OutboxRows = (event: LifecycleEvent, isAgain?: boolean) => OutboxRow[];
