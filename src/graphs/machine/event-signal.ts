/**
 * An event reaches a step that waits for it as a signal to this step. Owns the names and keys of these signals. Each has the id of its step in
 * its name, so no other wait receives it.
 */
import type { Json } from "../../platform/shared/json.ts";
import type { SentEvent } from "../definition/event-types.ts";
import { sentMsOf, type SentEventRow } from "../../storage/contract/sent-events.ts";

const PREFIX = "event:";

export type EventId = Pick<SentEventRow, "name" | "id">;

/** Name of the signal to a step. */
export function eventSignal(stepId: string): string {
  return PREFIX + stepId;
}

/** The step to which a signal brings an event; undefined: it is another signal. */
export function stepOfEventSignal(name: string): string | undefined {
  return name.startsWith(PREFIX) && name.includes("#") ? name.slice(PREFIX.length) : undefined;
}

/** A step receives an event once. */
export function eventKey(stepId: string, eventId: string): string {
  return `${PREFIX}${stepId}/${eventId}`;
}

/** Idempotency key of a run that an event has started. */
export function startKey({ name, id }: EventId): string {
  return `${PREFIX}${name}/${id}`;
}

/** The event as its receiver gets it. */
export function sentEventOf(row: SentEventRow): SentEvent {
  return { id: row.id, name: row.name, data: row.data, sentMs: sentMsOf(row) };
}

/** The event in the payload of its signal, or in the result of its step, which svc wrote. */
export function eventIn(value: Json | undefined): EventId {
  return value as unknown as SentEvent;
}

/** Data of the event `graph.signal` of a run that has received one. */
export function eventData(payload: Json): { name: string; event_id: string } {
  const { name, id } = eventIn(payload);
  return { name, event_id: id };
}
