import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import type { Log } from "../../platform/shared/log.ts";
import { openStore } from "../../storage/open-store.ts";
import { DeferredOperations, type Doing } from "./deferred-operations.ts";

/** Two processes on one store, with their executed operations and log lines. */
async function two() {
  const { answers: store } = await openStore("memory:");
  const clock = new SimulatedClock();
  const reported: string[] = [];
  const notify = (_fields: object, text: string): void => void reported.push(text);
  const log: Log = { debug: notify, info: notify, warn: notify, error: notify };
  const [here, there] = [new DeferredOperations({ store, clock, log }), new DeferredOperations({ store, clock, log })];
  const done: string[] = [];
  const hold = (name: string) =>
    here.hold("5s", async () => {
      done.push(name);
    });
  return { clock, here, there, hold, done, reported };
}

describe("a deferred operation", () => {
  it("runs at its time, and can't be undone afterwards", async () => {
    const { clock, here, hold, done } = await two();
    const { id, dueMs } = hold("a");
    assert.equal(dueMs, clock.now() + 5000);
    await clock.advance(4999);
    assert.deepEqual(done, []);
    await clock.advance(1);
    assert.deepEqual(done, ["a"]);
    assert.equal(await here.undo(id), false);
  });

  it("can be undone once, by any process", async () => {
    const { clock, here, there, hold, done } = await two();
    const ids = [hold("a").id, hold("b").id];
    assert.equal(await here.undo(ids[0] ?? ""), "now");
    assert.equal(await there.undo(ids[1] ?? ""), "now");
    assert.equal(await here.undo(ids[1] ?? ""), "before");
    await clock.advance(60_000);
    assert.deepEqual(done, []);
  });

  it("is dropped when its process closes, which waits for started operations", async () => {
    const { clock, here, hold, done } = await two();
    let finish = (): void => undefined;
    here.hold(1000, async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      done.push("begun");
    });
    hold("late");
    await clock.advance(1000);
    const closing = here.close(60_000);
    finish();
    await closing;
    await clock.advance(60_000);
    assert.deepEqual(done, ["begun"]);
  });

  it("reports its progress to all processes, at most once a second", async () => {
    const { clock, here, there } = await two();
    let finish = (): void => undefined;
    let doing: Doing | undefined;
    const { id } = here.hold(1000, async (given) => {
      doing = given;
      await new Promise<void>((resolve) => (finish = resolve));
    });
    assert.equal(await there.progressOf(id), undefined);
    await clock.advance(1000);
    await doing?.notify({ done: 1 });
    assert.deepEqual(await there.progressOf(id), { done: 1 });
    await clock.advance(999);
    await doing?.notify({ done: 2 });
    assert.deepEqual(await here.progressOf(id), { done: 1 });
    await clock.advance(1);
    await doing?.notify({ done: 3 });
    assert.deepEqual(await there.progressOf(id), { done: 3 });
    finish();
    await here.close(1000);
    assert.equal(await there.undo(id), false);
  });

  it("gets an aborted signal when its process closes", async () => {
    const { clock, here, done } = await two();
    here.hold(1000, async ({ signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      done.push("stopped");
    });
    await clock.advance(1000);
    await here.close(60_000);
    assert.deepEqual(done, ["stopped"]);
  });

  it("is rejected for a delay over an hour, because its claim could expire before", async () => {
    const { clock, here, done } = await two();
    const run = async (): Promise<void> => void done.push("done");
    assert.throws(() => here.hold("61m", run), /TypeError: .*at most 1 hour, not for 61m/);
    here.hold("1h", run);
    await clock.advance(3_700_000);
    assert.deepEqual(done, ["done"]);
  });

  it("logs its error", async () => {
    const { clock, here, reported } = await two();
    here.hold(1, () => Promise.reject(new Error("no")));
    await clock.advance(1);
    assert.deepEqual(reported, ["A deferred operation failed"]);
  });
});
