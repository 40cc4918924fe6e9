import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../../platform/shared/errors.ts";
import { graph, worker } from "../definition/definition.ts";
import { bench, PLACES, typesOf } from "./engine.testkit.ts";

const echo = worker("echo", (input: unknown) => input);

/** list → square (fan-out) → sum → summary, and beside them a node that may fail. Counts how often each has run. */
function sums() {
  const runs: Record<string, number> = {};
  const count = (name: string): number => (runs[name] = (runs[name] ?? 0) + 1);
  const list = worker("list", (input: number[]) => (count("list"), input));
  const square = worker("square", { retry: { max: 1 } }, (n: number, ctx) => {
    if (count(ctx.nodeId) === 1 && n === 13) throw new Error("bad luck");
    return n * n;
  });
  const sum = worker("sum", (_: unknown, ctx) => {
    count("sum");
    return (ctx.deps["square"] as number[]).reduce((a, b) => a + b, 0);
  });
  const report = worker("summary", (input: unknown) => (count("summary"), { reported: input }));
  const moody = worker("moody", { retry: { max: 1 } }, () => {
    count("moody");
    throw new Error("not today");
  });
  const definition = graph("sums", (g) => {
    const numbers = g.node("list", list);
    g.node("moody", moody, { onError: "continue" });
    const total = g.node("sum", sum, { after: [g.map("square", square, numbers, (all) => all)] });
    return g.node("summary", report, { after: [total] });
  });
  return { definition, runs };
}

const has = (code: string, text: RegExp) => (error: unknown) =>
  error instanceof SvcError && error.code === code && text.test(error.message);

for (const url of PLACES) {
  describe(`an operator's command on ${url}`, () => {
    it("records who started a run, and audits a start with a note", async () => {
      const { engine, store } = await bench({ workers: [echo] }, url);
      const by = { by: "ada", address: "192.0.2.1" };
      const quiet = (await engine.start("echo", 1, by)).snapshot.graph_id;
      const noted = (await engine.start("echo", 2, { ...by, note: "to be sure" })).snapshot.graph_id;
      const plain = (await engine.start("echo", 3)).snapshot.graph_id;
      await engine.idle();
      const [first, second, third] = await Promise.all(
        [quiet, noted, plain].map(async (id) => (await store.graphs.events(id, 0, 1))[0]?.data),
      );
      assert.deepEqual([first, second, third], [{ by: "ada" }, { by: "ada", note: "to be sure" }, undefined]);
      assert.deepEqual(
        (await store.audit.list({})).items.map(({ operation, target, actor, note, address }) => [
          operation,
          target,
          actor,
          note,
          address,
        ]),
        [["graph.start", noted, "ada", "to be sure", "192.0.2.1"]],
      );
      await store.close();
    });

    it("does not start a delayed run early, also if it was paused and resumed before", async () => {
      const { engine, store, pass } = await bench({ workers: [echo] }, url);
      const { snapshot } = await engine.start("echo", 1, { delay: 60_000 });
      const id = snapshot.graph_id;
      await engine.pause(id);
      await pass(1_000);
      const resumed = await engine.resume(id);
      assert.deepEqual([resumed.status, resumed.phase], ["pending", "queued"]);
      await pass(58_000);
      assert.equal((await engine.snapshot(id))?.status, "pending");
      await pass(1_000);
      assert.deepEqual(
        [(await engine.snapshot(id))?.status, (await engine.snapshot(id))?.started_ms],
        ["done", snapshot.created_ms + 60_000],
      );
      assert.deepEqual(typesOf(await store.graphs.events(id, 0)).slice(0, 5), [
        "graph.queued",
        "graph.pausing",
        "graph.paused",
        "graph.resumed",
        "graph.started",
      ]);
    });

    it("starts a delayed run at its time after a crash in between", async () => {
      const here = await bench({ workers: [echo] }, url);
      const { snapshot } = await here.engine.start("echo", 1, { delay: 60_000 });
      const id = snapshot.graph_id;
      await here.engine.pause(id);
      await here.engine.resume(id);
      await here.crash();
      await here.pass(59_999);
      assert.equal((await here.engine.snapshot(id))?.status, "pending");
      await here.pass(1);
      assert.equal((await here.engine.snapshot(id))?.status, "done");
    });

    it("runs a node of a finished run and its successors again, and keeps the earlier results", async () => {
      const { definition, runs } = sums();
      const { engine, store } = await bench({ graphs: [definition] }, url);
      const { snapshot } = await engine.start("sums", [1, 2, 3]);
      const id = snapshot.graph_id;
      await engine.idle();
      // Blocked until the assertions below are done.
      await engine.queues.pause("sum");
      const again = await engine.retry(id, { from: "sum", by: "anna", note: "checked" });
      assert.deepEqual([again.status, again.epoch, again.result], ["running", 2, null]);
      await engine.queues.resume("sum");
      await engine.idle();
      assert.deepEqual(
        [(await engine.snapshot(id))?.status, (await engine.snapshot(id))?.result],
        ["done", { reported: { sum: 14 } }],
      );
      assert.deepEqual(runs, { list: 1, moody: 1, "square/0": 1, "square/1": 1, "square/2": 1, sum: 2, summary: 2 });
      assert.deepEqual(
        (await store.graphs.pastNodes(id)).map((row) => [row.id, row.epoch, row.status, row.result]),
        [
          ["sum", 1, "done", 14],
          ["summary", 1, "done", { reported: { sum: 14 } }],
        ],
      );
      const started = (await store.graphs.events(id, 0)).filter(({ type }) => type === "graph.started");
      assert.deepEqual(started[1]?.data, { epoch: 2, from: "sum", by: "anna", note: "checked" });
    });

    it("runs a fan-out again with its current items, or only one of its items", async () => {
      const { definition, runs } = sums();
      const { engine } = await bench({ graphs: [definition] }, url);
      const { snapshot } = await engine.start("sums", [1, 2]);
      const id = snapshot.graph_id;
      await engine.idle();
      await engine.retry(id, { from: "square/1" });
      await engine.idle();
      assert.deepEqual([runs["square/0"], runs["square/1"], runs["sum"]], [1, 2, 2]);
      await engine.retry(id, { from: "square" });
      await engine.idle();
      assert.deepEqual([runs["square/0"], runs["square/1"], runs["list"]], [2, 3, 1]);
      await engine.retry(id, { from: "list" });
      await engine.idle();
      const done = await engine.snapshot(id);
      assert.deepEqual([done?.status, done?.epoch, done?.result], ["done", 4, { reported: { sum: 5 } }]);
      assert.deepEqual([runs["square/0"], runs["list"], runs["moody"]], [3, 2, 1]);
    });

    it("runs a node again together with the nodes that a failed run had not reached", async () => {
      const { definition, runs } = sums();
      const { engine } = await bench({ graphs: [definition] }, url);
      const { snapshot } = await engine.start("sums", [1, 13]);
      const id = snapshot.graph_id;
      await engine.idle();
      assert.equal((await engine.snapshot(id))?.status, "failed");
      await engine.retry(id, { from: "list" });
      await engine.idle();
      assert.deepEqual(
        [(await engine.snapshot(id))?.status, (await engine.snapshot(id))?.result, runs["list"]],
        ["done", { reported: { sum: 170 } }, 2],
      );
    });

    it("is rejected for an unknown node, or while the run is active", async () => {
      const { definition } = sums();
      const { engine } = await bench({ graphs: [definition], workers: [echo] }, url);
      const { snapshot } = await engine.start("sums", [1]);
      await engine.idle();
      const { graph_id: id } = snapshot;
      for (const from of ["nothing", "square/7", "list/0", "list#step", "", "__proto__"])
        await assert.rejects(engine.retry(id, { from }), has("SVC_INVALID", /"from" is/));
      const later = await engine.start("echo", 1, { delay: 1000 });
      await assert.rejects(
        engine.retry(later.snapshot.graph_id, { from: "echo" }),
        has("SVC_TRANSITION", /is pending; retry needs it to be done or failed/),
      );
      assert.equal((await engine.snapshot(id))?.status, "done");
    });

    it("keeps the error of a failed node that is retried", async () => {
      const { definition } = sums();
      const { engine, store } = await bench({ graphs: [definition] }, url);
      const { snapshot } = await engine.start("sums", [13]);
      await engine.idle();
      await engine.retry(snapshot.graph_id);
      await engine.idle();
      assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "done");
      const past = (await store.graphs.pastNodes(snapshot.graph_id)).find((row) => row.id === "square/0");
      assert.deepEqual([past?.status, past?.error?.message], ["failed", "bad luck"]);
    });

    it("is rejected for an invalid start time or tags, or an input that JSON can't represent", async () => {
      const { engine } = await bench({ workers: [echo] }, url);
      const wrong: [object, RegExp][] = [
        [{ delay: Number.NaN }, /"delay" must be a duration/],
        [{ delay: -1 }, /"delay" must be a duration/],
        [{ delay: "5 seconds" }, /"delay" must be a duration/],
        [{ at: "2030-01-01" }, /"at" must be milliseconds/],
        [{ tags: "urgent" }, /"tags" must be an array of texts/],
        [{ tags: [1] }, /"tags" must be an array of texts/],
      ];
      for (const [options, message] of wrong)
        await assert.rejects(engine.start("echo", 1, options), has("SVC_INVALID", message));
      const odd: [unknown, RegExp][] = [
        [{ a: [Number.NaN] }, /The input of "echo".a\[0\] is NaN, which JSON can't carry/],
        [new Date(0), /is a Date, which/],
        [10n, /is a bigint, which/],
        [new Map(), /is a Map, which/],
      ];
      for (const [input, message] of odd) await assert.rejects(engine.start("echo", input as never), { message });
      assert.equal((await engine.list({})).total, 0);
      const { snapshot } = await engine.start("echo", undefined as never);
      await engine.idle();
      await assert.rejects(
        engine.fork(snapshot.graph_id, { from: "echo", input: new Date(0) as never }),
        /a fork of "echo" is a Date/,
      );
      assert.deepEqual([(await engine.snapshot(snapshot.graph_id))?.result], [null]);
    });

    it("forks at a node: a new run with the results before it, and optionally another input", async () => {
      const { definition, runs } = sums();
      const { engine, store } = await bench({ graphs: [definition] }, url);
      const { snapshot } = await engine.start("sums", [1, 2, 3], { tags: ["t"] });
      const id = snapshot.graph_id;
      await engine.idle();
      const plain = await engine.fork(id, { from: "sum", by: "anna" });
      const edited = await engine.fork(id, { from: "summary", input: "by hand" });
      await engine.idle();
      const [first, second] = await Promise.all([plain, edited].map(({ graph_id }) => engine.snapshot(graph_id)));
      assert.deepEqual([first?.status, first?.result, first?.tags], ["done", { reported: { sum: 14 } }, ["t"]]);
      assert.deepEqual([second?.result, second?.forked_from, second?.epoch], [{ reported: "by hand" }, id, 1]);
      assert.deepEqual(runs, { list: 1, moody: 1, "square/0": 1, "square/1": 1, "square/2": 1, sum: 2, summary: 3 });
      assert.equal((await engine.snapshot(id))?.epoch, 1);
      assert.deepEqual(typesOf(await store.graphs.events(edited.graph_id, 0)), [
        "graph.queued",
        "graph.started",
        "node.ready summary",
        "node.started summary",
        "node.done summary",
        "graph.done",
      ]);
      const [row] = (await store.audit.list({ target: id })).items;
      assert.deepEqual([row?.operation, row?.actor], ["graph.fork", "app"]);
    });

    it("forks at an item of a fan-out with another input", async () => {
      const { definition, runs } = sums();
      const { engine } = await bench({ graphs: [definition] }, url);
      const { snapshot } = await engine.start("sums", [1, 2]);
      await engine.idle();
      const fork = await engine.fork(snapshot.graph_id, { from: "square/1", input: 5 });
      await engine.idle();
      assert.deepEqual((await engine.snapshot(fork.graph_id))?.result, { reported: { sum: 26 } });
      assert.deepEqual([runs["square/0"], runs["square/1"]], [1, 2]);
      await assert.rejects(
        engine.fork(snapshot.graph_id, { from: "square", input: [] }),
        has("SVC_INVALID", /fork from an item such as "square\/0"/),
      );
    });

    it("forks at an item whose siblings failed, were cancelled or are running, and runs these in the fork too", async () => {
      let isFixed = false;
      const list = worker("list", () => ["a", "b", "c"]);
      const work = worker("work", { retry: { max: 1 } }, async (item: string, ctx) => {
        if (item === "b" && !isFixed) throw new Error("no b yet");
        if (item === "c") await ctx.sleep("1h");
        return `${item}!`;
      });
      const all = graph("all", (g) => g.map("work", work, g.node("list", list), (names) => names));
      const { engine, pass } = await bench({ graphs: [all] }, url);
      const failed = (await engine.start("all", null)).snapshot.graph_id;
      await pass(0);
      assert.equal((await engine.snapshot(failed))?.status, "failed");
      isFixed = true;
      const live = (await engine.start("all", null)).snapshot.graph_id;
      await pass(0);
      const forks = [
        await engine.fork(failed, { from: "work/0", input: "z" }),
        await engine.fork(live, { from: "work/0" }),
      ];
      await pass(3_600_000);
      const results = await Promise.all(forks.map(async ({ graph_id }) => (await engine.snapshot(graph_id))?.result));
      assert.deepEqual(results, [
        ["z!", "b!", "c!"],
        ["a!", "b!", "c!"],
      ]);
    });

    it("forks a single worker with another input, which becomes the input of the run", async () => {
      const { engine } = await bench({ workers: [echo] }, url);
      const { snapshot } = await engine.start("echo", { a: 1 });
      await engine.idle();
      const { graph_id: id } = await engine.fork(snapshot.graph_id, { from: "echo", input: { a: 2 } });
      await engine.idle();
      assert.deepEqual([(await engine.snapshot(id))?.input, (await engine.snapshot(id))?.result], [{ a: 2 }, { a: 2 }]);
    });

    it("continues after a crash with a run that was being run again from a node", async () => {
      const { definition, runs } = sums();
      const here = await bench({ graphs: [definition] }, url);
      const { snapshot } = await here.engine.start("sums", [1, 2]);
      await here.engine.idle();
      const ended = here.engine;
      void ended.close(0);
      await here.engine.retry(snapshot.graph_id, { from: "square" });
      await here.crash();
      await here.engine.idle();
      const done = await here.engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.epoch, done?.result], ["done", 2, { reported: { sum: 5 } }]);
      assert.equal(runs["list"], 1);
    });

    it("starts a run at a given time, or at once if that time has passed", async () => {
      const here = await bench({ workers: [echo] }, url);
      const at = here.clock.now() + 5000;
      const [later, now] = [
        await here.engine.start("echo", 1, { at, delay: 500 }),
        await here.engine.start("echo", 1, { at: 1 }),
      ];
      await here.engine.idle();
      assert.equal((await here.engine.snapshot(now.snapshot.graph_id))?.status, "done");
      await here.pass(5499);
      assert.equal((await here.engine.snapshot(later.snapshot.graph_id))?.status, "pending");
      await here.pass(1);
      const done = await here.engine.snapshot(later.snapshot.graph_id);
      assert.deepEqual([done?.status, done?.due_ms, done?.started_ms], ["done", at + 500, at + 500]);
    });

    it("audits each change with its author, reason and origin", async () => {
      const { engine, store } = await bench({ workers: [echo] }, url);
      const { snapshot } = await engine.start("echo", 1, { delay: 1000 });
      const { graph_id: id } = snapshot;
      await engine.pause(id, { by: "operator", note: "wait", address: "10.0.0.7" });
      await assert.rejects(engine.pause(id), has("SVC_TRANSITION", /is paused/));
      await engine.cancel(id);
      assert.deepEqual(
        (await store.audit.list({ target: id })).items.map(({ operation, actor, note, address }) => [
          operation,
          actor,
          note,
          address,
        ]),
        [
          ["graph.cancel", "app", undefined, undefined],
          ["graph.pause", "operator", "wait", "10.0.0.7"],
        ],
      );
      assert.ok(!JSON.stringify(await store.graphs.events(id, 0)).includes("10.0.0.7"));
    });
  });
}
