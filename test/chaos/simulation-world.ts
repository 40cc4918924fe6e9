/**
 * The world of one simulation: time that moves by itself from one thing to the next, and processes whose store is late, answers out of
 * order, refuses, and at any of whose calls they may die. What is on its way to the store when a process dies is written, lost, or
 * written late, when another process has long taken its place.
 */
import type { Clock, Store } from "svckit/graph";
import type { Dice } from "./simulation-plan.ts";
import type { Trace } from "./simulation-trace.ts";

export type { Store };

type Unit = Parameters<Store["graphs"]["commit"]>[0];

interface Due {
  atMs: number;
  order: number;
  run: () => void;
  isOff: boolean;
}

/** Whatever falls due runs in order of time, then of when it was asked for. */
export class Timeline implements Clock {
  #nowMs: number;
  #order = 0;
  readonly #due: Due[] = [];
  /** Calls of the store that are with it. */
  activeCount = 0;
  /** How far the clock of the machine is from the time: it was set. Timers take no notice of that. */
  aheadMs = 0;

  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  elapsed(): number {
    return this.#nowMs;
  }

  schedule(delayMs: number, run: () => void): { cancel: () => void } {
    const due: Due = { atMs: this.#nowMs + Math.max(0, delayMs), order: this.#order++, run, isOff: false };
    let at = this.#due.length;
    while (at > 0 && isBefore(due, this.#due[at - 1] as Due)) at--;
    this.#due.splice(at, 0, due);
    return { cancel: () => void (due.isOff = true) };
  }

  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await this.#settle();
    for (let next = this.#due[0]; next && next.atMs <= endMs; next = this.#due[0]) {
      this.#due.shift();
      if (next.isOff) continue;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
      await this.#settle();
    }
    this.#nowMs = endMs;
  }

  async #settle(): Promise<void> {
    do await new Promise<void>((resolve) => setImmediate(resolve));
    while (this.activeCount > 0);
  }
}

function isBefore(one: Due, other: Due): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** What can be done wrong on purpose, so that it is seen to be found. */
export type Bug =
  /** A commit is acknowledged before it is written. */
  | "early"
  /** Who writes late is not refused. */
  | "unfenced"
  /** A timer is lost, one of forty. */
  | "timer"
  /** The row of a webhook is written once more, one of ten. */
  | "twice";

export interface Trouble {
  trace: Trace;
  dice: Dice;
  bug: Bug | undefined;
  /** Numbers of the store's calls at which a process dies, ascending. */
  deathsAt: number[];
  faults: number;
  /** Calls of the store, of all processes. */
  calls: number;
  /** Nothing more goes wrong. */
  isOver: boolean;
}

interface Waiting {
  unit: Unit;
  resolve: (hasHeld: boolean) => void;
  reject: (error: unknown) => void;
}

const never = <T>(): Promise<T> => new Promise(() => undefined);

/** One process, seen from its store and its clock: when it is dead nothing of it is heard any more. */
export class Life {
  isDead = false;
  readonly clock: Clock;
  readonly store: Store;
  readonly #timeline: Timeline;
  readonly #inner: Store["graphs"];
  readonly #trouble: Trouble;
  readonly #onDeath: () => void;
  /** Units on their way, in the order they came: a store writes them in it. */
  readonly #line: Waiting[] = [];
  #lastAnswerMs = new Map<string, number>();

  constructor(store: Store, timeline: Timeline, trouble: Trouble, onDeath: () => void) {
    this.#timeline = timeline;
    this.#inner = store.graphs;
    this.#trouble = trouble;
    this.#onDeath = onDeath;
    this.clock = {
      now: () => timeline.now() + timeline.aheadMs,
      elapsed: () => timeline.elapsed(),
      schedule: (delayMs, run) => {
        const isLost = trouble.bug === "timer" && trouble.dice.isOneIn(40);
        return timeline.schedule(delayMs, () => void (this.isDead || isLost || run()));
      },
    };
    this.store = { ...store, graphs: this.#graphs(), schedules: this.#schedules(store.schedules) };
  }

  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    const { dice, bug } = this.#trouble;
    const left = this.#line.splice(0);
    const written = bug === "early" ? 0 : dice.below(left.length + 1);
    // That it is refused, nobody is there to hear.
    const write = (unit: Unit): void => void this.#write(unit).catch(() => undefined);
    for (const { unit } of left.slice(0, written)) write(unit);
    for (const { unit } of left.slice(written)) this.#trouble.trace.wrote(unit, "lost, or late");
    // Lost, or, as of a process that was frozen, late.
    if (dice.isOneIn(2))
      this.#timeline.schedule(dice.below(3000), () => {
        for (const { unit } of left.slice(written)) write(bug === "unfenced" ? unfenced(unit) : unit);
      });
    this.#onDeath();
  }

  #graphs(): Store["graphs"] {
    return new Proxy(this.#inner, {
      get: (target, key) => {
        if (key === "commit") return (unit: Unit) => this.#commit(unit);
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        const method = value.bind(target) as (...given: unknown[]) => unknown;
        if (key === "onEvents" || key === "eventsAtHand") return method;
        return (...given: unknown[]) => this.#read(() => method(...given));
      },
    });
  }

  #schedules(inner: Store["schedules"]): Store["schedules"] {
    return new Proxy(inner, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        const method = value.bind(target) as (...given: unknown[]) => unknown;
        return (...given: unknown[]) => this.#read(() => this.#faulty(() => method(...given)));
      },
    });
  }

  /** Now and then it fails, and may have been written nevertheless. */
  async #faulty(work: () => unknown): Promise<unknown> {
    const { dice, isOver } = this.#trouble;
    const isFault = !isOver && this.#trouble.faults > 0 && dice.isOneIn(20);
    if (!isFault) return work();
    this.#trouble.faults--;
    if (dice.isOneIn(2)) await work();
    throw new Error("the disk is full");
  }

  #isDeath(): boolean {
    const { isOver, deathsAt } = this.#trouble;
    const call = ++this.#trouble.calls;
    if (isOver || deathsAt[0] === undefined || call < deathsAt[0]) return false;
    deathsAt.shift();
    this.die();
    return true;
  }

  #read(read: () => unknown): Promise<unknown> {
    if (this.isDead || this.#isDeath()) return never();
    return new Promise((resolve, reject) => {
      this.#timeline.schedule(this.#trouble.dice.below(3), () => {
        if (this.isDead) return;
        this.#counted(read()).then((value) => (this.isDead ? undefined : resolve(value)), reject);
      });
    });
  }

  #commit(unit: Unit): Promise<boolean> {
    if (this.isDead || this.#isDeath()) return never();
    const { dice, bug, isOver } = this.#trouble;
    return new Promise((resolve, reject) => {
      if (!isOver && this.#trouble.faults > 0 && dice.isOneIn(20)) {
        this.#trouble.faults--;
        this.#trouble.trace.wrote(unit, "the disk is full");
        this.#answer(unit, () => reject(new Error("the disk is full")));
        return;
      }
      if (bug === "early") this.#answer(unit, () => resolve(true));
      this.#line.push({ unit, resolve, reject });
      if (this.#line.length === 1) this.#timeline.schedule(dice.below(bug === "early" ? 30 : 4), () => this.#flush());
    });
  }

  #flush(): void {
    if (this.isDead) return;
    for (const { unit, resolve, reject } of this.#line.splice(0))
      this.#write(unit).then((hasHeld) => this.#answer(unit, () => resolve(hasHeld)), reject);
  }

  /** Later, though not before the one before of this graph; and perhaps never. */
  #answer(unit: Unit, answer: () => void): void {
    if (this.isDead || this.#isDeath()) return;
    const earliestMs = this.#lastAnswerMs.get(unit.graphId) ?? 0;
    const atMs = Math.max(earliestMs, this.#timeline.now() + this.#trouble.dice.below(6));
    this.#lastAnswerMs.set(unit.graphId, atMs);
    this.#timeline.schedule(atMs - this.#timeline.now(), () => void (this.isDead || answer()));
  }

  #write(unit: Unit): Promise<boolean> {
    const { bug, dice } = this.#trouble;
    const again = bug === "twice" && dice.isOneIn(10) ? (unit.outbox ?? []) : [];
    const outbox = [...(unit.outbox ?? []), ...again.map((row) => ({ ...row, id: `${row.id}again`, pauseNo: 99 }))];
    return this.#counted(this.#traced(unit, this.#inner.commit(again.length > 0 ? { ...unit, outbox } : unit)));
  }

  async #traced(unit: Unit, answer: Promise<boolean>): Promise<boolean> {
    const hasHeld = await answer;
    this.#trouble.trace.wrote(unit, hasHeld ? "written" : "refused");
    return hasHeld;
  }

  /** Time stands still until the store has answered: how long that takes is drawn, not measured. */
  async #counted<T>(answer: T | Promise<T>): Promise<T> {
    this.#timeline.activeCount++;
    try {
      return await answer;
    } finally {
      this.#timeline.activeCount--;
    }
  }
}

function unfenced(unit: Unit): Unit {
  const { fence: _, ...rest } = unit;
  return rest;
}
