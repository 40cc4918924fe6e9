import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graph, worker } from "../definition/definition.ts";
import { bench, gate } from "./engine.testkit.ts";
import { createEngine } from "./engine.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";

const hangs = () => new Promise<never>(() => undefined);
const quick = worker("quick", (input: string) => input);

function versioned(version: string | undefined, run: () => unknown = hangs): GraphDefinition {
  const of = version === undefined ? {} : { version };
  const build = worker("build", of, run);
  return graph("site", (g) => g.node("build", build), of) as GraphDefinition;
}

describe("a run of a versioned graph", () => {
  it("continues with the version it was started with, while new runs use the last version of the list", async () => {
    const it = await bench({ graphs: [versioned("1")] }, "memory:");
    const { snapshot: old } = await it.engine.start("site", null);
    await it.crash({ graphs: [versioned("1", () => "old"), versioned("2", () => "new")] });
    const { snapshot: young } = await it.engine.start("site", null);
    await it.pass(0);
    const results = await Promise.all(
      [old, young].map(async ({ graph_id }) => (await it.engine.snapshot(graph_id))?.result),
    );
    assert.deepEqual(results, ["old", "new"]);
  });

  it("is parked with a log line if its version is missing, and continues when it is available again", async () => {
    const it = await bench({ graphs: [versioned("1")] }, "memory:");
    const { snapshot } = await it.engine.start("site", null);
    await it.crash({ graphs: [versioned("2")] });
    await it.pass(0);
    const parked = await it.engine.snapshot(snapshot.graph_id);
    assert.deepEqual([parked?.status, parked?.phase, parked?.error?.reason], ["paused", "parked", "parked"]);
    assert.match(it.logs.join("\n"), /No graph or worker is named "site" in version "1"/);
    await assert.rejects(it.engine.resume(snapshot.graph_id), { code: "SVC_TRANSITION", message: /in version "1"/ });
    await it.crash({ graphs: [versioned("1", () => "there")] });
    await it.pass(0);
    assert.equal((await it.engine.snapshot(snapshot.graph_id))?.result, "there");
  });

  it("from before versions existed continues with the earliest version", async () => {
    const it = await bench({ graphs: [versioned(undefined)] }, "memory:");
    const { snapshot } = await it.engine.start("site", null);
    await it.crash({ graphs: [versioned("1", () => "first"), versioned("2", () => "second")] });
    await it.pass(0);
    assert.equal((await it.engine.snapshot(snapshot.graph_id))?.result, "first");
  });

  it("requires a valid version that no other graph of its name has", async () => {
    const { store, clock } = await bench({}, "memory:");
    const twice = () => createEngine({ store, clock, graphs: [versioned("1"), versioned("1")] });
    assert.throws(twice, { code: "SVC_DEFINITION", message: /named "site" and have the version "1"/ });
    assert.throws(() => graph("g", (g) => void g.node("a", quick), { version: "" }), /The graph "g" has version ""/);
    assert.throws(() => graph("g", (g) => void g.node("a", quick), { onError: "ignore" as never }), /onError "ignore"/);
    assert.throws(() => graph("g", (g) => void g.node("a", quick), { time: 1 } as object), /option "time"/);
  });
});

describe("a pause with grace", () => {
  it("ends running attempts after the grace period, and the same attempt starts again after the resume", async () => {
    const attempts: number[] = [];
    const held = gate();
    const slow = worker("slow", (_input: unknown, ctx) => {
      attempts.push(ctx.attempt);
      return attempts.length === 1 ? hangs() : held.promise;
    });
    const { engine, clock, pass } = await bench({ workers: [slow] }, "memory:");
    const { snapshot } = await engine.start("slow", null);
    const id = snapshot.graph_id;
    await clock.advance(0);
    assert.equal((await engine.pause(id, { grace: 10_000 })).phase, "pausing");
    await clock.advance(9_999);
    assert.equal((await engine.snapshot(id))?.phase, "pausing");
    await clock.advance(1);
    assert.equal((await engine.snapshot(id))?.phase, "paused");
    await engine.resume(id);
    held.open();
    await pass(0);
    assert.deepEqual([(await engine.snapshot(id))?.status, attempts], ["done", [1, 1]]);
  });

  it("ends nothing if the run is resumed in time, nor does a later pause without grace", async () => {
    const { engine, clock } = await bench({ workers: [worker("slow", hangs)] }, "memory:");
    const { snapshot } = await engine.start("slow", null);
    const id = snapshot.graph_id;
    await clock.advance(0);
    await engine.pause(id, { grace: 10_000 });
    await engine.resume(id);
    await engine.pause(id);
    await clock.advance(60_000);
    assert.equal((await engine.snapshot(id))?.phase, "pausing");
  });
});
