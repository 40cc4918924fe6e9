import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { worker } from "../definition/definition.ts";
import { bench, gate } from "../engine/engine.testkit.ts";
import type { WorkerOptions } from "../definition/worker-types.ts";

interface Job {
  tenant: string;
  name: string;
}

/** A worker that records which runs started, and ends on command. */
function watched(options: WorkerOptions<Job>) {
  const running: string[] = [];
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  const only = worker("watched", options, async (job: Job) => {
    running.push(job.name);
    order.push(job.name);
    const { promise, open } = gate();
    ends.set(job.name, open);
    await promise;
    running.splice(running.indexOf(job.name), 1);
  });
  return { only, running, order, end: (name: string) => ends.get(name)?.() };
}

const job = (name: string): { tenant: string; name: string } => ({ tenant: name.slice(0, 1), name });

describe("limits of a worker", () => {
  it("per key only hold back that key", async () => {
    const { only, running, end } = watched({ concurrency: { limit: 1, key: (input: Job) => input.tenant } });
    const { engine, clock } = await bench({ workers: [only] }, "memory:");
    for (const name of ["a1", "a2", "b1"]) await engine.start("watched", job(name));
    await clock.advance(0);
    assert.deepEqual(running, ["a1", "b1"]);
    end("a1");
    await clock.advance(0);
    assert.deepEqual(running, ["b1", "a2"]);
  });

  it("on the rate let more start after its period, per key if there is one", async () => {
    const { only, order } = watched({ rate: { limit: 2, per: "10s", key: (input: Job) => input.tenant } });
    const { engine, clock } = await bench({ workers: [only] }, "memory:");
    for (const name of ["a1", "a2", "a3", "b1", "a4"]) await engine.start("watched", job(name));
    await clock.advance(9_999);
    assert.deepEqual(order, ["a1", "a2", "b1"]);
    await clock.advance(1);
    assert.deepEqual(order, ["a1", "a2", "b1", "a3", "a4"]);
  });

  it("fail the node at once, with an error, if their key function throws", async () => {
    const { only } = watched({
      concurrency: { limit: 1, key: (input: Job) => input.tenant.toUpperCase() },
      retry: { max: 5 },
    });
    const { engine, pass } = await bench({ workers: [only] }, "memory:");
    const { snapshot } = await engine.start("watched", { name: "nobody's" });
    await pass(0);
    const { status, error, nodes } = (await engine.snapshot(snapshot.graph_id)) ?? assert.fail();
    assert.deepEqual([status, nodes[0]?.attempts], ["failed", 1]);
    assert.match(error?.message ?? "", /The limit key of "watched" can't be computed: .*toUpperCase/);
  });

  it("reject a key that is not text", async () => {
    const { only } = watched({ rate: { limit: 1, per: 1000, key: () => 7 as never } });
    const { engine, pass } = await bench({ workers: [only] }, "memory:");
    const { snapshot } = await engine.start("watched", job("a1"));
    await pass(0);
    assert.match(
      (await engine.snapshot(snapshot.graph_id))?.error?.message ?? "",
      /rate.key returned 7; return a text/,
    );
  });

  it("count a waiting node once for any number of pauses and resumes, and anew in its next epoch", async () => {
    const { only, running, order, end } = watched({ concurrency: 1 });
    const { engine, clock } = await bench({ workers: [only] }, "memory:");
    const ids: string[] = [];
    for (const name of ["a1", "a2", "a3"]) ids.push((await engine.start("watched", job(name))).snapshot.graph_id);
    const [, second = "", third = ""] = ids;
    const waiting = (): number | undefined =>
      engine.queueReports().find((taskQueue) => taskQueue.worker === "watched")?.waiting;
    await clock.advance(0);
    for (let round = 0; round < 3; round++) {
      for (const id of [second, third]) await engine.pause(id);
      for (const id of [second, third]) await engine.resume(id);
    }
    assert.deepEqual([running, waiting()], [["a1"], 2]);
    await engine.cancel(second);
    await engine.retry(second);
    end("a1");
    await clock.advance(0);
    end("a3");
    await clock.advance(0);
    assert.deepEqual([running, order, waiting()], [["a2"], ["a1", "a3", "a2"], 0]);
  });

  it("are kept after cancels and pauses of waiting nodes", async () => {
    const { only, running, order, end } = watched({ concurrency: 1 });
    const { engine, clock } = await bench({ workers: [only] }, "memory:");
    const ids = [];
    for (const name of ["a1", "a2", "a3", "a4"]) ids.push((await engine.start("watched", job(name))).snapshot.graph_id);
    await engine.cancel(ids[1] as string);
    await engine.pause(ids[2] as string);
    await engine.resume(ids[2] as string);
    for (const name of ["a1", "a3", "a4"]) {
      await clock.advance(0);
      assert.deepEqual(running, [name]);
      end(name);
    }
    await engine.idle();
    assert.deepEqual(order, ["a1", "a3", "a4"]);
    assert.deepEqual(engine.queueReports(), [{ worker: "watched", running: 0, waiting: 0 }]);
  });
});

describe("the priority", () => {
  it("of a start puts it before other waiting runs, also after a crash", async () => {
    const { only, order, end } = watched({ concurrency: 1 });
    const it = await bench({ workers: [only] }, "memory:");
    await it.engine.start("watched", job("first"));
    await it.engine.start("watched", job("plain"));
    await it.engine.start("watched", job("urgent"), { priority: 5 });
    await it.clock.advance(0);
    await it.crash();
    await it.clock.advance(0);
    assert.deepEqual(order, ["first", "first"]);
    end("first");
    await it.clock.advance(0);
    assert.deepEqual(order, ["first", "first", "urgent"]);
  });

  it("of a worker counts between workers if the engine has its own limit", async () => {
    const order: string[] = [];
    const gates = [gate(), gate(), gate()];
    const note = (name: string) => () => gates[order.push(name) - 1]?.promise;
    const low = worker("low", { priority: -1 }, note("low"));
    const high = worker("high", { priority: 1 }, note("high"));
    const { engine, clock } = await bench({ workers: [low, high], concurrency: 1 }, "memory:");
    for (const name of ["low", "low", "high"]) await engine.start(name, null);
    for (const one of gates) {
      await clock.advance(0);
      one.open();
    }
    await engine.idle();
    assert.deepEqual(order, ["low", "high", "low"]);
  });

  it("beyond a thousand is rejected, as is an invalid limit of the engine", async () => {
    const { only } = watched({});
    const { engine } = await bench({ workers: [only] }, "memory:");
    await assert.rejects(engine.start("watched", null, { priority: 1001 }), {
      code: "SVC_INVALID",
      message: /whole number from -1000 to 1000/,
    });
    await assert.rejects(bench({ concurrency: 0 }, "memory:"), /The engine has concurrency 0/);
  });
});
