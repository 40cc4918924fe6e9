/**
 * The two lanes of a registration, as they stand: what waits in each, what is held of it, and what is known of the rest in the store. Data,
 * and what can be said of it alone; delivery-queues.ts moves rows through them.
 */
import type { DeliveryLane, DeliveryRow, OutboxRow } from "../../storage/contract/webhook-rows.ts";

/** When nothing falls due. */
export const FOREVER_MS = Number.MAX_SAFE_INTEGER;
/** In place of the attempts of a row that the store has otherwise by now. */
export const POSTPONED = -1;

/** First attempts of a registration, or retries. */
export interface DeliveryQueue extends DeliveryLane {
  queue: DeliveryRow[];
  active: number;
  /** Rows of this lane that are waiting, under way, or ended and not yet on record; of each, its attempts as it was taken, or {@link POSTPONED}. */
  held: Map<string, number>;
  /** Those of them that the last page had as due otherwise than they are held: made so again, by whoever replays or releases them. */
  passedOver: Set<string>;
  /** The store may have due rows that are not in the queue. */
  mayHaveMore: boolean;
  /** When the store's next row falls due. */
  wakeMs: number;
  /** A page that is being read. */
  reading: Reading | undefined;
}

/** What has happened since a page was asked for, and may not be in it. */
export interface Reading {
  /** Rows that were let go of, as they were held: if the page has them so, what it says is over. */
  released: Map<string, number>;
  /** The store may have rows that it had not. */
  hasNew: boolean;
  /** Nothing may start any more. */
  isHeldUp: boolean;
}

/** A registration with its two lanes. */
export interface Endpoint {
  id: string;
  first: DeliveryQueue;
  retries: DeliveryQueue;
  /** Nothing starts before. */
  holdUntilMs: number;
}

/** A row of an outbox as it is once it is stored. Written out: spread and added to, an object of so many fields takes 5 µs and 3 KB. */
export function deliveryOf(row: OutboxRow): DeliveryRow {
  const { id, registrationId, graphId, event, epoch, pauseNo, body, createdMs, dueMs } = row;
  return {
    id,
    registrationId,
    graphId,
    event,
    epoch,
    pauseNo,
    body,
    createdMs,
    dueMs,
    status: "pending",
    attempts: 0,
    deliveredMs: undefined,
  };
}

export function newDeliveryQueue(registrationId: string, isRetry: boolean): DeliveryQueue {
  return {
    registrationId,
    isRetry,
    queue: [],
    active: 0,
    held: new Map(),
    passedOver: new Set(),
    mayHaveMore: true,
    wakeMs: FOREVER_MS,
    reading: undefined,
  };
}

/** Whether a page has a row as due that has changed since it was taken. */
export function isOtherwise({ id, attempts }: DeliveryRow, taken: ReadonlyMap<string, number>): boolean {
  const before = taken.get(id);
  return before !== undefined && before !== attempts;
}

/** Its next look reads. */
export function renew(lane: DeliveryQueue): void {
  lane.mayHaveMore = true;
  if (lane.reading) lane.reading.hasNew = true;
}

export function hasWork({ first, retries }: Endpoint): boolean {
  return [first, retries].some((lane) => lane.mayHaveMore || lane.queue.length > 0);
}

export function isIdle({ first, retries }: Endpoint): boolean {
  return [first, retries].every((lane) => lane.held.size === 0 && lane.wakeMs === FOREVER_MS);
}
