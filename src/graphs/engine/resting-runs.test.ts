/** Runs that recovery leaves as rows, because no attempt of them can be in progress: delayed starts, retries, paused runs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { silentLog } from "../../platform/shared/log.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { Store } from "../../storage/contract/contract.ts";
import { event } from "../definition/event.ts";
import { graph, worker } from "../definition/definition.ts";
import { EngineLifecycle } from "./engine-lifecycle.ts";
import { composeEngine } from "./engine-parts.ts";
import { bench, STORES, type Bench } from "./engine.testkit.ts";

const HOUR_MS = 3_600_000;
const EACH = 300;

const now = worker("now", (input: Json) => input);
const wait = worker("wait", async (_: Json, ctx) => ctx.waitFor("go"));
/** Fails in the first attempt, and returns the number of the attempt. */
const fails = worker("fails", { retry: { max: 3, base: "1h", cap: "1h", jitter: false } }, (_: Json, { attempt }) => {
  if (attempt === 1) throw new Error("no luck");
  return attempt;
});

async function started({ engine }: Bench, name: string, delay?: `${number}h`): Promise<string> {
  return (await engine.start(name, name, delay === undefined ? {} : { delay })).snapshot.graph_id;
}

const statusOf = async ({ engine }: Bench, id: string) => (await engine.snapshot(id))?.status;

/** A store whose next loads of runs fail, once for each. */
function failingLoads(store: Store): { store: Store; fails: (count: number) => void; loads: number[] } {
  let left = 0;
  let sinceTurn = 0;
  const loads: number[] = [];
  const load: Store["graphs"]["load"] = async (ids) => {
    if (sinceTurn === 0) setImmediate(() => (loads.push(sinceTurn), (sinceTurn = 0)));
    sinceTurn += ids.length;
    if (left-- > 0) throw new Error("the disk is full");
    return store.graphs.load(ids);
  };
  const graphs = new Proxy(store.graphs, {
    get: (target, key) => {
      const value: unknown = key === "load" ? load : Reflect.get(target, key);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { store: { ...store, graphs }, fails: (count) => void (left = count), loads };
}

describe("the recovery of runs without an attempt", () => {
  it("loads none of 900 delayed, retried and paused runs", async () => {
    const table = await bench({ workers: [now, fails, wait] }, "memory:");
    for (let at = 0; at < EACH; at++) {
      await started(table, "now", "1h");
      await started(table, "fails");
      const id = await started(table, "wait");
      await table.clock.advance(0);
      await table.engine.pause(id);
    }
    await table.engine.idle();
    const options = { store: table.store, clock: table.clock, log: silentLog, workers: [now, fails, wait] };
    const parts = composeEngine(options);
    assert.equal(await new EngineLifecycle(options, parts).recover(), 3 * EACH);
    assert.equal(parts.activeRuns.all().length, 0);
    await table.store.close();
  });

  it("loads a run with a wait that the last process did not record, because its worker may have done something beside it", async () => {
    let polls = 0;
    const polling = worker("polling", async (_: Json, ctx) => {
      const polled = Promise.resolve().then(() => ++polls);
      await Promise.race([ctx.waitFor("stop"), polled.then(() => new Promise(() => undefined))]);
    });
    const table = await bench({ workers: [polling] }, "memory:");
    await started(table, "polling");
    await table.engine.idle();
    await table.crash();
    await table.engine.idle();
    assert.equal(polls, 2);
    await table.store.close();
  });
});

for (const url of STORES)
  describe(`runs that recovery has left as rows, on ${url}`, () => {
    it("start, and are retried, at their times", async () => {
      const table = await bench({ workers: [now, fails] }, url);
      const [delayed, retried] = [await started(table, "now", "1h"), await started(table, "fails")];
      await table.pass(HOUR_MS / 2);
      await table.crash();
      await table.pass(HOUR_MS / 2 - 1);
      assert.deepEqual([await statusOf(table, delayed), await statusOf(table, retried)], ["pending", "running"]);
      await table.pass(1);
      assert.equal((await table.engine.snapshot(delayed))?.result, "now");
      assert.equal((await table.engine.snapshot(retried))?.result, 2);
      await table.store.close();
    });

    it("start when the system clock is set forward", async () => {
      const table = await bench({ workers: [now] }, url);
      const id = await started(table, "now", "1h");
      await table.crash();
      table.clock.aheadMs = HOUR_MS;
      await table.pass(60_000);
      assert.equal(await statusOf(table, id), "done");
      await table.store.close();
    });

    it("fail when their time is over before the retry", async () => {
      const slow = graph("slow", (g) => g.node("fails", fails), { timeout: "30m" });
      const table = await bench({ graphs: [slow] }, url);
      const id = await started(table, "slow");
      await table.pass(0);
      await table.crash();
      await table.pass(HOUR_MS / 2);
      assert.equal((await table.engine.snapshot(id))?.error?.reason, "timeout");
      await table.store.close();
    });

    it("receive signals while they are paused, and continue after a resume", async () => {
      const table = await bench({ workers: [wait] }, url);
      const id = await started(table, "wait");
      await table.pass(0);
      await table.engine.pause(id);
      await table.crash();
      await table.engine.signal(id, "go", 1);
      await table.engine.signal(id, "go", 2);
      await table.pass(HOUR_MS);
      assert.equal(await statusOf(table, id), "paused");
      await table.crash();
      await table.engine.resume(id);
      await table.pass(0);
      assert.equal((await table.engine.snapshot(id))?.result, 1);
      await table.store.close();
    });

    it("can be cancelled, terminated and paused, and do not start then", async () => {
      const table = await bench({ workers: [now, fails] }, url);
      const ids: string[] = [];
      for (const name of ["now", "fails"])
        for (let at = 0; at < 3; at++) ids.push(await started(table, name, name === "now" ? "1h" : undefined));
      await table.pass(0);
      await table.crash();
      for (const at of [0, 3]) {
        await table.engine.cancel(ids[at] as string);
        await table.engine.terminate(ids[at + 1] as string);
        await table.engine.pause(ids[at + 2] as string);
      }
      await table.pass(2 * HOUR_MS);
      const phases = await Promise.all(ids.map(async (id) => (await table.engine.snapshot(id))?.phase));
      assert.deepEqual(phases, ["failed", "failed", "paused", "failed", "failed", "paused"]);
      for (const id of [ids[2], ids[5]]) await table.engine.resume(id as string);
      await table.pass(0);
      assert.deepEqual(await Promise.all([ids[2], ids[5]].map((id) => statusOf(table, id as string))), [
        "done",
        "done",
      ]);
      await table.store.close();
    });

    it("are cancelled by an event", async () => {
      const closed = event("closed");
      const later = graph("later", (g) => g.node("now", now), { cancelOn: [{ event: closed }] });
      const table = await bench({ graphs: [later] }, url);
      const id = await started(table, "later", "1h");
      await table.crash();
      await table.pass(1);
      await table.engine.send(closed, null);
      await table.pass(HOUR_MS);
      assert.equal((await table.engine.snapshot(id))?.error?.reason, "cancelled");
      await table.store.close();
    });

    it("are parked if their definition has changed", async () => {
      const first = graph("order", (g) => g.node("now", now));
      const second = graph("order", (g) => g.node("mail", now, { after: [g.node("now", now)] }));
      const table = await bench({ graphs: [first] }, url);
      const id = await started(table, "order", "1h");
      await table.crash({ graphs: [second] });
      assert.equal((await table.engine.snapshot(id))?.phase, "parked");
      await table.store.close();
    });

    it("are tried again if they can't be loaded, and run once", async () => {
      const table = await bench({ workers: [now] }, url);
      const ids = [await started(table, "now", "1h"), await started(table, "now", "1h")];
      const faulty = failingLoads(table.store);
      await table.crash({ store: faulty.store });
      faulty.fails(2);
      await table.pass(HOUR_MS);
      assert.deepEqual(await Promise.all(ids.map((id) => statusOf(table, id))), ["pending", "pending"]);
      await table.pass(1000);
      assert.deepEqual(await Promise.all(ids.map((id) => statusOf(table, id))), ["done", "done"]);
      for (const id of ids) {
        const types = (await table.engine.events(id)).map(({ type }) => type);
        assert.equal(types.filter((type) => type === "node.started").length, 1);
      }
      await table.store.close();
    });

    it("start once if the process dies between their load and their first commit", async () => {
      const table = await bench({ workers: [now] }, url);
      const id = await started(table, "now", "1h");
      let isDying = false;
      const graphs = new Proxy(table.store.graphs, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key);
          if (key === "commit") return isDying ? () => new Promise(() => undefined) : target.commit.bind(target);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
      await table.crash({ store: { ...table.store, graphs } });
      isDying = true;
      await table.clock.advance(HOUR_MS);
      assert.equal(await statusOf(table, id), "pending");
      await table.crash();
      await table.pass(0);
      const types = (await table.engine.events(id)).map(({ type }) => type);
      assert.deepEqual(
        [await statusOf(table, id), types.filter((type) => type === "graph.started").length],
        ["done", 1],
      );
      await table.store.close();
    });

    it("are loaded in pages when many are due together", async () => {
      const table = await bench({ workers: [now] }, url);
      for (let at = 0; at < EACH; at++) await started(table, "now", "1h");
      const counted = failingLoads(table.store);
      await table.crash({ store: counted.store });
      counted.loads.length = 0;
      await table.pass(HOUR_MS);
      assert.equal((await table.store.graphs.countByStatus()).done, EACH);
      assert.ok(Math.max(...counted.loads) <= 50, `${Math.max(...counted.loads)} runs were loaded in one turn`);
      await table.store.close();
    });
  });
