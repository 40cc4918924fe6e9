/**
 * Simulated deliveries with random events: runs that pause and end, registrations that are added, changed and removed, failing receivers,
 * a slow store that fails and loses responses, crashes of the process, and changes of the clock. At the end, all required deliveries have
 * arrived, and none was sent without need. `SVC_SIMULATIONS` sets the number of simulations, and `SVC_SIMULATIONS_FROM` the first seed, as
 * in a step of `.ci/run`.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import type { Store } from "../../storage/contract/contract.ts";
import type { DeliveryRow } from "../../storage/contract/webhook-rows.ts";
import { openStore } from "../../storage/open-store.ts";
import { worker } from "../../graphs/definition/definition.ts";
import { createEngine } from "../../graphs/engine/engine.ts";
import type { Engine } from "../../graphs/engine/engine-types.ts";
import { Dice, Life, Receivers, type World } from "./simulation-world.testkit.ts";
import { createWebhooks, type Webhooks } from "../webhooks.ts";

const SEEDS = Number(process.env["SVC_SIMULATIONS"] ?? 40);
const FIRST = Number(process.env["SVC_SIMULATIONS_FROM"] ?? 1);
const URLS = ["https://one.example/", "https://two.example/", "https://three.example/"];
const SPAN_MS = 60_000;
const HOUR_MS = 3_600_000;
const SCHEDULE = ["0s", "1s", "5s", "30s", "2m", "10m", "10m"];

/** A registration that was acknowledged, as operators know it. */
interface Registered {
  id: string;
  /** The period in which it has listened to all events. */
  fromMs: number;
  untilMs: number;
  isGone: boolean;
  isOrdered: boolean;
}

class Simulation {
  readonly #dice: Dice;
  readonly #world: World;
  readonly #store: Store;
  readonly #registered: Registered[] = [];
  /** Runs whose start was acknowledged. */
  readonly #graphs: { id: string; startedMs: number }[] = [];
  readonly #replayed = new Set<string>();
  readonly #givenUp = new Set<string>();
  #engine!: Engine;
  #webhooks!: Webhooks;
  #deaths = 0;
  readonly #hasFaults: boolean;

  constructor(seed: number, store: Store) {
    this.#dice = new Dice(seed);
    this.#store = store;
    const clock = new SimulatedClock();
    const dice = this.#dice;
    const deathsIn = Array.from({ length: dice.below(3) }, () => 1 + dice.below(150));
    const faults = dice.isOneIn(3) ? 1 + dice.below(2) : 0;
    this.#hasFaults = faults > 0;
    this.#world = { dice, clock, receivers: new Receivers(dice, clock), deathsIn, faults, isOver: false };
  }

  get #nowMs(): number {
    return this.#world.clock.now() - this.#world.clock.aheadMs;
  }

  async run(): Promise<void> {
    const { clock } = this.#world;
    const dice = this.#dice;
    this.#live();
    for (let count = 1 + dice.below(3); count > 0; count--) this.#at(dice.below(3000), () => this.#register());
    for (let count = 2 + dice.below(10); count > 0; count--) this.#at(dice.below(SPAN_MS), () => this.#start());
    for (let count = dice.below(10); count > 0; count--) this.#at(dice.below(SPAN_MS), () => this.#act());
    if (dice.isOneIn(3)) this.#at(dice.below(SPAN_MS), () => void (clock.aheadMs += dice.pick([-1, 1]) * HOUR_MS));
    await clock.advance(SPAN_MS);
    this.#world.isOver = true;
    this.#world.receivers.isGood = true;
    // Long enough for all retries, whatever the clock was set to. A failed endpoint is probed after 15 min.
    await clock.advance(3 * HOUR_MS);
    await this.#judge();
    const closing = Promise.all([this.#engine.close(0), this.#webhooks.close(0)]);
    await clock.advance(10);
    await closing;
  }

  #at(delayMs: number, act: () => void): void {
    this.#world.clock.schedule(delayMs, act);
  }

  #live(): void {
    const life = new Life(this.#store, this.#world, () => {
      this.#deaths++;
      this.#at(1 + this.#dice.below(2000), () => this.#live());
    });
    const { clock, store, sending } = life;
    const random = (): number => this.#dice.next();
    const resolve = async (): Promise<string[]> => ["93.184.216.34"];
    this.#webhooks = createWebhooks({ store, clock, sending, resolve, random, schedule: SCHEDULE });
    const nap = worker("nap", async (ms: number, ctx) => ctx.sleep(ms));
    const { outboxRows } = this.#webhooks;
    this.#engine = createEngine({ store, clock, workers: [nap], outboxRows, random });
    this.#webhooks.start();
    this.#engine.recover().catch(() => life.die());
  }

  // Commands of operators. A command without a response has an unknown result.

  #register(): void {
    const url = this.#dice.pick(URLS);
    const isOrdered = url === URLS[0];
    this.#webhooks.create({ url, ordered: isOrdered }).then(
      ({ registration }) => {
        if (this.#registered.some(({ id }) => id === registration.id)) return;
        const fromMs = this.#nowMs;
        this.#registered.push({ id: registration.id, fromMs, untilMs: Infinity, isGone: false, isOrdered });
      },
      (error: Error) => assert.match(error.message, /the disk is full/),
    );
  }

  #start(): void {
    const ms = this.#dice.pick([0, 5, 300, 5000]);
    this.#engine.start("nap", ms).then(
      ({ snapshot }) => {
        this.#graphs.push({ id: snapshot.graph_id, startedMs: this.#nowMs });
        if (this.#dice.isOneIn(2)) this.#pauseAndResume(snapshot.graph_id);
      },
      () => undefined,
    );
  }

  #pauseAndResume(id: string): void {
    const quiet = (step: Promise<unknown>): void => void step.catch(() => undefined);
    quiet(this.#engine.pause(id));
    this.#at(this.#dice.below(1000), () => quiet(this.#engine.resume(id)));
  }

  #act(): void {
    const what = this.#dice.pick([
      "ping",
      "replay",
      "replay",
      "filter",
      "disable",
      "remove",
      "rotate",
      "recover",
      "give up",
    ] as const);
    const each = this.#registered.length > 0 ? this.#dice.pick(this.#registered) : undefined;
    if (!each || each.isGone) return;
    const { id } = each;
    const quiet = (step: Promise<unknown>): void => void step.catch(() => undefined);
    // Nothing is expected between the command and its reversal.
    const isLess = ["filter", "disable", "remove"].includes(what);
    if (isLess) each.untilMs = Math.min(each.untilMs, this.#nowMs);
    if (what === "ping") quiet(this.#webhooks.ping(id));
    else if (what === "rotate") quiet(this.#webhooks.rotateSecret(id, null));
    else if (what === "filter") quiet(this.#webhooks.update(id, { events: ["graph.failed"] }));
    else if (what === "disable") {
      quiet(this.#webhooks.update(id, { enabled: false }));
      this.#at(this.#dice.below(20_000), () => quiet(this.#webhooks.update(id, { enabled: true })));
    } else if (what === "remove") {
      each.isGone = true;
      quiet(this.#webhooks.remove(id));
    } else if (what === "recover") quiet(this.#webhooks.recover(id, { since_ms: 0 }));
    else if (what === "give up") quiet(this.#giveUp(id));
    else quiet(this.#replay(id));
  }

  async #replay(id: string): Promise<void> {
    const { deliveries } = await this.#webhooks.deliveries(new URLSearchParams(), id);
    if (deliveries.length === 0) return;
    const { id: deliveryId } = this.#dice.pick(deliveries);
    this.#replayed.add(deliveryId);
    await this.#webhooks.replay(deliveryId);
  }

  async #giveUp(id: string): Promise<void> {
    const { deliveries } = await this.#webhooks.deliveries(new URLSearchParams({ status: "pending" }), id);
    if (deliveries.length === 0) return;
    const { id: deliveryId } = this.#dice.pick(deliveries);
    this.#givenUp.add(deliveryId);
    await this.#webhooks.giveUp(deliveryId);
  }

  // Final checks.

  async #judge(): Promise<void> {
    const all = (await this.#store.webhooks.listDeliveries({ limit: 200 })).items;
    const known = this.#store.webhooks.known();
    const shown = (row: DeliveryRow): string =>
      `${row.id}, ${row.event} of ${row.graphId}, ${row.status} after ${row.attempts}, due in ${row.dueMs - this.#world.clock.now()} ms`;
    for (const row of all) {
      const registration = known.get(row.registrationId);
      if (registration?.enabled !== false) assert.notEqual(row.status, "pending", `left: ${shown(row)}`);
      if (row.status === "failed" && registration && !registration.disabledReason)
        assert.ok(row.attempts >= SCHEDULE.length || this.#mayHaveFailed(row), `given up: ${shown(row)}`);
      await this.#judgeDelivery(row, shown(row));
    }
    const keys = new Set(
      all.map(({ registrationId, graphId, event, epoch, pauseNo }) =>
        [registrationId, graphId, event, epoch, pauseNo].join(),
      ),
    );
    assert.equal(keys.size, all.length, "a delivery exists twice");
    for (const { id, startedMs } of this.#graphs) {
      const row = await this.#store.graphs.graph(id);
      if (row?.phase !== "done") continue;
      for (const each of this.#registered) {
        if (each.fromMs > startedMs || each.untilMs !== Infinity || !known.has(each.id)) continue;
        if (known.get(each.id)?.disabledReason) continue;
        const has = all.some(
          (delivery) =>
            delivery.registrationId === each.id && delivery.graphId === id && delivery.event === "graph.done",
        );
        assert.ok(has, `${each.id} has listened since before ${id} was started, and has nothing of its end`);
      }
    }
    this.#judgeOrder(all);
  }

  /** Whether a delivery may have failed: it was given up, got a 410 response, or its registration was removed or disabled. */
  #mayHaveFailed({ id }: DeliveryRow): boolean {
    if (this.#givenUp.has(id)) return true;
    return this.#world.receivers.receipts.some(({ deliveryId, statusCode }) => deliveryId === id && statusCode === 410);
  }

  async #judgeDelivery(row: DeliveryRow, shown: string): Promise<void> {
    const received = this.#world.receivers.receipts.filter(({ deliveryId }) => deliveryId === row.id);
    const attempts = await this.#store.webhooks.attempts(row.id);
    assert.deepEqual(
      attempts.map(({ number }) => number),
      attempts.map((_, at) => at + 1),
      `attempts: ${shown}`,
    );
    if (row.status === "delivered")
      assert.ok(
        received.some(({ statusCode }) => statusCode === 200),
        `never received: ${shown}`,
      );
    const sent = attempts.filter(({ error }) => error !== "the webhook was deleted").length;
    if (this.#deaths > 0 || this.#hasFaults) return;
    assert.equal(received.length, sent, `sent ${received.length} times, ${sent} are on record: ${shown}`);
    const taken = received.findIndex(({ statusCode }) => statusCode === 200);
    if (!this.#replayed.has(row.id) && taken >= 0)
      assert.equal(taken, received.length - 1, `sent again once taken: ${shown}`);
  }

  /** An ordered registration gets the events of a run in order, unless one was given up. */
  #judgeOrder(all: readonly DeliveryRow[]): void {
    for (const { id, isOrdered } of this.#registered) {
      if (!isOrdered) continue;
      for (const graphId of new Set(all.map((row) => row.graphId))) {
        const rows = all.filter(
          (row) => row.registrationId === id && row.graphId === graphId && row.status === "delivered",
        );
        if (rows.some((row) => this.#replayed.has(row.id) || this.#givenUp.has(row.id))) continue;
        const first = (event: string): number =>
          this.#world.receivers.receipts.findIndex(
            (receipt) =>
              receipt.statusCode === 200 && rows.some((row) => row.id === receipt.deliveryId && row.event === event),
          );
        const [paused, done] = [first("graph.paused"), first("graph.done")];
        if (paused >= 0 && done >= 0)
          assert.ok(paused < done, `${id} has heard of the end of ${graphId} before its pause`);
      }
    }
  }
}

describe("random simulations of deliveries", () => {
  it("deliver everything, and nothing more often than necessary", async () => {
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
      const store = await openStore("memory:");
      try {
        await new Simulation(seed, store).run();
      } catch (error) {
        const again = `Again: SVC_SIMULATIONS=1 SVC_SIMULATIONS_FROM=${seed}`;
        throw new Error(`${(error as Error).message}. ${again}`, { cause: error });
      } finally {
        await store.close();
      }
    }
  });
});
