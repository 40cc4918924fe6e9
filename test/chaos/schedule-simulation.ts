/**
 * A simulation of schedules, determined by a seed: processes crash at any call of the store and restart late, two run at once, clocks are
 * set forwards and back, daylight saving time begins and ends, and operators pause, resume and trigger. The expected runs follow from
 * hand-written rules for each expression and from the catch-up rules for missed times.
 */
import assert from "node:assert/strict";
import { createEngine, openStore, worker, type Engine, type ScheduleDefinition, type Store } from "svckit/graph";
import { Dice } from "./simulation-plan.ts";
import { isFault, SimulationFailure, Trace } from "./simulation-trace.ts";
import { Life, Timeline, type Trouble } from "./simulation-world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Faults happen during this time. Then follows a calm time, long enough for any pending clock or restart, and one more day. */
const SPAN_MS = 2 * DAY;
const WAIT_MS = 12 * HOUR;
const CALM_MS = DAY;
/** Maximum delay of a run that counts as on time. */
const LATE_MS = MINUTE;
/** Maximum time for answers of the store and for reading the clock. */
const SLACK_MS = MINUTE + 1000;

interface Expression {
  cron: string;
  timeZone: string;
  isDue: (ms: number) => boolean;
}

const every = (stepMs: number) => (ms: number) => ms % stepMs === 0;
/** 02:30 in Berlin: the end of the gap in spring, and the first of two occurrences in autumn. */
function isNightly(ms: number): boolean {
  const day = new Date(ms).toISOString().slice(0, 10);
  const winter = "01:30";
  const summer = "00:30";
  const at = day === "2026-03-29" ? "01:00" : day > "2026-03-29" && day <= "2026-10-25" ? summer : winter;
  return ms === Date.parse(`${day}T${at}Z`);
}

const EXPRESSIONS: readonly Expression[] = [
  { cron: "*/15 * * * *", timeZone: "UTC", isDue: every(15 * MINUTE) },
  { cron: "0 * * * *", timeZone: "Asia/Tokyo", isDue: every(HOUR) },
  { cron: "0 */6 * * *", timeZone: "UTC", isDue: every(6 * HOUR) },
  { cron: "30 2 * * *", timeZone: "Europe/Berlin", isDue: isNightly },
];
const STARTS = ["2026-01-10T00:20Z", "2026-03-27T18:05Z", "2026-10-23T20:40Z"];

interface Planned {
  definition: ScheduleDefinition;
  expression: Expression;
  /** Whether nobody pauses or triggers it. */
  isLeftAlone: boolean;
}

export interface Ran {
  runs: number;
  deaths: number;
  /** The log of events, identical for the same seed. */
  trace: string[];
}

/** @throws SimulationFailure that says what is wrong and how to reproduce it. */
export async function simulateSchedules(seed: number, url = "memory:"): Promise<Ran> {
  // Loads the module that the first schedule needs, so that disk access does not delay the simulation.
  await import("croner");
  const store = await openStore(url);
  const simulation = new ScheduleSimulation(seed, store);
  try {
    return await simulation.run();
  } catch (cause) {
    const again = `node out/test/chaos/simulate-main.js --schedules --seed ${seed}${url === "memory:" ? "" : ` --store ${url}`}`;
    throw new SimulationFailure(
      `Seed ${seed}: ${(cause as Error).message}\nReproduce: ${again}`,
      simulation.trace,
      cause,
    );
  } finally {
    await store.close();
  }
}

class ScheduleSimulation {
  readonly #dice: Dice;
  readonly #store: Store;
  readonly #startMs: number;
  readonly #timeline: Timeline;
  readonly trace: Trace;
  readonly #trouble: Trouble;
  readonly #planned: Planned[];
  readonly #setsClock: boolean;
  readonly #engines: Engine[] = [];
  #deaths = 0;
  /** Unexpected errors of calls that nobody awaits. */
  readonly #wrong: string[] = [];

  constructor(seed: number, store: Store) {
    const dice = new Dice(seed);
    this.#dice = dice;
    this.#store = store;
    this.#startMs = Date.parse(dice.pick(STARTS));
    this.#timeline = new Timeline(this.#startMs);
    this.trace = new Trace(this.#timeline, this.#startMs);
    this.#setsClock = dice.isOneIn(2);
    const deathsAt = dice.times(0, 4, () => 1 + dice.below(400)).sort((a, b) => a - b);
    const faults = dice.below(4);
    const isWrong = (what: string): void => void this.#wrong.push(what);
    this.#trouble = { trace: this.trace, dice, bug: undefined, deathsAt, faults, calls: 0, isOver: false, isWrong };
    this.#planned = dice.times(1, 3, (at) => {
      const expression = dice.pick(EXPRESSIONS);
      const { cron, timeZone } = expression;
      const catchUp = dice.pick(["none", "last", "all"] as const);
      const overlap = dice.pick(["skip", "allow"] as const);
      const definition = { name: `s${at}`, cron, timeZone, worker: "quick", catchUp, overlap };
      return { definition, expression, isLeftAlone: dice.isOneIn(2) };
    });
  }

  async run(): Promise<Ran> {
    for (let count = 1 + this.#dice.below(2); count > 0; count--) this.#live();
    const some = this.#planned.filter(({ isLeftAlone }) => !isLeftAlone);
    for (let acts = some.length * this.#dice.below(5); acts > 0; acts--)
      this.#timeline.schedule(this.#dice.below(SPAN_MS), () => this.#act(this.#dice.pick(some)));
    if (this.#setsClock)
      for (let sets = 1 + this.#dice.below(4); sets > 0; sets--)
        this.#timeline.schedule(this.#dice.below(SPAN_MS), () => {
          this.#timeline.aheadMs = this.#dice.pick([-5 * HOUR, -HOUR, -20_000, 0, 20_000, HOUR, 5 * HOUR, 30 * DAY]);
          this.trace.note(`the clock is set ${this.#timeline.aheadMs} ms ahead`);
        });
    await this.#timeline.advance(SPAN_MS);
    this.#trouble.isOver = true;
    this.#timeline.aheadMs = 0;
    for (const { definition } of some) await this.#asked((engine) => engine.schedule.resume(definition.name));
    await this.#timeline.advance(WAIT_MS + CALM_MS);
    const runs = await this.#judge();
    const closing = this.#engines.map((engine) => engine.close(0));
    await this.#timeline.advance(10);
    await Promise.all(closing);
    return { runs, deaths: this.#deaths, trace: this.trace.lines };
  }

  /** Starts a process. When it dies, another one starts, at once or hours later. */
  #live(): void {
    const life = new Life(this.#store, this.#timeline, this.#trouble, () => {
      this.#deaths++;
      this.trace.note("a process dies");
      const at = this.#engines.indexOf(engine);
      if (at >= 0) this.#engines.splice(at, 1);
      this.#timeline.schedule(this.#dice.pick([50, MINUTE, 10 * HOUR]), () => this.#live());
    });
    const engine = createEngine({
      store: life.store,
      clock: life.clock,
      workers: [worker("quick", () => null)],
      schedules: this.#planned.map(({ definition }) => definition),
      random: () => this.#dice.next(),
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    });
    engine.recover().then(
      () => void (life.isDead || this.#engines.push(engine)),
      // A failed boot counts as a death.
      () => life.die(),
    );
  }

  #act({ definition: { name } }: Planned): void {
    const [engine] = this.#engines;
    if (!engine) return;
    const { schedule } = engine;
    const step = this.#dice.pick(["pause", "resume", "resume", "trigger"] as const);
    this.trace.note(`${name}: ${step} is asked for`);
    schedule[step](name).catch((error: unknown) => this.#refused(error));
  }

  async #asked(work: (engine: Engine) => Promise<unknown>): Promise<void> {
    for (let tries = 0; ; tries++) {
      const [engine] = this.#engines;
      let isDone = false;
      if (engine)
        work(engine).then(
          () => (isDone = true),
          (error: unknown) => this.#refused(error),
        );
      await this.#timeline.advance(HOUR / 2);
      if (isDone) return;
      assert.ok(tries < 50, "an operation was never answered");
    }
  }

  /** Collects unexpected errors of calls that nobody awaits; they are checked at the end. */
  #refused(error: unknown): void {
    if (!isFault(error)) this.#wrong.push(`an operator's call failed with ${String(error)}`);
  }

  async #judge(): Promise<number> {
    assert.deepEqual(this.#wrong, [], "unexpected errors");
    let count = 0;
    for (const planned of this.#planned) count += await this.#judgeOne(planned);
    return count;
  }

  async #judgeOne({ definition, expression, isLeftAlone }: Planned): Promise<number> {
    const { name, catchUp, overlap } = definition;
    const what = `${name} (${expression.cron}, ${catchUp})`;
    const runs = await this.#runsOf(name);
    const ran = new Set(runs.map(({ dueMs }) => dueMs));
    assert.equal(ran.size, runs.length, `${what}: a due time ran twice`);
    for (const { dueMs, createdMs } of runs) {
      assert.ok(expression.isDue(dueMs), `${what} ran for ${iso(dueMs)}`);
      assert.ok(createdMs >= dueMs, `${what}: ${iso(dueMs)} ran too early, at ${iso(createdMs)}`);
      const isLate = createdMs - dueMs > LATE_MS + SLACK_MS;
      if (catchUp === "none") assert.ok(!isLate, `${what}: ${iso(dueMs)} was caught up at ${iso(createdMs)}`);
    }
    const nowMs = this.#timeline.now();
    const missed = (fromMs: number): string[] => {
      const all: string[] = [];
      for (let ms = Math.ceil(fromMs / MINUTE) * MINUTE; ms < nowMs - LATE_MS; ms += MINUTE)
        if (expression.isDue(ms) && !ran.has(ms)) all.push(iso(ms));
      return all;
    };
    assert.deepEqual(missed(nowMs - CALM_MS), [], `${what}: due times without a run on a calm day`);
    const hasMissed = this.#deaths > 0 || this.#setsClock;
    // Runs that catch up may overlap.
    const isWhole = hasMissed ? catchUp === "all" && overlap === "allow" && !this.#setsClock : catchUp !== "none";
    if (isLeftAlone && isWhole) assert.deepEqual(missed(this.#startMs + HOUR), [], `${what}: lost due times`);
    return runs.length;
  }

  /** The schedule's runs, except those triggered by an operator. */
  async #runsOf(name: string): Promise<{ dueMs: number; createdMs: number }[]> {
    const runs: { dueMs: number; createdMs: number }[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#store.graphs.list({ tag: `schedule:${name}`, limit: 200, ...(cursor && { cursor }) });
      for (const { row } of await this.#store.graphs.heads(page.items.map(({ id }) => id))) {
        const { idempotencyKey, createdMs } = row;
        if (idempotencyKey !== undefined) runs.push({ dueMs: Number(idempotencyKey.split("/")[2]), createdMs });
      }
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return runs;
  }
}

const quiet = (): void => undefined;

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
