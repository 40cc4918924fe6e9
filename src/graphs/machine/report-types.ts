/** Reports of an engine to its observers. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphStatus, WebhookEvent } from "../../platform/shared/wire.ts";
import type { Failure, NodeKind } from "../../storage/contract/graph-rows.ts";
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

/** An ended step, sleep or wait, for traces. */
export interface StepReport {
  graphId: string;
  epoch: number;
  /** The node of the attempt. */
  node: string;
  attempt: number;
  /** Its key, or its kind and number: `sleep~2`. */
  step: string;
  kind: NodeKind;
  startedMs: number;
  endedMs: number;
  /** Message of a failure; also of a wait that timed out. */
  message: string | undefined;
}

/** A run that this process has started. */
export interface StartReport {
  graphId: string;
  worker: string;
  epoch: number;
  startedMs: number;
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
