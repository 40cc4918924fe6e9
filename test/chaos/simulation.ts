/**
 * A simulation, fully determined by a seed and with a simulated clock: random graphs, workers that fail, hang, sleep, wait and call,
 * operators, crashes at any call of the store, late and reordered answers. In the end every run must have the outcome that its plan
 * predicts, and the store must keep the promises of contract section 4.
 */
import assert from "node:assert/strict";
import { createEngine, openStore, type Engine, type LifecycleEvent, type Store } from "svckit/graph";
import { Judge, type Asked } from "./simulation-judge.ts";
import { Dice, fateOf, mayBeRefused, planOf, SPAN_MS, type Act, type GraphPlan, type Plan } from "./simulation-plan.ts";
import { isFault, SimulationFailure, Trace } from "./simulation-trace.ts";
import { double, moved, placedOf, signalsOf, SimulatedWork } from "./simulation-workers.ts";
import { Life, Timeline, type Bug, type Trouble } from "./simulation-world.ts";

/** Three crashes could hit the same node, which would make it poison. */
const MOST_DEATHS = 2;
/** Far more rounds than any plan takes. */
const MOST_ROUNDS = 400;
/** Enough rounds unless a changed clock has delayed something. */
const SOON_ROUNDS = 150;
/** For so long, a build without the first graph runs. */
const PARTIAL_MS = 600;
/** Run ids contain the time and must not repeat between simulations. */
let nextStartMs = Date.UTC(2026, 0, 1);

export interface Ran {
  graphs: number;
  deaths: number;
  calls: number;
  /** The log of events, identical for the same seed. */
  trace: string[];
}

export interface Wanted {
  bug?: Bug | undefined;
  /** URL of an empty store. Default: `memory:`. */
  url?: string | undefined;
}

interface Run extends Asked {
  key: string;
  tenant: number;
  delayMs: number;
  /** Whether an event starts it. */
  isEvent: boolean;
  isAsked: boolean;
}

/** @throws SimulationFailure that says what is wrong and how to reproduce it. */
export async function simulate(seed: number, { bug, url = "memory:" }: Wanted = {}): Promise<Ran> {
  const store = await openStore(url);
  const simulation = new Simulation(seed, store, bug);
  try {
    return await simulation.run();
  } catch (cause) {
    const again = `node out/test/chaos/simulate-main.js --seed ${seed}${bug === undefined ? "" : ` --bug ${bug}`}${url === "memory:" ? "" : ` --store ${url}`}`;
    throw new SimulationFailure(
      `Seed ${seed}: ${(cause as Error).message}\nReproduce: ${again}`,
      simulation.trace,
      cause,
    );
  } finally {
    await store.close();
  }
}

class Simulation {
  readonly #plan: Plan;
  readonly #dice: Dice;
  readonly #store: Store;
  readonly #timeline: Timeline;
  readonly #trouble: Trouble;
  readonly #runs: Run[];
  readonly #work: SimulatedWork;
  readonly trace: Trace;
  readonly #startMs = nextStartMs;
  #deaths = 0;
  #life!: Life;
  #engine!: Engine;
  #isUp = false;
  /** Whether the current build lacks the first graph. */
  #isPartial = false;
  #deliveries = 0;
  /** Unexpected errors of calls that nobody awaits. */
  readonly #wrong: string[] = [];

  constructor(seed: number, store: Store, bug: Bug | undefined) {
    this.#plan = planOf(seed);
    this.#dice = new Dice(seed + 0.5);
    this.#store = store;
    this.#timeline = new Timeline(this.#startMs);
    this.trace = new Trace(this.#timeline, this.#startMs);
    nextStartMs += 10 * 86_400_000;
    const { deaths, faults } = this.#plan;
    const isWrong = (what: string): void => void this.#wrong.push(what);
    const deathsAt = Array.from({ length: deaths }, () => 1 + this.#dice.below(80)).sort((a, b) => a - b);
    this.#trouble = { trace: this.trace, dice: this.#dice, bug, deathsAt, faults, calls: 0, isOver: false, isWrong };
    this.#runs = this.#plan.starts.map(({ graph: at, ...start }, number) => ({
      ...start,
      key: `key-${number}`,
      plan: this.#plan.graphs[at] as GraphPlan,
      isAsked: false,
      id: undefined,
      mayBeCancelled: mayBeRefused(this.#plan.graphs[at] as GraphPlan),
    }));
    this.#work = new SimulatedWork(this.#plan, {
      clock: () => this.#life.clock,
      note: (what) => this.trace.note(what),
      isWrong,
    });
  }

  async run(): Promise<Ran> {
    this.#live();
    for (const [at, { atMs }] of this.#plan.starts.entries())
      this.#timeline.schedule(atMs, () => this.#start(this.#runs[at] as Run));
    for (const act of this.#plan.acts) this.#timeline.schedule(act.atMs, () => this.#act(act));
    await this.#timeline.advance(SPAN_MS);
    this.#trouble.isOver = true;
    await this.#finish();
    await new Judge({ plan: this.#plan, store: this.#store, runs: this.#runs, wrong: this.#wrong }).all();
    const closing = this.#engine.close(0);
    await this.#timeline.advance(10);
    await closing;
    const { calls } = this.#trouble;
    return { graphs: this.#runs.length, deaths: this.#deaths, calls, trace: this.trace.lines };
  }

  // Processes.

  #live(isPartial = false): void {
    const life = new Life(this.#store, this.#timeline, this.#trouble, () => this.#died());
    this.#life = life;
    this.#isUp = false;
    this.#isPartial = isPartial;
    this.#engine = createEngine({
      store: life.store,
      clock: life.clock,
      graphs: this.#work.definitions(isPartial),
      workers: [double],
      events: [moved],
      outboxRows: (event) => [this.#outboxRow(event)],
      random: () => this.#dice.next(),
    });
    this.#engine.recover().then(
      () => {
        if (life.isDead) return;
        this.#isUp = true;
        if (isPartial) return void this.#timeline.schedule(PARTIAL_MS, () => void this.#restart(false));
        for (const each of this.#runs) if (each.isAsked && each.id === undefined) this.#start(each);
      },
      // A failed boot counts as one of the planned deaths.
      () => {
        this.#trouble.deathsAt.shift();
        life.die();
      },
    );
  }

  #died(): void {
    this.#deaths++;
    // The next boot must not fail.
    if (this.#deaths === MOST_DEATHS) this.#trouble.faults = 0;
    this.trace.note("the process dies");
    this.#isUp = false;
    this.#timeline.schedule(1 + this.#dice.below(50), () => this.#live());
  }

  /** Restarts the process as a deploy does: aborts what runs, then starts another process. Skipped while a fault may occur, which would act like a crash. */
  async #restart(isPartial: boolean): Promise<void> {
    if (!this.#isUp || (isPartial && this.#isPartial) || this.#trouble.faults > 0) return;
    const life = this.#life;
    this.#isUp = false;
    this.trace.note("the process stops");
    await this.#engine.close(0);
    if (life.isDead) return;
    life.isDead = true;
    this.trace.note(`the process has stopped${isPartial ? ", and another build starts" : ""}`);
    this.#timeline.schedule(1 + this.#dice.below(50), () => this.#live(isPartial));
  }

  // Operators.

  #start(each: Run): void {
    each.isAsked = true;
    if (!this.#isUp || this.#isPartial) return;
    const { key, delayMs, plan, tenant, isEvent } = each;
    if (isEvent) return this.#send(each);
    this.#engine.start(plan.name, { tenant }, { idempotencyKey: key, delay: delayMs }).then(
      ({ snapshot }) => {
        if (each.id !== undefined && each.id !== snapshot.graph_id) this.#wrong.push(`${key} started two runs`);
        each.id = snapshot.graph_id;
        this.trace.note(`${key} is started`);
      },
      (error: unknown) => {
        this.#refused(error);
        this.#timeline.schedule(100, () => this.#start(each));
      },
    );
  }

  /** Sends the event that starts a run. After a crash it is sent again, with the same id. */
  #send(each: Run): void {
    const { key, plan, tenant } = each;
    this.#engine.send(placedOf(plan), { tenant }, { id: key }).then(
      () => this.trace.note(`the event of ${key} is sent`),
      (error: unknown) => {
        this.#refused(error);
        this.#timeline.schedule(100, () => this.#start(each));
      },
    );
  }

  #act(act: Act): void {
    const { do: what } = act;
    if (what === "set") {
      this.#timeline.aheadMs = act.aheadMs;
      return this.trace.note(`the clock is set ${act.aheadMs} ms ahead`);
    }
    if (what === "die") {
      if (this.#deaths + this.#trouble.deathsAt.length < MOST_DEATHS) this.#life.die();
      return;
    }
    if (what === "restart") return void this.#restart(false);
    if (what === "deploy") return void this.#restart(true);
    const each = this.#runs[act.which % this.#runs.length];
    if (!each?.id || !this.#isUp || this.#isPartial) return;
    this.trace.note(`${each.key}: ${what} is asked for`);
    if (what === "signal") return void this.#signal(each, 1);
    if (what === "cancel") each.mayBeCancelled = true;
    this.#engine[what](each.id).then(
      ({ phase }) => this.trace.note(`${each.key}: ${what}, ${phase}`),
      (error: unknown) => this.#refused(error),
    );
  }

  async #signal({ id, plan }: Run, epoch: number): Promise<void> {
    for (const to of signalsOf(plan, "event"))
      await this.#engine
        .send(moved, { to }, { id: `${id} ${to} ${epoch}` })
        .catch((error: unknown) => this.#refused(error));
    for (const name of signalsOf(plan, "wait")) {
      const go = Number(name.split(" ")[2]);
      await this.#engine
        .signal(id as string, name, { go }, { idempotencyKey: `${name} ${epoch}` })
        .catch((error: unknown) => this.#refused(error));
    }
  }

  /** Brings every run to its end, after all faults are over. All of them at once, because one may wait for the key of another. */
  async #finish(): Promise<void> {
    let left: readonly Run[] = this.#runs;
    for (let round = 0; left.length > 0; round++) {
      const unfinished: Run[] = [];
      for (const each of left) if (!(await this.#bringOn(each, round === MOST_ROUNDS))) unfinished.push(each);
      left = unfinished;
      // A sleep that began while the clock was ahead lasts accordingly longer.
      await this.#timeline.advance(round < SOON_ROUNDS ? 1000 : 60_000);
    }
    // For children of cancelled runs, and for late writes of dead processes.
    await this.#timeline.advance(60_000);
  }

  /** @returns whether the run has ended. */
  async #bringOn(each: Run, isLast: boolean): Promise<boolean> {
    const { key, plan, isEvent } = each;
    if (isEvent && each.id === undefined)
      each.id = (await this.#store.graphs.byIdempotencyKey(plan.name, `event:${placedOf(plan).name}/${key}`))?.id;
    assert.ok(!(isLast && each.id === undefined), `${key} is not started`);
    if (each.id === undefined || !this.#isUp || this.#isPartial) return false;
    const view = await this.#asked(this.#engine.snapshot(each.id));
    const { status, phase, error, epoch } = view as NonNullable<typeof view>;
    if (status === "done" || (status === "failed" && !this.#isForAnother(each, error?.reason))) return true;
    assert.ok(!isLast, `${key} does not end: its phase is ${phase}: ${JSON.stringify(view?.nodes)}`);
    if (status === "failed") await this.#asked(this.#engine.retry(each.id));
    // The complete build resumes a parked run by itself.
    else if (phase === "parked") return false;
    else if (phase === "paused" || phase === "pausing") await this.#asked(this.#engine.resume(each.id));
    else if (phase !== "cancelling") await this.#asked(this.#signal(each, epoch));
    return false;
  }

  /** Whether a cancelled run can be retried to reach its planned outcome. */
  #isForAnother({ plan }: Run, reason: string | undefined): boolean {
    // A retried run would cancel others, which would be retried.
    const isRefused = (plan.limit?.onLimit ?? "queue") !== "queue";
    return reason === "cancelled" && !isRefused && fateOf(plan, this.#plan.child).graph === "done";
  }

  /** @returns the result; undefined if the call was rejected because the run has changed, which the next round handles. */
  async #asked<T>(work: Promise<T>): Promise<T | undefined> {
    let outcome: { value?: T } | undefined;
    work.then(
      (value) => (outcome = { value }),
      (error: unknown) => {
        this.#refused(error);
        outcome = {};
      },
    );
    for (let waited = 0; !outcome; waited++) {
      assert.ok(waited < 200, "an operator's call was never answered");
      await this.#timeline.advance(20);
    }
    assert.deepEqual(this.#wrong, [], "unexpected errors");
    return outcome.value;
  }

  /** Collects unexpected errors of calls that nobody awaits; they are checked later. */
  #refused(error: unknown): void {
    if (!isFault(error)) this.#wrong.push(`an operator's call failed with ${String(error)}`);
  }

  #outboxRow({ graphId, event, epoch, pauseNo, timestampMs }: LifecycleEvent) {
    const id = `msg_${++this.#deliveries}`;
    return { id, registrationId: "wh_1", graphId, event, epoch, pauseNo, body: "", createdMs: timestampMs, dueMs: 0 };
  }
}
