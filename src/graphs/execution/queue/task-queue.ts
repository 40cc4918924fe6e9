/**
 * The attempts of one worker: how many run, which wait, and which is next. Decides only; dispatcher.ts starts attempts and has their
 * start committed.
 * The next is the one that has waited longest, where each priority point equals a minute's head start. So none starves. Attempts that a
 * limit of their key blocks let others pass. No operation scans the queue: each costs the logarithm of its length.
 */
import type { Clock, Timer } from "../../../platform/shared/clock.ts";
import { durationMs } from "../../../platform/shared/clock.ts";
import { Heap, type Ordered } from "./heap.ts";
import { RateWindow } from "./rate-window.ts";
import { ShutGate } from "./remote-rate-gate.ts";
import type { AnyOptions } from "../../definition/worker-types.ts";

/** Concurrent attempts of a worker, unless its options say otherwise. */
const DEFAULT_CONCURRENCY = 16;

/** Most attempts of one worker for which a process waits in others: enough to keep several busy. */
const REMOTE_SLOTS = 128;

/** Head start of a priority point. Long enough to matter in a backlog, short enough that the rest gets its turn. */
const PRIORITY_POINT_MS = 60_000;

function givenTotal({ concurrency }: AnyOptions): number | undefined {
  return typeof concurrency === "object" ? concurrency.total : concurrency;
}

/** Concurrent attempts of a worker in one process. */
export function localSlots(options: AnyOptions): number {
  const total = givenTotal(options);
  return Math.min(options.perProcess ?? total ?? DEFAULT_CONCURRENCY, total ?? Infinity);
}

/** Keys that count an attempt, if limits are per key. */
export interface Keys {
  readonly concurrency: string;
  readonly rate: string;
}

export const NO_KEYS: Keys = { concurrency: "", rate: "" };

/** Keys of an attempt for a run of another process, which counts it there. */
export const COUNTED_REMOTELY: Keys = { concurrency: "", rate: "" };

/** An entry of the queue. */
export interface QueueItem extends Ordered {
  readonly keys: Keys;
  /** False after a wait: it was counted when it started. */
  readonly isStart: boolean;
  /** Whether it is still needed: the run may have been cancelled or paused. */
  isWanted(): boolean;
  /** Called when it is not needed at its turn and leaves the queue. */
  dropped(): void;
}

/** Order of an entry. */
export function orderOf(nowMs: number, priority: number): number {
  return nowMs - priority * PRIORITY_POINT_MS;
}

/** Entries with the same keys: a limit that blocks one blocks all. */
interface Group<S extends QueueItem> {
  readonly name: string;
  readonly keys: Keys;
  readonly items: Heap<S>;
  isParked: boolean;
}

/** Running attempts of one key, and groups that wait for one of them to end. */
interface KeyGate<S extends QueueItem> {
  running: number;
  parked: Group<S>[];
}

interface RateGate<S extends QueueItem> {
  readonly window: RateWindow | ShutGate;
  parked: Group<S>[];
}

/** An entry for each group, by the group's first element at the time. Stale once that has changed. */
interface Entry<S extends QueueItem> extends Ordered {
  readonly group: Group<S>;
}

interface OpeningGate<S extends QueueItem> extends Ordered {
  readonly gate: RateGate<S>;
}

/** Owner of a queue. */
export interface QueueOwner {
  /** A rate allows more starts from now on. */
  opened(): void;
}

export interface TaskQueueOptions {
  options: AnyOptions;
  clock: Clock;
  /** The rate is counted in the database, for all processes. */
  isShared?: boolean;
  /** The attempts run in other processes, where they wait for slots. */
  isRemote?: boolean;
  owner: QueueOwner;
}

export class TaskQueue<S extends QueueItem> {
  readonly #clock: Clock;
  readonly #owner: QueueOwner;
  readonly #total: number;
  readonly #perKey: number;
  readonly #rate: { limit: number; perMs: number } | undefined;
  readonly #isShared: boolean;
  readonly #groups = new Map<string, Group<S>>();
  readonly #ready = new Heap<Entry<S>>();
  readonly #keyGates = new Map<string, KeyGate<S>>();
  /** In order of last use, oldest first. */
  readonly #rateGates = new Map<string, RateGate<S>>();
  readonly #opening = new Heap<OpeningGate<S>>();
  #timer: { timer: Timer; atMs: number } | undefined;
  /** Nothing starts. Attempts continue after waits. */
  isPaused = false;
  #seq = 0;
  #running = 0;
  #waiting = 0;

  constructor({ options, clock, isShared = false, isRemote = false, owner }: TaskQueueOptions) {
    const { concurrency, rate } = options;
    this.#isShared = isShared;
    this.#clock = clock;
    this.#owner = owner;
    this.#total = isRemote ? Math.min(REMOTE_SLOTS, givenTotal(options) ?? Infinity) : localSlots(options);
    this.#perKey = typeof concurrency === "object" ? concurrency.limit : Infinity;
    this.#rate = rate && { limit: rate.limit, perMs: durationMs(rate.per) };
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** The next entry of each key. */
  heads(): S[] {
    return [...this.#groups.values()].flatMap(({ items }) => items.peek() ?? []);
  }

  /** Takes a slot at once if there is one and no other entry could take it. */
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

  wait(item: S): void {
    const name = keys2name(item.keys, item.isStart);
    let group = this.#groups.get(name);
    if (!group) {
      group = { name, keys: item.keys, items: new Heap<S>(), isParked: false };
      this.#groups.set(name, group);
    }
    group.items.push(item);
    this.#waiting++;
    if (!group.isParked && group.items.peek() === item) this.#ready.push({ order: item.order, seq: item.seq, group });
    // Starts the timer of a closed gate.
    this.next();
  }

  /** The entry that may take a slot now. */
  next(): S | undefined {
    if (this.#running >= this.#total) return undefined;
    for (let entry = this.#ready.peek(); entry; entry = this.#ready.peek()) {
      const { group } = entry;
      const item = group.items.peek();
      if (group.isParked || item?.seq !== entry.seq) this.#ready.pop();
      else if (!item.isWanted()) {
        this.#drop(group);
        item.dropped();
      }
      // Entries that continue come before all that start.
      else if (item.isStart && this.isPaused) return undefined;
      else if (this.#closedGate(item.keys, item.isStart)) this.#park(group, item);
      else return item;
    }
    return undefined;
  }

  /** Gives a slot to the next entry. */
  take(): S | undefined {
    const item = this.next();
    const entry = this.#ready.peek();
    if (!item || !entry) return undefined;
    this.#drop(entry.group);
    this.#occupy(item.keys, item.isStart);
    return item;
  }

  leave(keys: Keys): void {
    this.#running--;
    if (keys === COUNTED_REMOTELY) return;
    const { concurrency } = keys;
    const gate = this.#keyGates.get(concurrency);
    if (!gate) return;
    if (--gate.running === 0) this.#keyGates.delete(concurrency);
    for (const group of gate.parked.splice(0)) this.#unpark(group);
  }

  /** The worker of an entry that was a start is called. */
  started({ rate }: Keys): void {
    if (this.#rate) this.#rateGate(rate).window.started(this.#clock.now());
  }

  /** The worker of an entry that was a start will not be called. */
  notStarted({ rate }: Keys): void {
    if (this.#rate) this.#rateGate(rate).window.giveBack();
  }

  /** Blocks these keys: their rate allows nothing for this time. */
  shut({ rate }: Keys, waitMs: number): void {
    const { window } = this.#rateGate(rate);
    if (window instanceof ShutGate) window.shut(this.#clock.now(), waitMs);
  }

  nextSeq(): number {
    return this.#seq++;
  }

  #occupy(keys: Keys, isStart: boolean): void {
    this.#running++;
    if (this.#perKey !== Infinity && keys !== COUNTED_REMOTELY) this.#keyGate(keys.concurrency).running++;
    if (this.#rate && isStart) this.#rateGate(keys.rate).window.take();
  }

  /** Removes the first entry of the first group. */
  #drop(group: Group<S>): void {
    this.#ready.pop();
    group.items.pop();
    this.#waiting--;
    const head = group.items.peek();
    if (head) this.#ready.push({ order: head.order, seq: head.seq, group });
    else this.#groups.delete(group.name);
  }

  #closedGate(keys: Keys, isStart: boolean): "key" | "rate" | undefined {
    if (keys === COUNTED_REMOTELY) return undefined;
    if (this.#perKey !== Infinity && (this.#keyGates.get(keys.concurrency)?.running ?? 0) >= this.#perKey) return "key";
    if (!this.#rate || !isStart) return undefined;
    const nowMs = this.#clock.now();
    return this.#rateGate(keys.rate).window.opensAtMs(nowMs) > nowMs ? "rate" : undefined;
  }

  /** Removes a group from the order until its limit allows it again. */
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
    const head = group.items.peek();
    if (head) this.#ready.push({ order: head.order, seq: head.seq, group });
  }

  /** One timer for all waiting groups, for the gate that opens first. */
  #arm(): void {
    const first = this.#opening.peek();
    if (!first || (this.#timer && this.#timer.atMs <= first.order)) return;
    this.#timer?.timer.cancel();
    // No wait is longer than the rate's period, unless the clock was set back: the order is computed again then.
    const waitMs = Math.min(first.order - this.#clock.now(), this.#rate?.perMs ?? Infinity);
    const timer = this.#clock.schedule(Math.max(0, waitMs), () => this.#openGates());
    this.#timer = { timer, atMs: first.order };
  }

  #openGates(): void {
    // The timer has fired, so its time has come, whatever the clock says since.
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

  /** Bounds the number of keys: at each use, the least recently used idle one is forgotten. */
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
  if (keys === COUNTED_REMOTELY) return "elsewhere";
  const { concurrency, rate } = keys;
  if (concurrency === "" && rate === "" && isStart) return "";
  return JSON.stringify([concurrency, rate, isStart]);
}
