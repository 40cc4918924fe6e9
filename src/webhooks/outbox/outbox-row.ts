/** Deliveries as they come into the outbox: the row of one that tells of a graph, or of a sample that none made, and its id. */
import type { OutboxRow } from "../../storage/contract/webhook-rows.ts";
import { createGraphId, randomHex } from "../../platform/security/random.ts";
import type { PayloadSource } from "./payload.ts";

/** Begins with the time: rows that come one after the other stand side by side in the store, which is several times quicker. */
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

/** A payload that no graph made; its graph id is fresh, so that samples never count as repeats of each other. */
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
