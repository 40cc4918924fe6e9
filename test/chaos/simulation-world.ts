/**
 * The environment of a simulation: time that advances from event to event, and processes whose store is slow, answers out of order, rejects
 * commits, and at any of whose calls the process may die. When a process dies, its pending commits are written, lost, or written late,
 * when another process has already taken over.
 */
import type { Clock, Store } from "svckit/graph";
import type { Dice } from "./simulation-plan.ts";
import type { Trace } from "./simulation-trace.ts";

export type { Store };

type Transition = Parameters<Store["graphs"]["commit"]>[0];
type LimitedKey = Parameters<Store["admission"]["admit"]>[0];

interface Due {
  atMs: number;
  order: number;
  run: () => void;
  isOff: boolean;
}

/** Turns of the event loop without a pending call of the store, after which the engine only waits for time. */
const CALM_TURNS = 3;

/** Runs timers in order of due time, then in the order in which they were set. */
export class Timeline implements Clock {
  #nowMs: number;
  #order = 0;
  readonly #due: Due[] = [];
  /** Number of pending calls of the real store. */
  activeCount = 0;
  /** How far the machine's clock is ahead, after it was set. Timers ignore it. */
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

  /** The engine leaves single turns to the event loop, for example between slices of runs. Simulated time must not pass in them. */
  async #settle(): Promise<void> {
    for (let calm = 0; calm < CALM_TURNS; calm = this.activeCount > 0 ? 0 : calm + 1)
      await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

function isBefore(one: Due, other: Due): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** Bugs that can be planted to verify that the simulation detects them. */
export type Bug =
  /** A commit is acknowledged before it is written. */
  | "early"
  /** A late write is not rejected. */
  | "unfenced"
  /** One timer of forty is lost. */
  | "timer"
  /** One webhook row of ten is written twice. */
  | "twice"
  /** One run too many is admitted. */
  | "crowd";

export interface Trouble {
  trace: Trace;
  dice: Dice;
  bug: Bug | undefined;
  /** Numbers of the store calls at which a process dies, ascending. */
  deathsAt: number[];
  faults: number;
  /** Number of store calls by all processes. */
  calls: number;
  /** Whether faults are over. */
  isOver: boolean;
  /** Records a broken promise of the store. */
  isWrong: (what: string) => void;
}

interface Waiting {
  transition: Transition;
  resolve: (isCommitted: boolean) => void;
  reject: (error: unknown) => void;
}

const never = <T>(): Promise<T> => new Promise(() => undefined);

/** One process, as seen by its store and clock. Once dead, it has no more effects. */
export class Life {
  isDead = false;
  readonly clock: Clock;
  readonly store: Store;
  readonly #timeline: Timeline;
  readonly #inner: Store["graphs"];
  readonly #trouble: Trouble;
  readonly #onDeath: () => void;
  /** Pending commits in order of arrival, in which the store writes them. */
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
    this.store = {
      ...store,
      graphs: this.#graphs(),
      schedules: this.#slow(store.schedules),
      sentEvents: this.#slow(store.sentEvents),
      startGroups: this.#slow(store.startGroups),
      admission: this.#slow(this.#checked(store.admission)),
    };
  }

  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    const { dice, bug } = this.#trouble;
    const left = this.#line.splice(0);
    const written = bug === "early" ? 0 : dice.below(left.length + 1);
    // A rejection has no recipient any more.
    const write = (transition: Transition): void => void this.#write(transition).catch(() => undefined);
    for (const { transition } of left.slice(0, written)) write(transition);
    for (const { transition } of left.slice(written)) this.#trouble.trace.wrote(transition, "lost, or late");
    // The rest is lost, or written late, as by a frozen process.
    if (dice.isOneIn(2))
      this.#timeline.schedule(dice.below(3000), () => {
        for (const { transition } of left.slice(written)) write(bug === "unfenced" ? unfenced(transition) : transition);
      });
    this.#onDeath();
  }

  #graphs(): Store["graphs"] {
    return new Proxy(this.#inner, {
      get: (target, key) => {
        if (key === "commit") return (transition: Transition) => this.#commit(transition);
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        const method = value.bind(target) as (...given: unknown[]) => unknown;
        if (key === "onEvents" || key === "eventsAtHand") return method;
        return (...given: unknown[]) => this.#read(() => method(...given));
      },
    });
  }

  /** Never more runs count for a key than its limit allows. */
  #checked(inner: Store["admission"]): Store["admission"] {
    const { bug, isWrong } = this.#trouble;
    const check = async (of: LimitedKey, limit: number): Promise<void> => {
      const active = await inner.admitted(of, limit + 1);
      if (active.length > limit) isWrong(`${active.join(" and ")} are active, and the limit is ${limit}`);
    };
    const admitting =
      (admit: Store["admission"]["admit"]): Store["admission"]["admit"] =>
      async (of, limit, nowMs, isShared) => {
        const ids = await admit(of, bug === "crowd" ? limit + 1 : limit, nowMs, isShared);
        await check(of, limit);
        return ids;
      };
    const own: Partial<Store["admission"]> = {
      admit: admitting(inner.admit.bind(inner)),
      admitFairly: admitting(inner.admitFairly.bind(inner)),
    };
    return new Proxy(inner, {
      get: (target, key) => {
        const value: unknown = Reflect.get(own, key) ?? Reflect.get(target, key);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  }

  #slow<Part extends object>(inner: Part): Part {
    return new Proxy(inner, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        const method = value.bind(target) as (...given: unknown[]) => unknown;
        return (...given: unknown[]) => this.#read(() => this.#faulty(() => method(...given)));
      },
    });
  }

  /** Fails sometimes, although the change may have been written. */
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

  #commit(transition: Transition): Promise<boolean> {
    if (this.isDead || this.#isDeath()) return never();
    const { dice, bug, isOver } = this.#trouble;
    return new Promise((resolve, reject) => {
      if (!isOver && this.#trouble.faults > 0 && dice.isOneIn(20)) {
        this.#trouble.faults--;
        this.#trouble.trace.wrote(transition, "the disk is full");
        this.#answer(transition, () => reject(new Error("the disk is full")));
        return;
      }
      if (bug === "early") this.#answer(transition, () => resolve(true));
      this.#line.push({ transition, resolve, reject });
      if (this.#line.length === 1) this.#timeline.schedule(dice.below(bug === "early" ? 30 : 4), () => this.#flush());
    });
  }

  #flush(): void {
    if (this.isDead) return;
    for (const { transition, resolve, reject } of this.#line.splice(0))
      this.#write(transition).then((isCommitted) => this.#answer(transition, () => resolve(isCommitted)), reject);
  }

  /** Answers later, in order within a run; never if the process dies. */
  #answer(transition: Transition, answer: () => void): void {
    if (this.isDead || this.#isDeath()) return;
    const earliestMs = this.#lastAnswerMs.get(transition.graphId) ?? 0;
    const atMs = Math.max(earliestMs, this.#timeline.now() + this.#trouble.dice.below(6));
    this.#lastAnswerMs.set(transition.graphId, atMs);
    this.#timeline.schedule(atMs - this.#timeline.now(), () => void (this.isDead || answer()));
  }

  #write(transition: Transition): Promise<boolean> {
    const { bug, dice } = this.#trouble;
    const again = bug === "twice" && dice.isOneIn(10) ? (transition.outbox ?? []) : [];
    const outbox = [
      ...(transition.outbox ?? []),
      ...again.map((row) => ({ ...row, id: `${row.id}again`, pauseNo: 99 })),
    ];
    return this.#counted(
      this.#traced(transition, this.#inner.commit(again.length > 0 ? { ...transition, outbox } : transition)),
    );
  }

  async #traced(transition: Transition, answer: Promise<boolean>): Promise<boolean> {
    const isCommitted = await answer;
    this.#trouble.trace.wrote(transition, isCommitted ? "written" : "refused");
    return isCommitted;
  }

  /** Stops the simulated time until the store has answered, since real durations would not be deterministic. */
  async #counted<T>(answer: T | Promise<T>): Promise<T> {
    this.#timeline.activeCount++;
    try {
      return await answer;
    } finally {
      this.#timeline.activeCount--;
    }
  }
}

function unfenced(transition: Transition): Transition {
  const { fence: _, ...rest } = transition;
  return rest;
}
