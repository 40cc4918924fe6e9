/** Parents and children of which one ended, while its process died before it could notify the other. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import { openStore } from "../../storage/open-store.ts";
import { graph, worker } from "../definition/definition.ts";
import { createEngine } from "./engine.ts";
import type { Engine } from "./engine-types.ts";
import { clusterOf } from "./remote.testkit.ts";
import type { LeasedRun } from "./cluster-port.ts";
import { recordLog } from "../../testing/log.ts";

/** A process that holds all leases and receives no notifications of other processes. */
async function holding(): Promise<{ engine: Engine; held: LeasedRun; end: () => void; fail: () => void }> {
  let held: LeasedRun | undefined;
  let end = (): void => undefined;
  let fail = (): void => undefined;
  const work = worker("work", () => new Promise<string>((resolve) => (end = () => resolve("worked"))));
  const fails = worker("fails", { retry: { max: 1 } }, () => {
    return new Promise<never>((_resolve, reject) => (fail = () => reject(new Error("no luck"))));
  });
  const child = graph("child", (g) => g.node("work", work));
  const parent = graph("parent", (g) => {
    g.node("fails", fails, { when: (input: Json) => input === "fails" });
    return g.node("child", child);
  });
  const cluster = clusterOf({ attach: (given) => void (held = given) });
  const store = await openStore("memory:");
  const engine = createEngine({ store, clock: systemClock, graphs: [parent, child], cluster, log: recordLog() });
  return { engine, held: held ?? assert.fail(), end: () => end(), fail: () => fail() };
}

const readiness = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next));
};

/** Starts a parent whose child runs. */
async function begun(engine: Engine, input: string): Promise<{ id: string; childId: string }> {
  const id = (await engine.start("parent", input)).snapshot.graph_id;
  await readiness();
  return { id, childId: (await engine.snapshot(id))?.children[0]?.graph_id ?? assert.fail("it has no child") };
}

const never = (): Promise<never> => new Promise(() => undefined);

describe("a notification that a dead process did not send", () => {
  it("reaches the parent of a child that has ended", async () => {
    const { engine, held, end } = await holding();
    const { id, childId } = await begun(engine, "waits");
    const { signal } = engine;
    engine.signal = never;
    end();
    await readiness();
    engine.signal = signal;
    const statusOf = async (of: string) => (await engine.snapshot(of))?.status;
    assert.deepEqual([await statusOf(childId), await statusOf(id)], ["done", "running"]);
    await held.lookAfterChildren();
    await readiness();
    const done = await engine.snapshot(id);
    assert.deepEqual([done?.status, done?.result], ["done", "worked"]);
  });

  it("reaches the child of a parent that has failed", async () => {
    const { engine, held, fail } = await holding();
    const { id, childId } = await begun(engine, "fails");
    const { cancel } = engine;
    engine.cancel = never;
    fail();
    await readiness();
    engine.cancel = cancel;
    const statusOf = async (of: string) => (await engine.snapshot(of))?.status;
    assert.deepEqual([await statusOf(id), await statusOf(childId)], ["failed", "running"]);
    await held.lookAfterChildren();
    await readiness();
    const child = await engine.snapshot(childId);
    assert.deepEqual([child?.status, child?.error?.reason], ["failed", "cancelled"]);
  });

  it("is sent once, and does not affect the parent of a child that is still running", async () => {
    const { engine, held } = await holding();
    const { id } = await begun(engine, "waits");
    const { length } = await engine.events(id);
    await held.lookAfterChildren();
    await readiness();
    assert.equal((await engine.events(id)).length, length);
  });
});
