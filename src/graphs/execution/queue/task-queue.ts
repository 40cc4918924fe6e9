/**
 * The attempts of one worker: how many run, which waits, and which of those is next. Decides; what is started, and that its
 * start is committed, is dispatcher.ts.
 *
 * Who is next: the one that has waited longest, where each point of priority counts as a minute of waiting. So nothing
 * starves: whoever comes more than a minute per point later comes after. Those that are held back by a limit of their key
 * let the others pass. Nothing here looks through those that wait: a step costs the logarithm of their number.
 */
import type { Clock, Timer } from "../../../platform/shared/clock.ts";
import { durationMs } from "../../../platform/shared/clock.ts";
import { Heap, type Ordered } from "./heap.ts";
import { RateWindow } from "./rate-window.ts";
import { ShutGate } from "./remote-rate-gate.ts";
import type { AnyOptions } from "../../definition/worker-types.ts";

/** A worker's attempts at once, unless its options say otherwise. */
const DEFAULT_CONCURRENCY = 16;

/** Attempts of one worker that a process waits for in others, at the most: enough to keep several of them at work, and bounded. */
const PLACES_ELSEWHERE = 128;

/** What a point of priority is worth. Long enough to matter in a backlog, short enough that the rest gets its turn. */
const PRIORITY_POINT_MS = 60_000;

function givenTotal({ concurrency }: AnyOptions): number | undefined {
  return typeof concurrency === "object" ? concurrency.total : concurrency;
}

/** How many attempts of a worker run at once in one process. */
export function localPlaces(options: AnyOptions): number {
  const total = givenTotal(options);
  return Math.min(options.perProcess ?? total ?? DEFAULT_CONCURRENCY, total ?? Infinity);
}

/** What an attempt is counted under, where limits are per key. */
export interface Keys {
  readonly concurrency: string;
  readonly rate: string;
}

export const NO_KEYS: Keys = { concurrency: "", rate: "" };

/** Of what runs here for a graph of another process, where it is counted. */
export const COUNTED_ELSEWHERE: Keys = { concurrency: "", rate: "" };

/** A place in the queue. */
export interface Seat extends Ordered {
  readonly keys: Keys;
  /** False for what goes on after a wait: it was counted when it started. */
  readonly isStart: boolean;
  /** Whether it is still to be taken: its graph may have been cancelled or paused since. */
  isWanted(): boolean;
  /** It was not wanted when its turn came, and waits no more. */
  dropped(): void;
}

/** Where a seat stands among others. */
export function orderOf(nowMs: number, priority: number): number {
  return nowMs - priority * PRIORITY_POINT_MS;
}

/** Those that wait under the same keys: what holds one back holds back all. */
interface Group<S extends Seat> {
  readonly name: string;
  readonly keys: Keys;
  readonly seats: Heap<S>;
  isParked: boolean;
}

/** How many run under one key; groups that wait for one of them to end. */
interface KeyGate<S extends Seat> {
  running: number;
  parked: Group<S>[];
}

interface RateGate<S extends Seat> {
  readonly window: RateWindow | ShutGate;
  parked: Group<S>[];
}

/** An entry per group, of its first seat as of then; it is stale when that is another by now. */
interface Entry<S extends Seat> extends Ordered {
  readonly group: Group<S>;
}

interface OpeningGate<S extends Seat> extends Ordered {
  readonly gate: RateGate<S>;
}

/** Who takes from a lane. */
export interface LaneOwner {
  /** A rate lets more through from now on. */
  opened(): void;
}

export interface LaneOptions {
  options: AnyOptions;
  clock: Clock;
  /** The rate is counted by all processes together, elsewhere. */
  isShared?: boolean;
  /** They run in other processes, where they wait for places. */
  isElsewhere?: boolean;
  owner: LaneOwner;
}

export class Lane<S extends Seat> {
  readonly #clock: Clock;
  readonly #owner: LaneOwner;
  readonly #total: number;
  readonly #perKey: number;
  readonly #rate: { limit: number; perMs: number } | undefined;
  readonly #isShared: boolean;
  readonly #groups = new Map<string, Group<S>>();
  readonly #ready = new Heap<Entry<S>>();
  readonly #keyGates = new Map<string, KeyGate<S>>();
  /** In the order they were last used, oldest first. */
  readonly #rateGates = new Map<string, RateGate<S>>();
  readonly #opening = new Heap<OpeningGate<S>>();
  #timer: { timer: Timer; atMs: number } | undefined;
  /** Nothing starts; what goes on after a wait does. */
  isPaused = false;
  #seq = 0;
  #running = 0;
  #waiting = 0;

  constructor({ options, clock, isShared = false, isElsewhere = false, owner }: LaneOptions) {
    const { concurrency, rate } = options;
    this.#isShared = isShared;
    this.#clock = clock;
    this.#owner = owner;
    this.#total = isElsewhere ? Math.min(PLACES_ELSEWHERE, givenTotal(options) ?? Infinity) : localPlaces(options);
    this.#perKey = typeof concurrency === "object" ? concurrency.limit : Infinity;
    this.#rate = rate && { limit: rate.limit, perMs: durationMs(rate.per) };
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** The next of each key. */
  heads(): S[] {
    return [...this.#groups.values()].flatMap(({ seats }) => seats.peek() ?? []);
  }

  /** Takes a place at once, where there is room and nobody waits who could have it. */
  enter(keys: Keys): boolean {
    if (
      this.isPaused ||
      this.#running >= this.#total ||
      (this.#waiting > 0 && this.next()) ||
      this.#closedGate(keys, true)
    )
      return false;
    this.#occupy(keys, true);
    return true;
  }

  wait(seat: S): void {
    const name = keys2name(seat.keys, seat.isStart);
    let group = this.#groups.get(name);
    if (!group) {
      group = { name, keys: seat.keys, seats: new Heap<S>(), isParked: false };
      this.#groups.set(name, group);
    }
    group.seats.push(seat);
    this.#waiting++;
    if (!group.isParked && group.seats.peek() === seat) this.#ready.push({ order: seat.order, seq: seat.seq, group });
    // So that a closed gate has its timer.
    this.next();
  }

  /** Who may take a place now. */
  next(): S | undefined {
    if (this.#running >= this.#total) return undefined;
    for (let entry = this.#ready.peek(); entry; entry = this.#ready.peek()) {
      const { group } = entry;
      const seat = group.seats.peek();
      if (group.isParked || seat?.seq !== entry.seq) this.#ready.pop();
      else if (!seat.isWanted()) {
        this.#drop(group);
        seat.dropped();
      }
      // What goes on stands before all that starts.
      else if (seat.isStart && this.isPaused) return undefined;
      else if (this.#closedGate(seat.keys, seat.isStart)) this.#park(group, seat);
      else return seat;
    }
    return undefined;
  }

  /** Gives a place to who is next. */
  take(): S | undefined {
    const seat = this.next();
    const entry = this.#ready.peek();
    if (!seat || !entry) return undefined;
    this.#drop(entry.group);
    this.#occupy(seat.keys, seat.isStart);
    return seat;
  }

  leave(keys: Keys): void {
    this.#running--;
    if (keys === COUNTED_ELSEWHERE) return;
    const { concurrency } = keys;
    const gate = this.#keyGates.get(concurrency);
    if (!gate) return;
    if (--gate.running === 0) this.#keyGates.delete(concurrency);
    for (const group of gate.parked.splice(0)) this.#unpark(group);
  }

  /** The rate of these keys lets none through for so long. */
  shut({ rate }: Keys, waitMs: number): void {
    const { window } = this.#rateGate(rate);
    if (window instanceof ShutGate) window.shut(this.#clock.now(), waitMs);
  }

  nextSeq(): number {
    return this.#seq++;
  }

  #occupy(keys: Keys, isStart: boolean): void {
    this.#running++;
    if (this.#perKey !== Infinity && keys !== COUNTED_ELSEWHERE) this.#keyGate(keys.concurrency).running++;
    if (this.#rate && isStart) this.#rateGate(keys.rate).window.take(this.#clock.now());
  }

  /** Takes the first seat out of the group that is first. */
  #drop(group: Group<S>): void {
    this.#ready.pop();
    group.seats.pop();
    this.#waiting--;
    const head = group.seats.peek();
    if (head) this.#ready.push({ order: head.order, seq: head.seq, group });
    else this.#groups.delete(group.name);
  }

  #closedGate(keys: Keys, isStart: boolean): "key" | "rate" | undefined {
    if (keys === COUNTED_ELSEWHERE) return undefined;
    if (this.#perKey !== Infinity && (this.#keyGates.get(keys.concurrency)?.running ?? 0) >= this.#perKey) return "key";
    if (!this.#rate || !isStart) return undefined;
    const nowMs = this.#clock.now();
    return this.#rateGate(keys.rate).window.opensAtMs(nowMs) > nowMs ? "rate" : undefined;
  }

  /** Out of the way, until what holds it back is over. */
  #park(group: Group<S>, { keys, isStart }: S): void {
    this.#ready.pop();
    group.isParked = true;
    if (this.#closedGate(keys, isStart) === "key") return void this.#keyGate(keys.concurrency).parked.push(group);
    const gate = this.#rateGate(keys.rate);
    if (gate.parked.push(group) > 1) return;
    this.#opening.push({ order: gate.window.opensAtMs(this.#clock.now()), seq: this.#seq++, gate });
    this.#arm();
  }

  #unpark(group: Group<S>): void {
    group.isParked = false;
    const head = group.seats.peek();
    if (head) this.#ready.push({ order: head.order, seq: head.seq, group });
  }

  /** One timer for all that wait: for the gate that opens first. */
  #arm(): void {
    const first = this.#opening.peek();
    if (!first || (this.#timer && this.#timer.atMs <= first.order)) return;
    this.#timer?.timer.cancel();
    // Nobody waits longer than the rate's time, unless the clock was set back meanwhile: then who is let through is judged anew.
    const waitMs = Math.min(first.order - this.#clock.now(), this.#rate?.perMs ?? Infinity);
    const timer = this.#clock.schedule(Math.max(0, waitMs), () => this.#openGates());
    this.#timer = { timer, atMs: first.order };
  }

  #openGates(): void {
    // What the timer was set for has come, whatever the clock was set to since.
    const nowMs = Math.max(this.#clock.now(), this.#timer?.atMs ?? 0);
    this.#timer = undefined;
    for (let first = this.#opening.peek(); first && first.order <= nowMs; first = this.#opening.peek()) {
      this.#opening.pop();
      for (const group of first.gate.parked.splice(0)) this.#unpark(group);
    }
    this.#arm();
    this.#owner.opened();
  }

  #keyGate(key: string): KeyGate<S> {
    let gate = this.#keyGates.get(key);
    if (!gate) this.#keyGates.set(key, (gate = { running: 0, parked: [] }));
    return gate;
  }

  #rateGate(key: string): RateGate<S> {
    const { limit, perMs } = this.#rate as { limit: number; perMs: number };
    const gate = this.#rateGates.get(key) ?? {
      window: this.#isShared ? new ShutGate() : new RateWindow(limit, perMs),
      parked: [],
    };
    this.#rateGates.delete(key);
    this.#rateGates.set(key, gate);
    this.#forgetIdleGate();
    return gate;
  }

  /** Keys come and go, and must not add up: at each use, the one that was not used for longest may be forgotten. */
  #forgetIdleGate(): void {
    const oldest = this.#rateGates.entries().next().value;
    if (
      oldest &&
      this.#rateGates.size > 1 &&
      oldest[1].parked.length === 0 &&
      oldest[1].window.isIdle(this.#clock.now())
    )
      this.#rateGates.delete(oldest[0]);
  }
}

function keys2name(keys: Keys, isStart: boolean): string {
  if (keys === COUNTED_ELSEWHERE) return "elsewhere";
  const { concurrency, rate } = keys;
  if (concurrency === "" && rate === "" && isStart) return "";
  return JSON.stringify([concurrency, rate, isStart]);
}
