/** The delivery queues over a fake store. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { DeliveryQueueKey, DeliveryRow } from "../../storage/contract/webhook-rows.ts";
import { FOREVER_MS } from "./delivery-queue.ts";
import { DeliveryQueues, type DeliveryLimits } from "./delivery-queues.ts";

const STEPS = [
  "offer",
  "offer",
  "offer later",
  "add",
  "other",
  "hold",
  "resume",
  "pass",
  "end",
  "end",
  "start",
] as const;

interface Reading extends DeliveryQueueKey {
  limit: number;
  given: number;
}

function rig(limits: DeliveryLimits = { total: 64, perEndpoint: 8 }) {
  const rows: DeliveryRow[] = [];
  const readings: Reading[] = [];
  const rooms = new Map<string, { slots: number; untilMs: number }>();
  let nowMs = 1000;
  let made = 0;
  const make = (registrationId: string, change: Partial<DeliveryRow>): DeliveryRow => {
    const id = `msg_${made++}`;
    const row = { id, registrationId, graphId: `g_${id}`, event: "graph.done" as const, epoch: 1, pauseNo: 0 };
    const state = {
      body: "{}",
      createdMs: 1,
      dueMs: 1,
      status: "pending" as const,
      attempts: 0,
      deliveredMs: undefined,
    };
    return { ...row, ...state, ...change };
  };
  const inLane = (deliveryQueue: DeliveryQueueKey) =>
    rows
      .filter(
        (row) => row.registrationId === deliveryQueue.registrationId && row.attempts > 0 === deliveryQueue.isRetry,
      )
      .sort((a, b) => a.dueMs - b.dueMs);
  const queues = new DeliveryQueues({
    limits,
    now: () => nowMs,
    roomOf: (id) => rooms.get(id) ?? { slots: limits.perEndpoint, untilMs: 0 },
    store: {
      due: async (deliveryQueue, atMs, limit) => {
        const given = inLane(deliveryQueue)
          .filter((row) => row.dueMs <= atMs)
          .slice(0, limit);
        readings.push({ ...deliveryQueue, limit, given: given.length });
        return given;
      },
      nextDueMs: async (deliveryQueue, afterMs) => inLane(deliveryQueue).find((row) => row.dueMs > afterMs)?.dueMs,
    },
  });
  return {
    queues,
    readings,
    rooms,
    /** Adds rows to the store, as a commit of another process does. */
    add: (registrationId: string, count: number, change: Partial<DeliveryRow> = {}) => {
      for (let at = 0; at < count; at++) {
        rows.push(make(registrationId, change));
      }
      queues.wake(registrationId);
    },
    /** Adds rows to the store and passes them on, as a commit of this process does. */
    offer: (registrationId: string, count: number, change: Partial<DeliveryRow> = {}) => {
      const added = Array.from({ length: count }, () => make(registrationId, change));
      rows.push(...added);
      for (const row of added) queues.offer(row);
    },
    /** Rows whose attempts are not recorded yet. */
    rows,
    start: async (): Promise<DeliveryRow[]> => {
      const started: DeliveryRow[] = [];
      for (;;) {
        const row = queues.next();
        if (row) started.push(row);
        else if (queues.isHungry) await queues.read();
        else break;
      }
      return started;
    },
    /** Ends and records the attempt. */
    end: (row: DeliveryRow) => {
      rows.splice(
        rows.findIndex(({ id }) => id === row.id),
        1,
      );
      queues.finish(row);
      queues.release(row);
    },
    pass: (ms: number) => {
      nowMs += ms;
      queues.tick();
    },
  };
}

const countOf = (rows: readonly DeliveryRow[], registrationId: string): number =>
  rows.filter((row) => row.registrationId === registrationId).length;

describe("delivery queues", () => {
  it("start 8 attempts per registration and 64 in total, in turn", async () => {
    const test = rig();
    for (let at = 0; at < 10; at++) test.add(`wh_${at}`, 20);
    const started = await test.start();
    assert.equal(started.length, 64);
    for (let at = 0; at < 10; at++) assert.ok([6, 7].includes(countOf(started, `wh_${at}`)), `wh_${at}`);
    const alone = rig();
    alone.add("wh_1", 20);
    assert.equal((await alone.start()).length, 8);
  });

  it("give retries at most half of an endpoint's slots, and at least one", async () => {
    const test = rig();
    test.add("wh_1", 20, { attempts: 3 });
    assert.equal((await test.start()).length, 4);
    test.add("wh_1", 20);
    const news = await test.start();
    assert.deepEqual([news.length, news.filter((row) => row.attempts > 0).length], [4, 0]);
    const other = rig();
    other.add("wh_1", 20);
    other.add("wh_1", 20, { attempts: 1 });
    const first = await other.start();
    assert.ok(first.some((row) => row.attempts > 0));
    assert.ok(first.filter((row) => row.attempts === 0).length >= 4);
  });

  it("start a row again that was postponed and then released or requeued before its slot was freed", async () => {
    const test = rig();
    test.add("wh_1", 1);
    const [row] = await test.start();
    assert.ok(row);
    // The row waits for an earlier one of its run, which then ends.
    test.queues.putOff(row);
    row.dueMs = 21_000;
    test.queues.wake("wh_1");
    assert.deepEqual(await test.start(), []);
    row.dueMs = 1000;
    test.queues.wake("wh_1");
    assert.deepEqual(await test.start(), []);
    test.queues.finish(row);
    test.queues.release(row);
    assert.deepEqual(await test.start(), [row]);
    test.end(row);
    assert.deepEqual(await test.start(), []);
  });

  it("keep half of all slots free of retries, and reuse freed slots for other retries", async () => {
    const test = rig({ total: 4, perEndpoint: 4 });
    test.add("wh_1", 5, { attempts: 1 });
    test.add("wh_2", 5, { attempts: 1 });
    const started = await test.start();
    assert.equal(started.length, 2);
    test.end(started[0] as DeliveryRow);
    assert.equal((await test.start()).length, 1);
    test.add("wh_3", 5);
    assert.equal(countOf(await test.start(), "wh_3"), 2);
  });

  it("read pages of limited size, however long the backlog", async () => {
    const test = rig();
    test.add("wh_1", 5000);
    let delivered = 0;
    for (let started = await test.start(); started.length > 0; started = await test.start()) {
      for (const row of started) test.end(row);
      delivered += started.length;
    }
    assert.equal(delivered, 5000);
    const rowsRead = test.readings.reduce((sum, { given }) => sum + given, 0);
    assert.ok(rowsRead < 5000 * 1.2, `${rowsRead} rows read for 5000`);
    assert.ok(Math.max(...test.readings.map(({ limit }) => limit)) <= 128 + 8);
  });

  it("start new rows without a read if nothing is pending in the store", async () => {
    const test = rig();
    test.offer("wh_1", 1);
    const [first] = await test.start();
    test.end(first as DeliveryRow);
    test.readings.splice(0);
    test.offer("wh_1", 20);
    const started = await test.start();
    for (const row of started) test.end(row);
    assert.deepEqual([started.length, (await test.start()).length, test.readings.length], [8, 8, 0]);
    assert.equal(started[0]?.status, "pending");
  });

  it("return to starting rows without reads after a notification during attempts", async () => {
    const test = rig();
    test.offer("wh_1", 2);
    const activeCount = await test.start();
    for (let count = 0; count < 500; count++) {
      if (count === 10) test.queues.wake("wh_1");
      test.offer("wh_1", 1);
      test.end(activeCount.shift() as DeliveryRow);
      activeCount.push(...(await test.start()));
    }
    assert.equal(activeCount.length, 2);
    assert.ok(test.readings.length < 20, `${test.readings.length} pages were read`);
  });

  it("start a retry again that was requeued after its attempt was recorded, before its slot was freed", async () => {
    const test = rig();
    test.add("wh_1", 1, { attempts: 1 });
    const [row] = await test.start();
    assert.ok(row);
    row.attempts++;
    test.queues.wake("wh_1");
    assert.deepEqual(await test.start(), []);
    test.queues.finish(row);
    test.queues.release(row);
    assert.deepEqual(await test.start(), [row]);
    // The same, but freed while the page with the row is read.
    row.attempts++;
    test.queues.wake("wh_1");
    const starting = test.start();
    test.queues.finish(row);
    test.queues.release(row);
    assert.deepEqual(await starting, [row]);
  });

  it("read each queue only once, even if attempts end meanwhile", async () => {
    const test = rig();
    test.add("wh_1", 8);
    const activeCount = await test.start();
    test.queues.wake("wh_1");
    test.readings.splice(0);
    const ended = activeCount.shift() as DeliveryRow;
    test.end(ended);
    const starting = test.start();
    for (const row of activeCount) test.end(row);
    assert.deepEqual([await starting, test.readings.length], [[], 2]);
  });

  it("leave rows in the store that exceed a page, are not due, or follow pending rows there", async () => {
    const test = rig();
    test.offer("wh_1", 1);
    await test.start();
    test.offer("wh_1", 1, { dueMs: 3000 });
    await test.start();
    assert.equal(test.queues.wakeMs, 3000);
    test.offer("wh_1", 200);
    let most = 0;
    const ended = new Set<string>();
    for (let started = await test.start(); started.length > 0; started = await test.start()) {
      most = Math.max(most, ...test.readings.map(({ given }) => given));
      for (const row of started) {
        test.end(row);
        ended.add(row.id);
      }
    }
    assert.ok(most <= 128 + 8);
    assert.equal(ended.size, 200);
  });

  it("start each row once, for any sequence of commits, notifications, holds and releases", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { minLength: 20, maxLength: 120 }), async (steps) => {
        const test = rig({ total: 6, perEndpoint: 4 });
        const activeCount: DeliveryRow[] = [];
        const started: string[] = [];
        const start = async (): Promise<void> => {
          for (const row of await test.start()) {
            activeCount.push(row);
            started.push(row.id);
          }
        };
        let [made, starting] = [0, Promise.resolve()];
        const count = (): number => {
          made += 3;
          return 3;
        };
        for (const step of steps) {
          if (step === "offer") test.offer("wh_1", count());
          if (step === "offer later") test.offer("wh_1", count(), { dueMs: 1500 });
          if (step === "add") test.add("wh_1", count());
          if (step === "other") test.offer("wh_2", count());
          if (step === "hold") test.queues.hold("wh_1", FOREVER_MS);
          if (step === "resume") test.queues.resume("wh_1");
          if (step === "pass") test.pass(300);
          if (step === "end" && activeCount.length > 0) test.end(activeCount.shift() as DeliveryRow);
          // Not awaited, so that the next operation occurs while pages are read.
          if (step === "start") starting = starting.then(start);
          await Promise.resolve();
        }
        await starting;
        test.queues.resume("wh_1");
        test.pass(5000);
        for (await start(); activeCount.length > 0; await start()) test.end(activeCount.shift() as DeliveryRow);
        assert.deepEqual([started.length, new Set(started).size, test.rows.length], [made, made, 0]);
      }),
      { numRuns: 200 },
    );
  });

  it("start a row once, although it is pending in the store until its attempt is recorded", async () => {
    const test = rig();
    test.add("wh_1", 3);
    const started = await test.start();
    for (const row of started) test.queues.finish(row);
    test.queues.wake("wh_1");
    assert.deepEqual([started.length, (await test.start()).length], [3, 0]);
    for (const row of started) test.queues.release(row);
    test.queues.wake("wh_1");
    assert.equal((await test.start()).length, 3);
  });

  it("report when the next row is due, and start it then", async () => {
    const test = rig();
    test.add("wh_1", 1, { dueMs: 5000, attempts: 1 });
    assert.deepEqual([(await test.start()).length, test.queues.wakeMs], [0, 5000]);
    test.pass(3999);
    assert.deepEqual([(await test.start()).length, test.queues.wakeMs], [0, 5000]);
    test.pass(1);
    assert.equal((await test.start()).length, 1);
    test.pass(1);
    assert.equal(test.queues.wakeMs, FOREVER_MS);
  });

  it("read nothing for a blocked registration, and all of its rows afterwards", async () => {
    const test = rig();
    test.add("wh_1", 3);
    test.rooms.set("wh_1", { slots: 0, untilMs: 9000 });
    assert.deepEqual([(await test.start()).length, test.readings.length, test.queues.wakeMs], [0, 0, 9000]);
    test.add("wh_1", 1);
    assert.deepEqual([(await test.start()).length, test.readings.length], [0, 0]);
    test.rooms.set("wh_1", { slots: 1, untilMs: 0 });
    test.pass(8000);
    assert.equal((await test.start()).length, 1, "one probe");
    test.rooms.delete("wh_1");
    test.queues.resume("wh_1");
    assert.equal((await test.start()).length, 3);
  });

  it("start rows added after a hold has expired, even if the clock is set back, and hold rows added during a hold", async () => {
    const test = rig();
    test.queues.hold("wh_1", 6000);
    test.pass(5000);
    assert.equal((await test.start()).length, 0);
    test.pass(-3000);
    test.offer("wh_1", 1);
    assert.equal((await test.start()).length, 1);
    test.queues.hold("wh_1", 9000);
    test.offer("wh_1", 1);
    assert.equal((await test.start()).length, 0);
    assert.equal(test.queues.wakeMs, 9000);
  });

  it("drop rows that have not started when a registration is held", async () => {
    const test = rig({ total: 64, perEndpoint: 1 });
    test.add("wh_1", 3);
    const [first] = await test.start();
    test.queues.hold("wh_1", FOREVER_MS);
    test.end(first as DeliveryRow);
    assert.equal((await test.start()).length, 0);
    test.queues.resume("wh_1");
    assert.equal((await test.start()).length, 1);
  });
});
