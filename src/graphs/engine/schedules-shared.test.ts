/** Schedules of several processes on one database start one run for each time. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Store } from "../../storage/contract/contract.ts";
import { openStore } from "../../storage/open-store.ts";
import { recordLog } from "../../testing/log.ts";
import { testDatabase, withoutPostgres, type TestDatabase } from "../../testing/test-database.ts";
import { worker } from "../definition/definition.ts";
import type { Engine } from "./engine-types.ts";
import { createEngine } from "./engine.ts";
import { clusterOf } from "./remote.testkit.ts";
import type { LeasedRun } from "./cluster-port.ts";

const MINUTE = 60_000;
const START = Date.UTC(2026, 0, 1);

interface Process {
  store: Store;
  engine: Engine;
  held: LeasedRun;
}

describe("the schedules of three processes", { skip: await withoutPostgres() }, () => {
  let database: TestDatabase;
  const clock = new SimulatedClock(START);
  const all: Process[] = [];
  /** A killed process waits for this promise, which only rejects at the end of the tests. */
  let end = (): void => undefined;
  const death = new Promise<never>((_resolve, reject) => (end = () => reject(new Error("The tests are over"))));
  death.catch(() => undefined);

  /** A process that runs what it starts. */
  async function boot(): Promise<Process> {
    const store = await openStore(database.url);
    let held: LeasedRun | undefined;
    const cluster = clusterOf({
      attach: (given) => void (held = given),
      permits: { take: () => Promise.resolve({ kind: "dropped" }), giveBack: () => undefined },
      reach: () => Promise.reject(new Error("no commands are sent")),
    });
    const echo = worker("echo", (input: Json) => input);
    const schedules = [{ name: "each", cron: "* * * * *", worker: "echo", overlap: "allow" as const }];
    const engine = createEngine({ store, clock, cluster, workers: [echo], schedules, log: recordLog() });
    await engine.recover();
    const booted: Process = { store, engine, held: held as unknown as LeasedRun };
    all.push(booted);
    return booted;
  }

  before(async () => void (database = await testDatabase()));
  after(async () => {
    end();
    for (const { engine, store } of all) {
      await engine.close();
      await store.close();
    }
    await database.drop();
  });

  /** Advances the clock by a minute for the given processes, and starts due runs. */
  async function pass(living: readonly Process[]): Promise<void> {
    await clock.advance(MINUTE);
    const [watching] = living as [Process];
    const isDue = async () =>
      (await watching.store.schedules.schedules()).some(({ nextMs }) => (nextMs ?? 0) <= clock.now());
    for (const endMs = Date.now() + 60_000; await isDue();) {
      assert.ok(Date.now() < endMs, "the due runs did not start");
      await new Promise((next) => setTimeout(next, 5));
    }
    for (const { engine } of living) await engine.idle();
  }

  async function minutesOf({ store }: Process, name: string): Promise<number[]> {
    const { items, total } = await store.graphs.list({ tag: `schedule:${name}`, limit: 200 });
    assert.equal(items.length, total);
    return (await store.graphs.heads(items.map(({ id }) => id)))
      .map(({ row: { input } }) => ((input as { scheduled_ms: number }).scheduled_ms - START) / MINUTE)
      .toSorted((a, b) => a - b);
  }

  const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

  it("start one run for each time, also if one process died during a start", async () => {
    const [first, second, third] = [await boot(), await boot(), await boot()];
    for (let at = 0; at < 8; at++) await pass([first, second, third]);
    // It starts the run, and dies before it records the start.
    first.store.schedules.moveOn = () => death;
    for (let at = 0; at < 4; at++) await pass([second, third]);
    // It dies before it starts anything.
    second.store.schedules.schedules = () => death;
    for (let at = 0; at < 4; at++) await pass([third]);
    assert.deepEqual(await minutesOf(third, "each"), upTo(16));
  });

  it("continue with a schedule that a dead process created", async () => {
    const third = all.at(-1) as Process;
    const fourth = await boot();
    await fourth.engine.schedule.upsert({ name: "added", cron: "* * * * *", worker: "echo", overlap: "allow" });
    await fourth.engine.close();
    await third.held.readControls();
    await pass([third]);
    await pass([third]);
    assert.deepEqual(await minutesOf(third, "added"), upTo(18, 17));
  });
});
