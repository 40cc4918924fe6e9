/**
 * A simulation: graphs at random, workers that fail, hang, sleep, wait and call, operators, deaths of the process at any call of
 * the store, late and reordered answers: all of it drawn from one number, with the time of a clock that only this moves. At the end
 * every graph must have come to what the plain reading of its plan says, and its store hold what contract section 4 promises.
 */
import assert from "node:assert/strict";
import { createEngine, openStore, type Engine, type LifecycleEvent, type Store } from "svckit/graph";
import { Judge, type Asked } from "./simulation-judge.ts";
import { Dice, fateOf, planOf, SPAN_MS, type Act, type GraphPlan, type Plan } from "./simulation-plan.ts";
import { isFault, SimulationFailure, Trace } from "./simulation-trace.ts";
import { double, signalsOf, SimulatedWork } from "./simulation-workers.ts";
import { Life, Timeline, type Bug, type Trouble } from "./simulation-world.ts";

/** With more a node might have been under way at three, and be poison. */
const MOST_DEATHS = 2;
/** Far more than any plan takes. */
const MOST_ROUNDS = 400;
/** What no clock that was set has put off needs no more. */
const SOON_ROUNDS = 150;
/** Ids of graphs hold the time, and must not repeat between runs. */
let nextStartMs = Date.UTC(2026, 0, 1);

export interface Ran {
  graphs: number;
  deaths: number;
  calls: number;
  /** What happened, the same for the same seed. */
  trace: string[];
}

export interface Wanted {
  bug?: Bug | undefined;
  /** Of a store that is empty. Default `memory:`. */
  url?: string | undefined;
}

interface Run extends Asked {
  key: string;
  delayMs: number;
  isAsked: boolean;
}

/** @throws SimulationFailure for what must not be, with what runs it again. */
export async function simulate(seed: number, { bug, url = "memory:" }: Wanted = {}): Promise<Ran> {
  const store = await openStore(url);
  const simulation = new Simulation(seed, store, bug);
  try {
    return await simulation.run();
  } catch (cause) {
    const again = `node out/test/chaos/simulate-main.js --seed ${seed}${bug === undefined ? "" : ` --bug ${bug}`}${url === "memory:" ? "" : ` --store ${url}`}`;
    throw new SimulationFailure(`Seed ${seed}: ${(cause as Error).message}\nAgain: ${again}`, simulation.trace, cause);
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
  #deliveries = 0;
  /** What must not be, and nobody waits for. */
  readonly #wrong: string[] = [];

  constructor(seed: number, store: Store, bug: Bug | undefined) {
    this.#plan = planOf(seed);
    this.#dice = new Dice(seed + 0.5);
    this.#store = store;
    this.#timeline = new Timeline(this.#startMs);
    this.trace = new Trace(this.#timeline, this.#startMs);
    nextStartMs += 10 * 86_400_000;
    const { deaths, faults } = this.#plan;
    const deathsAt = Array.from({ length: deaths }, () => 1 + this.#dice.below(80)).sort((a, b) => a - b);
    this.#trouble = { trace: this.trace, dice: this.#dice, bug, deathsAt, faults, calls: 0, isOver: false };
    this.#runs = this.#plan.starts.map(({ graph: at, delayMs }, number) => ({
      key: `key-${number}`,
      plan: this.#plan.graphs[at] as GraphPlan,
      delayMs,
      isAsked: false,
      id: undefined,
      mayBeCancelled: false,
    }));
    this.#work = new SimulatedWork(this.#plan, {
      clock: () => this.#life.clock,
      note: (what) => this.trace.note(what),
      isWrong: (what) => void this.#wrong.push(what),
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

  #live(): void {
    const life = new Life(this.#store, this.#timeline, this.#trouble, () => this.#died());
    this.#life = life;
    this.#isUp = false;
    this.#engine = createEngine({
      store: life.store,
      clock: life.clock,
      graphs: this.#work.definitions(),
      workers: [double],
      outboxRows: (event) => [this.#outboxRow(event)],
      random: () => this.#dice.next(),
    });
    this.#engine.recover().then(
      () => {
        if (life.isDead) return;
        this.#isUp = true;
        for (const each of this.#runs) if (each.isAsked && each.id === undefined) this.#start(each);
      },
      // As a boot that fails: another one is made, and a death that was to come has come.
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

  /** As a deploy: what runs is let go, and another process takes its place. Not while a fault may come, which would leave it as a death does. */
  async #restart(): Promise<void> {
    if (!this.#isUp || this.#trouble.faults > 0) return;
    const life = this.#life;
    this.#isUp = false;
    this.trace.note("the process stops");
    await this.#engine.close(0);
    if (life.isDead) return;
    life.isDead = true;
    this.trace.note("the process has stopped");
    this.#timeline.schedule(1 + this.#dice.below(50), () => this.#live());
  }

  // What operators do.

  #start(each: Run): void {
    each.isAsked = true;
    if (!this.#isUp) return;
    const { key, delayMs, plan } = each;
    this.#engine.start(plan.name, null, { idempotencyKey: key, delay: delayMs }).then(
      ({ snapshot }) => {
        if (each.id !== undefined && each.id !== snapshot.graph_id) this.#wrong.push(`${key} gave two graphs`);
        each.id = snapshot.graph_id;
        this.trace.note(`${key} is started`);
      },
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
      return this.trace.note(`the clock is set, ${act.aheadMs} ms ahead`);
    }
    if (what === "die") {
      if (this.#deaths + this.#trouble.deathsAt.length < MOST_DEATHS) this.#life.die();
      return;
    }
    if (what === "restart") return void this.#restart();
    const each = this.#runs[act.which % this.#runs.length];
    if (!each?.id || !this.#isUp) return;
    this.trace.note(`${each.key}: ${what} is asked for`);
    if (what === "signal") return void this.#signal(each, 1);
    if (what === "cancel") each.mayBeCancelled = true;
    this.#engine[what](each.id).then(
      ({ phase }) => this.trace.note(`${each.key}: ${what}, ${phase}`),
      (error: unknown) => this.#refused(error),
    );
  }

  async #signal({ id, plan }: Run, epoch: number): Promise<void> {
    for (const name of signalsOf(plan)) {
      const go = Number(name.split(" ")[2]);
      await this.#engine
        .signal(id as string, name, { go }, { idempotencyKey: `${name} ${epoch}` })
        .catch((error: unknown) => this.#refused(error));
    }
  }

  /** Nothing goes wrong any more: whatever has happened, every graph can be brought to its end. */
  async #finish(): Promise<void> {
    for (const each of this.#runs) {
      for (let round = 0; ; round++) {
        if (each.id !== undefined && this.#isUp) {
          const view = await this.#asked(this.#engine.snapshot(each.id));
          const { status, phase, error, epoch } = view as NonNullable<typeof view>;
          const isOver = status === "done" || (status === "failed" && !this.#isForAnother(each, error?.reason));
          if (isOver) break;
          assert.ok(round < MOST_ROUNDS, `${each.key} is ${phase} and does not end: ${JSON.stringify(view?.nodes)}`);
          if (status === "failed") await this.#asked(this.#engine.retry(each.id));
          else if (phase === "paused" || phase === "pausing") await this.#asked(this.#engine.resume(each.id));
          else if (phase !== "cancelling") await this.#asked(this.#signal(each, epoch));
        }
        assert.ok(round < MOST_ROUNDS, `${each.key} is not started`);
        // One whose sleep began by a clock that was ahead sleeps until then.
        await this.#timeline.advance(round < SOON_ROUNDS ? 1000 : 60_000);
      }
    }
    // Children of what was cancelled, and what dead processes still write.
    await this.#timeline.advance(60_000);
  }

  /** One that was cancelled can be run again, and then comes to what it would have. */
  #isForAnother({ plan }: Run, reason: string | undefined): boolean {
    return reason === "cancelled" && fateOf(plan, this.#plan.child).graph === "done";
  }

  /** @returns what it comes to; a refusal, since it has meanwhile changed, is left for the next round. */
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
      assert.ok(waited < 200, "an operator is never answered");
      await this.#timeline.advance(20);
    }
    assert.deepEqual(this.#wrong, [], "what must not be");
    return outcome.value;
  }

  /** Nobody waits for it: what is none of the answers that may come is judged later. */
  #refused(error: unknown): void {
    if (!isFault(error)) this.#wrong.push(`an operator is answered ${String(error)}`);
  }

  #outboxRow({ graphId, event, epoch, pauseNo, timestampMs }: LifecycleEvent) {
    const id = `msg_${++this.#deliveries}`;
    return { id, registrationId: "wh_1", graphId, event, epoch, pauseNo, body: "", createdMs: timestampMs, dueMs: 0 };
  }
}
