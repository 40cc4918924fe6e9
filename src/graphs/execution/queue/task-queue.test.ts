import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { SimulatedClock } from "../../../platform/shared/clock.ts";
import { TaskQueue, NO_KEYS, orderOf, type QueueItem } from "./task-queue.ts";
import type { AnyOptions } from "../../definition/worker-types.ts";

interface Named extends QueueItem {
  name: number;
}

function queueOf(options: AnyOptions, isWanted: (item: Named) => boolean = () => true) {
  const clock = new SimulatedClock();
  let opened = 0;
  const taskQueue = new TaskQueue<Named>({ options, clock, owner: { opened: () => opened++ } });
  const wait = (name: number, keys = NO_KEYS, priority = 0, isStart = true): Named => {
    const item: Named = {
      name,
      keys,
      isStart,
      order: orderOf(clock.now(), priority),
      seq: taskQueue.nextSeq(),
      isWanted: () => isWanted(item),
      dropped: () => undefined,
    };
    taskQueue.wait(item);
    return item;
  };
  const takeAll = (): number[] => {
    const taken: number[] = [];
    for (let item = taskQueue.take(); item; item = taskQueue.take()) {
      if (item.isStart) taskQueue.started(item.keys);
      taken.push(item.name);
    }
    return taken;
  };
  return { clock, taskQueue, wait, takeAll, opened: () => opened };
}

const key = (concurrency: string, rate = ""): QueueItem["keys"] => ({ concurrency, rate });
const anyKey = (input: string): string => input;

describe("a task queue", () => {
  it("starts attempts in order of waiting time, where a point of priority counts as one minute", async () => {
    const { clock, taskQueue, wait, takeAll } = queueOf({ concurrency: 1 });
    assert.ok(taskQueue.enter(NO_KEYS));
    wait(1);
    wait(2, NO_KEYS, -1);
    await clock.advance(59_999);
    wait(3, NO_KEYS, 1);
    wait(4);
    await clock.advance(2);
    wait(5);
    wait(6, NO_KEYS, 2);
    const served: number[] = [];
    for (let at = 0; at < 6; at++) {
      taskQueue.leave(NO_KEYS);
      served.push(...takeAll());
    }
    // 6 counts as if it had waited two minutes longer; 2 counts as one minute, so it comes after 4 and before 5.
    assert.deepEqual(served, [6, 3, 1, 4, 2, 5]);
  });

  it("lets attempts with a free key pass others", () => {
    const { taskQueue, wait, takeAll } = queueOf({ concurrency: { limit: 1, key: anyKey, total: 2 } });
    wait(1, key("a"));
    wait(2, key("a"));
    wait(3, key("b"));
    wait(4, key("c"));
    assert.deepEqual(takeAll(), [1, 3]);
    taskQueue.leave(key("b"));
    assert.deepEqual(takeAll(), [4]);
    taskQueue.leave(key("a"));
    assert.deepEqual(takeAll(), [2]);
  });

  it("starts no more than the limit in any period of the rate, with one timer for all waiting attempts", async () => {
    const { clock, taskQueue, wait, takeAll, opened } = queueOf({ rate: { limit: 2, per: "1s" }, concurrency: 100 });
    for (let name = 1; name <= 50; name++) wait(name);
    assert.deepEqual(takeAll(), [1, 2]);
    assert.equal(clock.pending, 1);
    await clock.advance(999);
    assert.deepEqual([opened(), takeAll()], [0, []]);
    await clock.advance(1);
    assert.deepEqual([opened(), takeAll(), clock.pending], [1, [3, 4], 1]);
    assert.equal(taskQueue.enter(NO_KEYS), false);
  });

  it("does not count a return after a wait as a start", () => {
    const { wait, takeAll } = queueOf({ rate: { limit: 1, per: "1h" } });
    wait(1);
    wait(2, NO_KEYS, 0, false);
    wait(3);
    assert.deepEqual(takeAll(), [1, 2]);
  });

  it("waits no longer than the rate's period after the clock was set back", async () => {
    const { taskQueue, wait, takeAll, clock } = queueOf({ rate: { limit: 1, per: "10s" } });
    const real = clock.now.bind(clock);
    assert.ok(taskQueue.enter(NO_KEYS));
    taskQueue.started(NO_KEYS);
    wait(1);
    clock.now = () => real() - 3_600_000;
    await clock.advance(10_000);
    assert.deepEqual(takeAll(), []);
    await clock.advance(10_000);
    assert.deepEqual(takeAll(), [1]);
  });

  it("waits no longer than that behind a blocked key, too", async () => {
    const { taskQueue, wait, takeAll, clock } = queueOf({ rate: { limit: 1, per: "10s", key: anyKey } });
    const real = clock.now.bind(clock);
    assert.ok(taskQueue.enter(key("", "a")));
    taskQueue.started(key("", "a"));
    await clock.advance(5_000);
    assert.ok(taskQueue.enter(key("", "b")));
    taskQueue.started(key("", "b"));
    wait(1, key("", "a"));
    wait(2, key("", "b"));
    clock.now = () => real() - 3_600_000;
    await clock.advance(20_000);
    const taken = takeAll();
    await clock.advance(20_000);
    assert.deepEqual(new Set([...taken, ...takeAll()]), new Set([1, 2]));
  });

  it("examines each of a hundred thousand waiting attempts a few times at most", () => {
    let looks = 0;
    const limits = { concurrency: { limit: 1, key: anyKey, total: 10 } };
    const { taskQueue, wait, takeAll } = queueOf(limits, () => ++looks > 0);
    const keys = Array.from({ length: 20_000 }, (_, at) => key(`k${at % 5_000}`));
    const running: QueueItem["keys"][] = [];
    keys.forEach((own, at) => wait(at, own));
    for (let done = 0; done < keys.length; done++) {
      for (const name of takeAll()) running.push(keys[name] as QueueItem["keys"]);
      taskQueue.leave(running.shift() as QueueItem["keys"]);
    }
    assert.equal(taskQueue.waiting, 0);
    assert.ok(looks < 6 * keys.length, `${looks} looks at ${keys.length}`);
  });

  it("behaves like a model that scans all waiting attempts, for any sequence", () => {
    const letters = fc.constantFrom("a", "b", "c");
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant("wait" as const),
          c: letters,
          r: letters,
          priority: fc.integer({ min: -2, max: 2 }),
          isStart: fc.boolean(),
        }),
      },
      { weight: 3, arbitrary: fc.record({ do: fc.constant("leave" as const), which: fc.nat(20) }) },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 70_000 }) }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("drop" as const), which: fc.nat(20) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("enter" as const), c: letters, r: letters }) },
    );
    const limits = fc.record({
      total: fc.integer({ min: 1, max: 5 }),
      perKey: fc.constantFrom(1, 2, undefined),
      rate: fc.constantFrom(1, 3, undefined),
    });
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 60 }), ({ total, perKey, rate }, steps) => {
        const per = 30_000;
        const gone = new Set<number>();
        let nowMs = 0;
        // The timers of the real queue need no simulated time: a poll is enough.
        const now = (): number => nowMs;
        const clock = { now, elapsed: now, schedule: () => ({ cancel: () => undefined }) };
        const taskQueue = new TaskQueue<Named>({
          options: {
            concurrency: perKey === undefined ? total : { limit: perKey, key: anyKey, total },
            ...(rate === undefined ? {} : { rate: { limit: rate, per, key: anyKey } }),
          },
          clock: { ...clock, schedule: (inMs, run) => (timers.push({ atMs: nowMs + inMs, run }), clock.schedule()) },
          owner: { opened: () => undefined },
        });
        const timers: { atMs: number; run: () => void }[] = [];
        let waiting: Named[] = [];
        const running: QueueItem["keys"][] = [];
        const starts: { atMs: number; key: string }[] = [];
        const isOpen = (keys: QueueItem["keys"], isStart: boolean): boolean =>
          running.length < total &&
          running.filter((other) => other.concurrency === keys.concurrency).length < (perKey ?? Infinity) &&
          (!isStart ||
            starts.filter((one) => one.key === keys.rate && one.atMs > nowMs - per).length < (rate ?? Infinity));
        const occupy = (keys: QueueItem["keys"], isStart: boolean): void => {
          running.push(keys);
          if (isStart) starts.push({ atMs: nowMs, key: keys.rate });
        };
        const expected = (): Named | undefined =>
          waiting
            .filter((item) => !gone.has(item.name) && isOpen(item.keys, item.isStart))
            .sort((a, b) => a.order - b.order || a.seq - b.seq)[0];
        let names = 0;
        for (const one of steps) {
          if (one.do === "pass") {
            nowMs += one.ms;
            for (const timer of timers.splice(0)) (timer.atMs <= nowMs ? timer.run : () => timers.push(timer))();
          } else if (one.do === "wait") {
            const keys = key(one.c, one.r);
            const name = names++;
            const item: Named = {
              name,
              keys,
              isStart: one.isStart,
              order: orderOf(nowMs, one.priority),
              seq: taskQueue.nextSeq(),
              isWanted: () => !gone.has(name),
              dropped: () => undefined,
            };
            waiting.push(item);
            taskQueue.wait(item);
          } else if (one.do === "enter") {
            const keys = key(one.c, one.r);
            const isFree = expected() === undefined && isOpen(keys, true);
            assert.equal(taskQueue.enter(keys), isFree);
            if (isFree) {
              taskQueue.started(keys);
              occupy(keys, true);
            }
          } else if (one.do === "drop" && waiting.length > 0)
            gone.add(waiting[one.which % waiting.length]?.name as number);
          else if (one.do === "leave" && running.length > 0) {
            const [keys] = running.splice(one.which % running.length, 1);
            taskQueue.leave(keys as QueueItem["keys"]);
          }
          for (let item = taskQueue.take(); ; item = taskQueue.take()) {
            const wanted = expected();
            assert.equal(item?.name, wanted?.name);
            if (!item) break;
            if (item.isStart) taskQueue.started(item.keys);
            waiting = waiting.filter((other) => other !== wanted);
            occupy(item.keys, item.isStart);
          }
          assert.equal(taskQueue.running, running.length);
        }
      }),
      { numRuns: 500, seed: 20261121 },
    );
  });
});
