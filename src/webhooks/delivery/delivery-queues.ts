/**
 * Decides which delivery starts next, from rows of the store.
 * Each registration has two queues: first attempts and retries. A slow endpoint fills its own slots only; retries take at most half of an
 * endpoint's slots and half of all, so that old failures never delay new deliveries; one slot is reserved for retries if there are any,
 * so that new deliveries never block them either.
 * Rows stay in the store until a queue may start one: a backlog of any length costs a page of memory. Without a backlog, rows of a commit
 * are used directly and never read. The queues are in memory only: after a crash, a row is still pending in the store and is sent again
 * with the same id.
 */
import type { DeliveryRow, OutboxRow, WebhookStore } from "../../storage/contract/webhook-rows.ts";
import {
  deliveryOf,
  FOREVER_MS,
  hasWork,
  isIdle,
  isOtherwise,
  newDeliveryQueue,
  POSTPONED,
  renew,
  type Endpoint,
  type DeliveryQueue,
  type Reading,
} from "./delivery-queue.ts";

export interface DeliveryLimits {
  /** Limit of concurrent attempts. */
  total: number;
  /** Limit of concurrent attempts of one registration. */
  perEndpoint: number;
}

/** Each is a socket, and a process has a limit of sockets. */
export const MOST_CONNECTIONS = 4096;

export const DEFAULT_LIMITS: DeliveryLimits = { total: 64, perEndpoint: 8 };

/** Rows that wait in memory over all queues, about; and in one queue. */
const HELD_ROWS = 1024;
const LARGEST_PAGE = 128;
const SMALLEST_PAGE = 4;

/** Slots of a registration now; with none, the time until which it waits. */
export interface Room {
  slots: number;
  untilMs: number;
}

export interface DeliveryQueuesOptions {
  limits: DeliveryLimits;
  store: Pick<WebhookStore, "due" | "nextDueMs">;
  now: () => number;
  /** Called before each start. */
  roomOf: (registrationId: string) => Room;
}

export class DeliveryQueues {
  readonly #options: DeliveryQueuesOptions;
  readonly #endpoints = new Map<string, Endpoint>();
  /** Registrations that may have work, in turn: one that gets a slot goes to the end. */
  readonly #ready = new Set<Endpoint>();
  /** Registrations whose retries wait for the share of all retries. */
  readonly #crowded = new Set<Endpoint>();
  /** Queues with a free slot and no row, although the store may have one. */
  readonly #hungry = new Set<DeliveryQueue>();
  #active = 0;
  #activeRetries = 0;
  #wakeMs = FOREVER_MS;

  constructor(options: DeliveryQueuesOptions) {
    this.#options = options;
  }

  /** Number of running attempts. */
  get active(): number {
    return this.#active;
  }

  /** When the next row is due; `FOREVER_MS` if none is. */
  get wakeMs(): number {
    return this.#wakeMs;
  }

  /** The store may have work for this registration. */
  wake(registrationId: string): void {
    const endpoint = this.#endpoint(registrationId);
    for (const deliveryQueue of [endpoint.first, endpoint.retries]) renew(deliveryQueue);
    this.#ready.add(endpoint);
  }

  /** A commit has added this row. It may be sent without being read. */
  offer(row: OutboxRow): void {
    const endpoint = this.#endpoint(row.registrationId);
    const { first } = endpoint;
    this.#ready.add(endpoint);
    // Rows in the store come first.
    if (first.mayHaveMore || first.reading || row.dueMs > this.#options.now() || first.queue.length >= this.#page)
      return renew(first);
    first.queue.push(deliveryOf(row));
    first.held.set(row.id, 0);
  }

  /** Rows that may wait in one queue. */
  get #page(): number {
    return Math.max(SMALLEST_PAGE, Math.min(LARGEST_PAGE, Math.floor(HELD_ROWS / this.#endpoints.size)));
  }

  /** Ends a hold and looks again. */
  resume(registrationId: string): void {
    this.#endpoint(registrationId).holdUntilMs = 0;
    this.wake(registrationId);
  }

  /** Starts nothing of a registration until then, and drops queued rows; the store still has them. */
  hold(registrationId: string, untilMs: number): void {
    const endpoint = this.#endpoint(registrationId);
    endpoint.holdUntilMs = untilMs;
    for (const deliveryQueue of [endpoint.first, endpoint.retries]) {
      for (const row of deliveryQueue.queue.splice(0)) deliveryQueue.held.delete(row.id);
      renew(deliveryQueue);
      if (deliveryQueue.reading) deliveryQueue.reading.isDelayed = true;
    }
    this.#ready.delete(endpoint);
    this.#wakeMs = Math.min(this.#wakeMs, untilMs);
  }

  /** Looks for rows that are due by now. */
  tick(): void {
    const nowMs = this.#options.now();
    this.#wakeMs = FOREVER_MS;
    for (const endpoint of this.#endpoints.values()) {
      if (this.#keepHold(endpoint, nowMs)) continue;
      for (const deliveryQueue of [endpoint.first, endpoint.retries]) {
        if (deliveryQueue.wakeMs <= nowMs) renew(deliveryQueue);
        else this.#wakeMs = Math.min(this.#wakeMs, deliveryQueue.wakeMs);
      }
      if (hasWork(endpoint)) this.#ready.add(endpoint);
      else if (isIdle(endpoint)) this.#endpoints.delete(endpoint.id);
    }
  }

  /** The next row to start, with its slot taken; undefined if none may start, or none is read: see {@link read}. */
  next(): DeliveryRow | undefined {
    if (this.#active >= this.#options.limits.total) return undefined;
    for (const endpoint of this.#ready) {
      const row = this.#take(endpoint);
      this.#ready.delete(endpoint);
      if (!row) continue;
      this.#ready.add(endpoint);
      return row;
    }
    return undefined;
  }

  /** Whether slots are free for queues of which the store may have rows. */
  get isHungry(): boolean {
    return this.#hungry.size > 0;
  }

  /** Reads a page for each of these queues. Rejects with errors of the store. */
  async read(): Promise<void> {
    const queues = [...this.#hungry];
    this.#hungry.clear();
    for (const { registrationId } of queues) this.#ready.add(this.#endpoint(registrationId));
    await Promise.all(queues.map((deliveryQueue) => this.#read(deliveryQueue)));
  }

  /** Frees a slot. The row stays held, so that it is not read again before its attempt is recorded. */
  finish(row: DeliveryRow): void {
    const deliveryQueue = this.#queueOf(row);
    deliveryQueue.active--;
    this.#active--;
    if (deliveryQueue.isRetry) this.#activeRetries--;
    this.#ready.add(this.#endpoint(row.registrationId));
    for (const endpoint of this.#crowded) this.#ready.add(endpoint);
    this.#crowded.clear();
  }

  /** The row is about to be postponed in the store without an attempt. If it is due afterwards, an operator has released it. */
  putOff(row: DeliveryRow): void {
    this.#queueOf(row).held.set(row.id, POSTPONED);
  }

  /** Releases a row. @param dueMs time of the retry, if there is one */
  release(row: DeliveryRow, dueMs?: number): void {
    const deliveryQueue = this.#queueOf(row);
    deliveryQueue.reading?.released.set(row.id, deliveryQueue.held.get(row.id) ?? POSTPONED);
    deliveryQueue.held.delete(row.id);
    // The change of this row has been handled.
    if (deliveryQueue.passedOver.delete(row.id)) this.#lookAt(deliveryQueue);
    if (dueMs === undefined) return;
    const { retries } = this.#endpoint(row.registrationId);
    if (retries.reading) retries.reading.hasNew = true;
    retries.wakeMs = Math.min(retries.wakeMs, dueMs);
    this.#wakeMs = Math.min(this.#wakeMs, dueMs);
  }

  #lookAt(deliveryQueue: DeliveryQueue): void {
    renew(deliveryQueue);
    this.#ready.add(this.#endpoint(deliveryQueue.registrationId));
  }

  #take(endpoint: Endpoint): DeliveryRow | undefined {
    if (this.#keepHold(endpoint, this.#options.now())) return undefined;
    const { slots, untilMs } = this.#options.roomOf(endpoint.id);
    if (slots === 0) {
      this.hold(endpoint.id, untilMs);
      return undefined;
    }
    const { first, retries } = endpoint;
    if (first.active + retries.active >= slots) return undefined;
    const order = retries.active === 0 ? [retries, first] : [first, retries];
    let isHungry = false;
    for (const deliveryQueue of order) {
      if (deliveryQueue.isRetry && !this.#mayRetry(endpoint, slots)) continue;
      // Nothing starts before the first row of the order is read.
      const row = isHungry ? undefined : deliveryQueue.queue.shift();
      if (row) return this.#start(deliveryQueue, row);
      if (deliveryQueue.queue.length > 0 || !deliveryQueue.mayHaveMore) continue;
      this.#hungry.add(deliveryQueue);
      isHungry = true;
    }
    return undefined;
  }

  /** Keeps a hold until its time, even if the clock is set back afterwards. @returns whether it still holds */
  #keepHold(endpoint: Endpoint, nowMs: number): boolean {
    if (endpoint.holdUntilMs > nowMs) this.#wakeMs = Math.min(this.#wakeMs, endpoint.holdUntilMs);
    else endpoint.holdUntilMs = 0;
    return endpoint.holdUntilMs > nowMs;
  }

  #mayRetry(endpoint: Endpoint, slots: number): boolean {
    if (endpoint.retries.active >= Math.max(1, Math.floor(slots / 2))) return false;
    if (this.#activeRetries < Math.max(1, Math.floor(this.#options.limits.total / 2))) return true;
    this.#crowded.add(endpoint);
    return false;
  }

  #start(deliveryQueue: DeliveryQueue, row: DeliveryRow): DeliveryRow {
    deliveryQueue.active++;
    this.#active++;
    if (deliveryQueue.isRetry) this.#activeRetries++;
    return row;
  }

  /** Reads a page of due rows. Held rows are in it again, so as many more are requested. */
  async #read(deliveryQueue: DeliveryQueue): Promise<void> {
    const { store, now } = this.#options;
    const page = this.#page;
    const limit = page + deliveryQueue.held.size;
    const nowMs = now();
    const reading: Reading = { released: new Map(), hasNew: false, isDelayed: false };
    deliveryQueue.reading = reading;
    try {
      const rows = await store.due(deliveryQueue, nowMs, limit);
      if (reading.isDelayed) return;
      const others = rows.filter(({ id }) => !deliveryQueue.held.has(id) && !reading.released.has(id));
      deliveryQueue.passedOver = new Set(
        rows.filter((row) => isOtherwise(row, deliveryQueue.held)).map(({ id }) => id),
      );
      if (rows.some((row) => isOtherwise(row, reading.released))) reading.hasNew = true;
      deliveryQueue.queue = others.slice(0, page);
      for (const { id, attempts } of deliveryQueue.queue) deliveryQueue.held.set(id, attempts);
      const isLast = rows.length < limit && others.length <= page;
      const wakeMs = isLast ? ((await store.nextDueMs(deliveryQueue, nowMs)) ?? FOREVER_MS) : FOREVER_MS;
      deliveryQueue.mayHaveMore = !isLast || reading.hasNew;
      if (deliveryQueue.mayHaveMore) return;
      deliveryQueue.wakeMs = wakeMs;
      this.#wakeMs = Math.min(this.#wakeMs, wakeMs);
    } finally {
      deliveryQueue.reading = undefined;
    }
  }

  #queueOf(row: DeliveryRow): DeliveryQueue {
    const { first, retries } = this.#endpoint(row.registrationId);
    return row.attempts > 0 ? retries : first;
  }

  #endpoint(id: string): Endpoint {
    let endpoint = this.#endpoints.get(id);
    if (!endpoint) {
      endpoint = { id, first: newDeliveryQueue(id, false), retries: newDeliveryQueue(id, true), holdUntilMs: 0 };
      this.#endpoints.set(id, endpoint);
    }
    return endpoint;
  }
}
