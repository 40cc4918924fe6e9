/** Rows of the outbox: for a transition of a run, or for a sample without a run. */
import type { OutboxRow } from "../../storage/contract/webhook-rows.ts";
import { createGraphId, randomHex } from "../../platform/security/random.ts";
import type { PayloadSource } from "./payload.ts";

/** Begins with the time: consecutive rows are neighbours in the store, which is several times faster. */
function newDeliveryId(nowMs: number): string {
  const time = Math.max(0, Math.trunc(nowMs)).toString(16).padStart(12, "0").slice(-12);
  return `msg_${time}${randomHex(10)}`;
}

export function outboxRow(
  registrationId: string,
  source: PayloadSource & { epoch?: number; pauseNo?: number },
  body: string,
): OutboxRow {
  return {
    id: newDeliveryId(source.timestampMs),
    registrationId,
    graphId: source.graphId,
    event: source.event,
    epoch: source.epoch ?? 0,
    pauseNo: source.pauseNo ?? 0,
    body,
    createdMs: source.timestampMs,
    dueMs: source.timestampMs,
  };
}

/** A payload without a run. Its run id is new, so that samples never count as duplicates. */
export function sample(event: "ping" | "graph.done", nowMs: number): PayloadSource {
  const graphId = createGraphId(nowMs);
  const isPing = event === "ping";
  return {
    event,
    graphId,
    worker: isPing ? "ping" : "sample",
    status: "done",
    timestampMs: nowMs,
    durationMs: isPing ? 0 : 4200,
    result: isPing ? {} : { message: "This is a sample." },
    error: undefined,
  };
}
