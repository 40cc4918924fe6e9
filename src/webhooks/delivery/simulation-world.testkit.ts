/**
 * The world of a simulation of deliveries: a process that is slow, fails and dies at any call of its store, and receivers that respond
 * arbitrarily.
 */
import { SimulatedClock, type Clock } from "../../platform/shared/clock.ts";
import type { Store } from "../../storage/contract/contract.ts";
import type { DeliveryRow } from "../../storage/contract/webhook-rows.ts";
import type { AttemptResult } from "./attempt.ts";
import type { Sending } from "./delivery-loop.ts";

/** Pseudo-random numbers by seed (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  isOneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }
}

export interface World {
  dice: Dice;
  clock: SimulatedClock;
  receivers: Receivers;
  /** Calls of the store until each process dies. */
  deathsIn: number[];
  /** Writes at which the store still fails: not written, or written without an answer. */
  faults: number;
  /** Nothing fails any more. */
  isOver: boolean;
}

const never = <T>(): Promise<T> => new Promise(() => undefined);
/** Members that every store answers synchronously. */
const AT_ONCE = new Set<PropertyKey>(["known", "onOutbox", "onEvents", "eventsAtHand", "hasPending"]);
const WRITES =
  /^(commit|saveRegistration|changeRegistration|deleteRegistration|addDelivery|release|recordAttempts|requeue|requeueFailed|giveUp|forgetPings)$/;

/** One process, seen from its store, its clock and the network: a dead one has no effect any more. */
export class Life {
  isDead = false;
  readonly clock: Clock;
  readonly store: Store;
  readonly sending: Sending;
  readonly #world: World;
  readonly #onDeath: () => void;
  /** A store handles and answers calls in order. */
  #lastAskedMs = 0;
  #lastReportedMs = 0;

  constructor(store: Store, world: World, onDeath: () => void) {
    this.#world = world;
    this.#onDeath = onDeath;
    const { clock, receivers } = world;
    this.clock = {
      now: () => clock.now(),
      elapsed: () => clock.elapsed(),
      schedule: (delayMs, run) => clock.schedule(delayMs, () => void (this.isDead || run())),
    };
    this.store = { ...store, graphs: this.#through(store.graphs), webhooks: this.#through(store.webhooks) };
    this.sending = {
      send: async (row, { rawUrl }) => {
        const result = await receivers.take(rawUrl, row);
        return this.isDead ? never() : result;
      },
      destroy: async () => undefined,
    };
  }

  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.#onDeath();
  }

  #through<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (from, key) => {
        const value: unknown = Reflect.get(from, key);
        if (typeof value !== "function") return value;
        const method = value.bind(from) as (...given: unknown[]) => unknown;
        if (key === "onOutbox")
          return (listener: (...reported: unknown[]) => void) =>
            method((...reported: unknown[]) => void (this.isDead || listener(...reported)));
        if (AT_ONCE.has(key)) return method;
        return (...given: unknown[]) =>
          this.#call(() => method(...given) as Promise<unknown>, WRITES.test(String(key)));
      },
    });
  }

  /** Executed a moment later, or never; answered a moment after that, or never. */
  async #call(work: () => Promise<unknown>, isWrite: boolean): Promise<unknown> {
    const { dice } = this.#world;
    this.#mayDie();
    this.#lastAskedMs = await this.#until(this.#lastAskedMs, dice.below(4));
    const fault = isWrite && this.#isFault() ? new Error("the disk is full") : undefined;
    if (fault && dice.isOneIn(2)) throw fault;
    const value = await work();
    this.#mayDie();
    this.#lastReportedMs = await this.#until(this.#lastReportedMs, isWrite ? dice.below(6) : 0);
    if (fault) throw fault;
    return value;
  }

  #isFault(): boolean {
    const { dice, isOver } = this.#world;
    if (isOver || this.#world.faults === 0 || !dice.isOneIn(15)) return false;
    this.#world.faults--;
    return true;
  }

  #mayDie(): void {
    const { deathsIn, isOver } = this.#world;
    if (this.isDead || isOver || deathsIn[0] === undefined || --deathsIn[0] > 0) return;
    deathsIn.shift();
    this.die();
  }

  /** @returns the time after this delay, but not before earlier answers. On a clock that is never set. */
  #until(notBeforeMs: number, delayMs: number): Promise<number> {
    if (this.isDead) return never();
    const { clock } = this.#world;
    const nowMs = clock.now() - clock.aheadMs;
    const atMs = Math.max(notBeforeMs, nowMs + delayMs);
    if (atMs === nowMs) return Promise.resolve(atMs);
    return new Promise((resolve) => void clock.schedule(atMs - nowMs, () => void (this.isDead || resolve(atMs))));
  }
}

export interface Receipt {
  url: string;
  deliveryId: string;
  graphId: string;
  event: string;
  statusCode: number | undefined;
  atMs: number;
}

/** All received requests, with their responses. */
export class Receivers {
  readonly receipts: Receipt[] = [];
  readonly #dice: Dice;
  readonly #clock: SimulatedClock;
  /** Behaviour of a receiver: refusals in ten requests, and its longest delay. */
  readonly #nature = new Map<string, { refuses: number; slowMs: number; isGone: boolean }>();
  /** Accepts everything at once. */
  isGood = false;

  constructor(dice: Dice, clock: SimulatedClock) {
    this.#dice = dice;
    this.#clock = clock;
  }

  /** A request in flight arrives, whatever happens to its sender. */
  take(url: string, { id: deliveryId, graphId, event }: DeliveryRow): Promise<AttemptResult> {
    const dice = this.#dice;
    const startedMs = this.#clock.now();
    const { refuses, slowMs, isGone } = this.#natureOf(url);
    const isLate = !this.isGood && dice.isOneIn(12);
    const durationMs = isLate ? 15_000 : 1 + dice.below(this.isGood ? 5 : slowMs);
    const statusCode = isLate ? undefined : this.isGood || dice.below(10) >= refuses ? 200 : isGone ? 410 : 503;
    const error = statusCode === 200 ? undefined : isLate ? "no answer within 15 s" : `answered ${statusCode}`;
    return new Promise((resolve) => {
      this.#clock.schedule(durationMs, () => {
        this.receipts.push({ url, deliveryId, graphId, event, statusCode, atMs: this.#clock.now() });
        const response = statusCode === undefined ? undefined : "";
        const result = { startedMs, durationMs, statusCode, response, error };
        resolve({ ...result, responseHeaders: undefined, retryAfterMs: undefined, timings: undefined });
      });
    });
  }

  #natureOf(url: string): { refuses: number; slowMs: number; isGone: boolean } {
    const dice = this.#dice;
    let nature = this.#nature.get(url);
    if (!nature) {
      nature = { refuses: dice.pick([0, 0, 2, 5]), slowMs: dice.pick([3, 100, 2000]), isGone: dice.isOneIn(8) };
      this.#nature.set(url, nature);
    }
    return nature;
  }
}
