/** Limits of values in runs. Each error names the value, its size, the limit and a remedy. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graph, worker } from "./definition.ts";
import { bench } from "../engine/engine.testkit.ts";
import { MAX_LOG_LENGTH, requireSize } from "./json-value.ts";
import { DEFAULT_LIMITS, readLimits } from "./value-limits.ts";

const { inputBytes, resultBytes, eventBytes } = DEFAULT_LIMITS;

describe("value limits", () => {
  it("fail a node at once, without a retry, if its result is too large", async () => {
    let calls = 0;
    const large = worker("large", { retry: { max: 5 } }, () => (calls++, "x".repeat(resultBytes)));
    const { engine, pass } = await bench({ graphs: [graph("one", (g) => g.node("large", large))] }, "memory:");
    const { snapshot } = await engine.start("one", null);
    await pass(0);
    const { status, error } = (await engine.snapshot(snapshot.graph_id)) ?? {};
    assert.deepEqual([status, calls], ["failed", 1]);
    assert.match(error?.message ?? "", /the result of "large" has 16777218 bytes of JSON; the limit is 16777216/i);
  });

  it("reject a start with an input that is too large", async () => {
    const { engine } = await bench({ workers: [worker("work", () => 1)] }, "memory:");
    await assert.rejects(engine.start("work", "x".repeat(inputBytes)), { code: "SVC_TOO_LARGE" });
    assert.equal((await engine.list({})).total, 0);
  });

  it("make emit throw on an event that is too large, and cut a long log line", async () => {
    const talk = worker("talk", (_input: null, ctx) => {
      ctx.log("info", "y".repeat(MAX_LOG_LENGTH + 5));
      assert.throws(() => ctx.emit("film", "x".repeat(eventBytes)), /the data of "film" has 262146 bytes/);
      return 1;
    });
    const { engine, pass, store } = await bench({ workers: [talk] }, "memory:");
    const { snapshot } = await engine.start("talk", null);
    await pass(0);
    assert.equal((await engine.snapshot(snapshot.graph_id))?.result, 1);
    const line = (await store.graphs.events(snapshot.graph_id, 0)).find(({ type }) => type === "log");
    assert.deepEqual(line?.data, { level: "info", message: "y".repeat(MAX_LOG_LENGTH) });
  });

  it("follow the options of the engine for inputs, stored values and reported values", async () => {
    const talk = worker("talk", (input: string, ctx) => {
      assert.throws(
        () => ctx.emit("film", "x".repeat(1023)),
        /the data of "film" has 1025 bytes of JSON; the limit is 1024/,
      );
      return input + input;
    });
    const limits = { inputBytes: 2048, resultBytes: 4096, eventBytes: 1024 };
    const { engine, pass } = await bench({ workers: [talk], limits }, "memory:");
    const { snapshot } = await engine.start("talk", "x".repeat(2046));
    await pass(0);
    assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "done");
    const refused = { code: "SVC_TOO_LARGE", message: /has 2049 bytes of JSON; the limit is 2048/ };
    await assert.rejects(engine.start("talk", "x".repeat(2047)), refused);
    await assert.rejects(engine.fork(snapshot.graph_id, { from: "talk", input: "x".repeat(2047) }), refused);
    const two = await engine.start("talk", "é".repeat(1020));
    await pass(0);
    assert.equal((await engine.snapshot(two.snapshot.graph_id))?.status, "done");
  });

  it("throttle progress by the interval of the engine, but always report the first and the last", async () => {
    const work = worker("work", async (_: null, ctx) => {
      for (let done = 0; done <= 10; done++) {
        ctx.progress(done / 10);
        await new Promise<void>((resolve) => void table.clock.schedule(100, resolve));
      }
      return null;
    });
    const table = await bench({ workers: [work], limits: { progressPerSecond: 2 } }, "memory:");
    const { snapshot } = await table.engine.start("work", null);
    for (let at = 0; at < 12; at++) await table.clock.advance(100);
    await table.engine.idle();
    const reported = (await table.store.graphs.events(snapshot.graph_id, 0)).filter(({ type }) => type === "progress");
    assert.deepEqual(
      reported.map(({ data }) => (data as { value: number }).value),
      [0, 0.4, 0.9, 1],
    );
  });

  it("end the attempts of a paused run after the grace period of the engine", async () => {
    const stuck = worker("stuck", () => new Promise(() => undefined));
    const { engine, clock, pass } = await bench({ workers: [stuck], limits: { pauseGrace: "5s" } }, "memory:");
    const { snapshot } = await engine.start("stuck", null);
    await clock.advance(0);
    await engine.pause(snapshot.graph_id);
    await clock.advance(4999);
    assert.equal((await engine.snapshot(snapshot.graph_id))?.phase, "pausing");
    await pass(1);
    assert.equal((await engine.snapshot(snapshot.graph_id))?.phase, "paused");
    await engine.close(0);
  });

  it("throw an error that names an invalid option", () => {
    const wrong: [object, RegExp][] = [
      [{ inputBytes: 12 }, /graphLimits has inputBytes 12; use a whole number from 1024 to 134217728/],
      [{ progressPerSecond: 0.5 }, /graphLimits has progressPerSecond 0.5; use a whole number from 1 to 100/],
      [{ pauseGrace: "soon" }, /graphLimits, in pauseGrace: "soon" is not a duration/],
      [{ inputByte: 2048 }, /graphLimits has an unknown option "inputByte"/],
    ];
    for (const [given, message] of wrong) assert.throws(() => readLimits(given), { code: "SVC_DEFINITION", message });
  });

  it("count bytes, not characters", () => {
    requireSize("ž".repeat(50), "it", 100);
    assert.throws(() => requireSize("ž".repeat(51), "it", 100), /it has 102 bytes/);
  });
});
