/**
 * Deliveries claimed in memory, one lane per registration, and which of them may start: pure bookkeeping, no I/O.
 *
 * A slow endpoint fills its own lane and its own slots and nothing else. A claim is only in memory: after a crash the
 * row is still pending in the store, and is sent again with the same id.
 */
import type { DeliveryRow } from "../store/contract.ts";

export interface LaneLimits {
  /** Attempts under way at once, in all. */
  total: number;
  /** … and to one registration. */
  perEndpoint: number;
  /** Rows claimed per lane, waiting and under way; more stay in the store. */
  claimsPerLane: number;
}

export const DEFAULT_LIMITS: LaneLimits = { total: 64, perEndpoint: 8, claimsPerLane: 32 };

interface Lane {
  queue: DeliveryRow[];
  active: number;
}

export class Lanes {
  readonly #limits: LaneLimits;
  /** In turn: a lane that got a slot goes to the end. */
  readonly #lanes = new Map<string, Lane>();
  readonly #claimed = new Set<string>();
  #active = 0;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  /** Rows held, waiting and under way. */
  get claimed(): number {
    return this.#claimed.size;
  }

  get active(): number {
    return this.#active;
  }

  isClaimed(deliveryId: string): boolean {
    return this.#claimed.has(deliveryId);
  }

  /** Takes a row, unless it is held already or its lane is full. */
  claim(row: DeliveryRow): void {
    const lane = this.#lanes.get(row.registrationId) ?? { queue: [], active: 0 };
    if (this.#claimed.has(row.id) || this.#isFull(lane)) return;
    this.#lanes.set(row.registrationId, lane);
    this.#claimed.add(row.id);
    lane.queue.push(row);
  }

  /** Registrations whose lane takes no more rows. */
  full(): string[] {
    return [...this.#lanes].filter(([, lane]) => this.#isFull(lane)).map(([id]) => id);
  }

  /**
   * The next row that may start, its slot taken; undefined when none may.
   * @param slotsOf how many slots a registration has now: the usual number, 1 while its breaker probes, 0 while it waits
   */
  next(slotsOf: (registrationId: string, usual: number) => number): DeliveryRow | undefined {
    if (this.#active >= this.#limits.total) return undefined;
    for (const [id, lane] of this.#lanes) {
      const isIdle = lane.queue.length === 0 || lane.active >= this.#limits.perEndpoint;
      if (isIdle || lane.active >= slotsOf(id, this.#limits.perEndpoint)) continue;
      lane.active++;
      this.#active++;
      this.#lanes.delete(id);
      this.#lanes.set(id, lane);
      return lane.queue.shift();
    }
    return undefined;
  }

  /** Gives a slot back. @returns whether the lane ran empty, so that the store may hold more rows for it */
  finish(row: DeliveryRow): boolean {
    const lane = this.#lanes.get(row.registrationId);
    this.#claimed.delete(row.id);
    this.#active--;
    if (!lane) return true;
    lane.active--;
    if (lane.queue.length > 0) return false;
    if (lane.active === 0) this.#lanes.delete(row.registrationId);
    return true;
  }

  /** Lets go of the rows of a registration that have not started; the store still has them. */
  release(registrationId: string): void {
    const lane = this.#lanes.get(registrationId);
    for (const row of lane?.queue.splice(0) ?? []) this.#claimed.delete(row.id);
    if (lane?.active === 0) this.#lanes.delete(registrationId);
  }

  #isFull(lane: Lane): boolean {
    return lane.queue.length + lane.active >= this.#limits.claimsPerLane;
  }
}
