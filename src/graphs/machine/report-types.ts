/** What an engine tells those who watch it. */
import type { Json } from "../../platform/shared/json.ts";
import type { GraphStatus, WebhookEvent } from "../../platform/shared/wire.ts";
import type { Failure } from "../../storage/contract/graph-rows.ts";
import type { OutboxRow } from "../../storage/contract/webhook-rows.ts";

/** What the outbox needs to know of a transition that sends webhooks. */
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

/** An attempt of a node that has ended, for those who count or trace. */
export interface AttemptReport {
  graphId: string;
  node: string;
  worker: string;
  epoch: number;
  attempt: number;
  startedMs: number;
  endedMs: number;
  outcome: "done" | "failed" | "timeout" | "aborted";
  /** Of what failed. */
  message: string | undefined;
}

/** Attempts of one worker in this process, at this moment. */
export interface LaneReport {
  worker: string;
  running: number;
  /** Ready, and without a place yet. */
  waiting: number;
  /** Since when the first of them has waited; absent where none waits. */
  sinceMs?: number;
}

/**
 * Given by the webhooks layer: the rows to write in the transition's own transaction.
 * @param isAgain asked a second time of an event, since other processes have changed the registrations meanwhile
 */
export type OutboxRows = (event: LifecycleEvent, isAgain?: boolean) => OutboxRow[];
