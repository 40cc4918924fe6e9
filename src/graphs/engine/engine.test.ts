import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { recordLog } from "../../testing/log.ts";
import { graph, worker } from "../definition/definition.ts";
import { createEngine, type EngineOptions } from "./engine.ts";
import {
  bench as openBench,
  gate,
  outboxRow,
  REMOTE,
  PLACES,
  typesOf,
  webhooksOf,
  type Bench,
  nodesOf,
} from "./engine.testkit.ts";
import { FinalError } from "../definition/final-error.ts";
import type { WorkerContext } from "../definition/worker-types.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-engine-"));
after(() => rmSync(folder, { recursive: true }));

let files = 0;

/** Uses a file if the store has one, because some tests open it again. */
function bench(options: Pick<EngineOptions, "workers" | "graphs">, url: string): Promise<Bench> {
  return openBench(options, url === "sqlite:" ? `sqlite:${join(folder, `${++files}.db`)}` : url);
}

for (const url of PLACES) {
  describe(`the engine on ${url}`, () => {
    it("runs nodes in order, passes results on, and ends with the result of the node that `build` returned", async () => {
      const add = worker("add", (input: { n: number }) => input.n + 1);
      const double = worker("double", (_input: unknown, ctx) => (ctx.deps["add"] as number) * 2);
      const chain = graph("chain", (g) => g.node("double", double, { after: [g.node("add", add)] }));
      const { engine, store } = await bench({ graphs: [chain] }, url);
      const { snapshot, created } = await engine.start("chain", { n: 4 });
      assert.deepEqual([snapshot.status, created, snapshot.graph_id.length], ["pending", true, 28]);
      await engine.idle();
      const done = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.result, done?.edges], ["done", 10, [["add", "double"]]]);
      assert.deepEqual(typesOf(await store.graphs.events(snapshot.graph_id, 0)), [
        "graph.queued",
        "graph.started",
        "node.ready add",
        "node.started add",
        "node.done add",
        "node.ready double",
        "node.started double",
        "node.done double",
        "graph.done",
      ]);
      assert.deepEqual(await webhooksOf(store, snapshot.graph_id), ["graph.done"]);
      await store.close();
    });

    it("fans out over items known at run time, and collects their results in item order", async () => {
      const list = worker("list", (input: { count: number }) => Array.from({ length: input.count }, (_, at) => at));
      const square = worker("square", { concurrency: 3 }, async (n: number) => n * n);
      const sum = worker("sum", (_input: unknown, ctx) => (ctx.deps["square"] as number[]).reduce((a, b) => a + b, 0));
      const fan = graph("fan", (g) => {
        const numbers = g.node("list", list);
        const squares = g.map("square", square, numbers, (all) => all);
        return g.node("sum", sum, { after: [squares] });
      });
      const { engine, store } = await bench({ graphs: [fan] }, url);
      for (const [count, expected] of [
        [100, 328_350],
        [0, 0],
        [1, 0],
      ] as const) {
        const { snapshot } = await engine.start("fan", { count });
        await engine.idle();
        const done = await engine.snapshot(snapshot.graph_id);
        assert.deepEqual([done?.status, done?.result, done?.nodes.length], ["done", expected, count + 2]);
        const seqs = (await store.graphs.events(snapshot.graph_id, 0)).map((event) => event.seq);
        assert.deepEqual(
          seqs,
          seqs.map((_, at) => at + 1),
        );
      }
      await store.close();
    });

    it("runs at most `concurrency` of a worker at once", async () => {
      let running = 0;
      let most = 0;
      const busy = worker("busy", { concurrency: 4 }, async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
      });
      const fan = graph("fan", (g) => {
        const items = g.node(
          "items",
          worker("items", () => Array.from({ length: 30 }, () => 1)),
        );
        g.map("busy", busy, items, (all) => all);
      });
      const { engine, store } = await bench({ graphs: [fan] }, url);
      await engine.start("fan", null);
      await engine.idle();
      assert.equal(most, 4);
      await store.close();
    });

    it("retries with growing delays, then fails the run with the node's error", async () => {
      const attempts: number[] = [];
      const flaky = worker(
        "flaky",
        { retry: { max: 3, base: "1s", cap: "1m" } },
        (_input: unknown, ctx: WorkerContext) => {
          attempts.push(ctx.attempt);
          throw new Error(`no luck ${ctx.attempt}`);
        },
      );
      const { engine, store, clock } = await bench({ workers: [flaky] }, url);
      const { snapshot } = await engine.start("flaky", null);
      await engine.idle();
      assert.deepEqual(attempts, [1]);
      await clock.advance(999);
      assert.deepEqual(attempts, [1]);
      await clock.advance(1);
      await engine.idle();
      await clock.advance(2000);
      await engine.idle();
      assert.deepEqual(attempts, [1, 2, 3]);
      const failed = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual(
        [failed?.status, failed?.error],
        ["failed", { message: "no luck 3", reason: "error", node: "flaky" }],
      );
      assert.deepEqual(await webhooksOf(store, snapshot.graph_id), ["graph.failed"]);
      await store.close();
    });

    it("does not retry a final error, or a result that JSON can't represent", async () => {
      let runs = 0;
      const broken = worker("broken", () => {
        runs++;
        throw new FinalError("line 3 is no JSON");
      });
      const odd = worker("odd", { retry: { max: 1 } }, () => ({ when: [new Date(0)] }));
      const { engine, store } = await bench({ workers: [broken, odd] }, url);
      const first = await engine.start("broken", null);
      const second = await engine.start("odd", null);
      await engine.idle();
      assert.deepEqual(
        [runs, (await engine.snapshot(first.snapshot.graph_id))?.error?.message],
        [1, "line 3 is no JSON"],
      );
      assert.match(
        (await engine.snapshot(second.snapshot.graph_id))?.error?.message ?? "",
        /the result of "odd"\.when\[0\] is a Date, which JSON can't carry/,
      );
      await store.close();
    });

    it("ends an attempt that exceeds its timeout, and aborts its signal", async () => {
      let reason: unknown;
      const slow = worker("slow", { timeout: "5s", retry: { max: 1 } }, (_input: unknown, ctx: WorkerContext) => {
        ctx.signal.addEventListener("abort", () => (reason = ctx.signal.reason));
        return new Promise<null>(() => undefined);
      });
      const { engine, store, clock } = await bench({ workers: [slow] }, url);
      const { snapshot } = await engine.start("slow", null);
      await clock.advance(5000);
      await engine.idle();
      assert.deepEqual((await engine.snapshot(snapshot.graph_id))?.error, {
        message: "No result within 5s",
        reason: "timeout",
        node: "slow",
      });
      assert.ok(reason instanceof Error);
      await store.close();
    });

    it("pauses after running attempts have ended, keeps their results, and continues after a resume", async () => {
      const first = gate();
      const ran: string[] = [];
      const chain = graph("chain", (g) => {
        const a = g.node(
          "a",
          worker("a", async () => {
            ran.push("a");
            await first.promise;
            return 1;
          }),
        );
        return g.node(
          "b",
          worker("b", () => {
            ran.push("b");
            return 2;
          }),
          { after: [a] },
        );
      });
      const { engine, store, clock } = await bench({ graphs: [chain] }, url);
      const {
        snapshot: { graph_id: id },
      } = await engine.start("chain", null);
      await clock.advance(0);
      assert.equal((await engine.pause(id)).phase, "pausing");
      first.open();
      await engine.idle();
      assert.deepEqual([(await engine.snapshot(id))?.status, ran], ["paused", ["a"]]);
      assert.deepEqual(await webhooksOf(store, id), ["graph.paused"]);
      await assert.rejects(
        engine.pause(id),
        (error: SvcError) =>
          error.status === 409 && /is paused; pause needs it to be pending or running/.test(error.message),
      );
      await engine.resume(id);
      await engine.idle();
      assert.deepEqual([(await engine.snapshot(id))?.status, ran], ["done", ["a", "b"]]);
      assert.deepEqual(await webhooksOf(store, id), ["graph.done", "graph.paused"]);
      await store.close();
    });

    it("cancels a run as failed, aborts running attempts, and discards late results", async () => {
      const late = gate<string>();
      let aborted = false;
      const stubborn = worker("stubborn", (_input: unknown, ctx: WorkerContext) => {
        ctx.signal.addEventListener("abort", () => (aborted = true));
        return late.promise;
      });
      const { engine, store, clock } = await bench({ workers: [stubborn] }, url);
      const {
        snapshot: { graph_id: id },
      } = await engine.start("stubborn", null);
      await clock.advance(0);
      const cancelled = await engine.cancel(id);
      assert.deepEqual([cancelled.status, cancelled.error?.reason, aborted], ["failed", "cancelled", true]);
      late.open("too late");
      await engine.idle();
      assert.equal((await engine.snapshot(id))?.result, null);
      assert.deepEqual(await webhooksOf(store, id), ["graph.failed"]);
      for (const act of [engine.cancel, engine.pause, engine.resume])
        await assert.rejects(act.call(engine, id), /is failed/);
      await assert.rejects(engine.cancel("g_nobody"), (error: SvcError) => error.code === "SVC_NOT_FOUND");
      await store.close();
    });

    it("discards the result of an attempt from before a retry, and still shows the current attempt", async () => {
      const attempts: { end: (value: string) => void; signal: AbortSignal }[] = [];
      const stubborn = worker("stubborn", { concurrency: 8 }, (_input: unknown, ctx: WorkerContext) => {
        const { promise, open } = gate<string>();
        attempts.push({ end: open, signal: ctx.signal });
        return promise;
      });
      const { engine, store, clock } = await bench({ workers: [stubborn] }, url);
      const {
        snapshot: { graph_id: id },
      } = await engine.start("stubborn", null);
      await clock.advance(0);
      await engine.cancel(id);
      await engine.retry(id);
      await clock.advance(0);
      assert.equal(attempts.length, 2);
      attempts[0]?.end("of the first epoch");
      await clock.advance(0);
      assert.deepEqual([(await engine.snapshot(id))?.status, attempts[1]?.signal.aborted], ["running", false]);
      await engine.cancel(id);
      assert.equal(attempts[1]?.signal.aborted, true);
      await engine.retry(id);
      await clock.advance(0);
      attempts[1]?.end("of the second epoch");
      attempts[2]?.end("of the third epoch");
      await engine.idle();
      assert.deepEqual(
        [(await engine.snapshot(id))?.status, (await engine.snapshot(id))?.result],
        ["done", "of the third epoch"],
      );
      await store.close();
    });

    it("discards a result returned in the same turn as a cancel and a retry, and keeps the new attempt's result", async () => {
      const results: string[] = [];
      const { engine, store, clock } = await bench(
        {
          workers: [
            worker("restless", (_input: unknown, ctx: WorkerContext) => {
              results.push(`of epoch ${ctx.epoch}`);
              if (ctx.epoch > 1) return results.at(-1);
              // Both take effect at once. The result below arrives before anything could be aborted.
              void engine.cancel(ctx.graphId);
              void engine.retry(ctx.graphId);
              return "too late";
            }),
          ],
        },
        url,
      );
      const {
        snapshot: { graph_id: id },
      } = await engine.start("restless", null);
      await clock.advance(0);
      await engine.idle();
      assert.deepEqual(results, ["of epoch 1", "of epoch 2"]);
      assert.deepEqual(
        [(await engine.snapshot(id))?.status, (await engine.snapshot(id))?.result],
        ["done", "of epoch 2"],
      );
      const seen = typesOf(await store.graphs.events(id, 0));
      assert.deepEqual(
        seen.filter((type) => /discarded|node.done/.test(type)),
        // Late messages of a remote attempt are ignored.
        [...(url === REMOTE ? [] : ["node.discarded restless"]), "node.done restless"],
      );
      await store.close();
    });

    it("ignores messages of a worker after its attempt has ended", async () => {
      let said: WorkerContext | undefined;
      const talk = worker("talk", (_input: unknown, ctx: WorkerContext) => void (said = ctx));
      const { engine, store, clock } = await bench({ workers: [talk] }, url);
      const {
        snapshot: { graph_id: id },
      } = await engine.start("talk", null);
      await engine.idle();
      const { last_seq: last } = (await engine.snapshot(id)) ?? {};
      said?.log("info", "and another thing");
      said?.emit("late");
      said?.progress(1);
      await clock.advance(1000);
      assert.equal((await engine.snapshot(id))?.last_seq, last);
      assert.equal((await engine.snapshot(id))?.progress, null);
      await store.close();
    });

    it("retries failed nodes under the same run id, in the next epoch", async () => {
      let isBroken = true;
      let parses = 0;
      const chain = graph("chain", (g) => {
        const a = g.node(
          "a",
          worker("a", () => ++parses),
        );
        return g.node(
          "b",
          worker("b", { retry: { max: 1 } }, () => {
            if (isBroken) throw new Error("not yet");
            return "ok";
          }),
          { after: [a] },
        );
      });
      const { engine, store } = await bench({ graphs: [chain] }, url);
      const {
        snapshot: { graph_id: id },
      } = await engine.start("chain", null);
      await engine.idle();
      assert.equal((await engine.snapshot(id))?.status, "failed");
      isBroken = false;
      assert.equal((await engine.retry(id)).epoch, 2);
      await engine.idle();
      assert.deepEqual(
        [(await engine.snapshot(id))?.status, (await engine.snapshot(id))?.result, parses],
        ["done", "ok", 1],
      );
      assert.deepEqual(await webhooksOf(store, id), ["graph.done", "graph.failed"]);
      await assert.rejects(engine.retry(id), /is done; retry needs it to be failed/);
      await store.close();
    });

    it("returns the same run for the same idempotency key, also for concurrent starts", async () => {
      let runs = 0;
      const { engine, store } = await bench(
        { workers: [worker("once", () => ++runs), worker("other", () => null)] },
        url,
      );
      const both = await Promise.all([1, 2, 3].map(() => engine.start("once", null, { idempotencyKey: "k" })));
      await engine.idle();
      assert.equal(new Set(both.map(({ snapshot }) => snapshot.graph_id)).size, 1);
      assert.deepEqual([both.filter(({ created }) => created).length, runs], [1, 1]);
      assert.equal((await engine.start("other", null, { idempotencyKey: "k" })).created, true);
      await engine.idle();
      await store.close();
    });

    it("starts a run after its delay, and names the known workers and graphs for an unknown name", async () => {
      let runs = 0;
      const { engine, store, clock } = await bench({ workers: [worker("later", () => ++runs)] }, url);
      await engine.start("later", null, { delay: 60_000 });
      await clock.advance(59_999);
      assert.equal(runs, 0);
      await clock.advance(1);
      await engine.idle();
      assert.equal(runs, 1);
      await assert.rejects(engine.start("ghost", null), /No worker or graph is named "ghost"; known: later/);
      await store.close();
    });

    it("stores logs, custom events and throttled progress as events of the run", async () => {
      const talk = worker("talk", (_input: unknown, ctx: WorkerContext) => {
        for (let at = 0; at <= 100; at++) ctx.progress(at / 100);
        ctx.log("info", "hello");
        ctx.emit("found", { n: 1 });
        return ctx.idempotencyKey("mail");
      });
      const { engine, store } = await bench({ workers: [talk] }, url);
      const {
        snapshot: { graph_id: id },
      } = await engine.start("talk", null);
      await engine.idle();
      const events = await store.graphs.events(id, 0);
      assert.deepEqual(
        events.filter((event) => event.type === "progress").map((event) => event.data as Json),
        [{ value: 0 }, { value: 1 }],
      );
      assert.deepEqual(events.find((event) => event.type === "log")?.data, { level: "info", message: "hello" });
      assert.deepEqual(events.find((event) => event.type === "custom")?.data, { name: "found", data: { n: 1 } });
      assert.equal((await engine.snapshot(id))?.result, `${id}/talk/1/mail`);
      await store.close();
    });

    it("sends each event to a subscriber once, stored or live, and ends the stream with the run", async () => {
      const hold = gate();
      const { engine, store, clock } = await bench({ workers: [worker("w", () => hold.promise)] }, url);
      const {
        snapshot: { graph_id: id },
      } = await engine.start("w", null);
      await clock.advance(0);
      const seen: number[] = [];
      const reading = (async () => {
        for await (const event of engine.subscribe(id, 1, new AbortController().signal)) seen.push(event.seq);
      })();
      hold.open();
      await reading;
      assert.deepEqual(
        seen,
        (await store.graphs.events(id, 1)).map((event) => event.seq),
      );
      const controller = new AbortController();
      const again = engine.subscribe(id, 0, controller.signal)[Symbol.asyncIterator]();
      assert.equal((await again.next()).value?.seq, 1);
      controller.abort();
      await again.return?.(undefined);
      await store.close();
    });

    it("continues after a crash: done nodes stay, running nodes run again, and poison nodes fail", async () => {
      const ran: string[] = [];
      const hold = gate();
      const make = (isHeld: boolean) =>
        graph("chain", (g) => {
          const a = g.node(
            "a",
            worker("a", () => {
              ran.push("a");
              return 1;
            }),
          );
          return g.node(
            "b",
            worker("b", async () => {
              ran.push("b");
              if (isHeld) await hold.promise;
              return 2;
            }),
            { after: [a] },
          );
        });
      const { engine, store, clock } = await bench({ graphs: [make(true)] }, url);
      const {
        snapshot: { graph_id: id },
      } = await engine.start("chain", null);
      await clock.advance(0);
      await clock.advance(0);
      assert.deepEqual(ran, ["a", "b"]);
      // The first engine stops as after kill -9, without closing anything.
      const second = createEngine({ graphs: [make(false)], store, clock });
      assert.equal(await second.recover(), 1);
      await second.idle();
      assert.deepEqual([(await second.snapshot(id))?.status, ran], ["done", ["a", "b", "b"]]);
      assert.equal((await second.snapshot(id))?.nodes.find((node) => node.id === "b")?.attempts, 2);
      await store.close();
    });

    it("fails a run as poison after a node has crashed the process three times", async () => {
      const bomb = worker("bomb", () => new Promise<null>(() => undefined));
      const { store, clock, engine } = await bench({ workers: [bomb] }, url);
      const {
        snapshot: { graph_id: id },
      } = await engine.start("bomb", null);
      await clock.advance(0);
      let last = engine;
      for (let crash = 0; crash < 3; crash++) {
        last = createEngine({ workers: [bomb], store, clock, outboxRows: (event) => [outboxRow(event)] });
        await last.recover();
        await clock.advance(0);
      }
      assert.deepEqual(
        [(await last.snapshot(id))?.status, (await last.snapshot(id))?.error?.reason],
        ["failed", "poison"],
      );
      assert.deepEqual(await webhooksOf(store, id), ["graph.failed"]);
      await store.close();
    });

    if (url === REMOTE)
      it("does not blame a remote node for a crash of the process with its run", async () => {
        let runs = 0;
        const long = worker("long", () => (++runs > 4 ? runs : new Promise<never>(() => undefined)));
        const table = await bench({ workers: [long] }, url);
        const { snapshot } = await table.engine.start("long", null);
        for (let crash = 0; crash < 4; crash++) {
          await table.clock.advance(0);
          await table.crash();
        }
        await table.engine.idle();
        assert.deepEqual([(await table.engine.snapshot(snapshot.graph_id))?.result, runs], [5, 5]);
        await table.store.close();
      });

    it("closes with every run at a durable point, and does not count an interrupted attempt as a crash", async () => {
      const slow = worker(
        "slow",
        (_input: unknown, ctx: WorkerContext) =>
          new Promise<null>((_, reject) =>
            ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error)),
          ),
      );
      const { engine, store, clock } = await bench({ workers: [slow] }, url);
      const {
        snapshot: { graph_id: id },
      } = await engine.start("slow", null);
      await clock.advance(0);
      const closing = engine.close(1000);
      await clock.advance(1000);
      await closing;
      assert.deepEqual(
        (await nodesOf(store, id)).map((node) => [node.status, node.attempt, node.crashes]),
        [["ready", 0, 0]],
      );
      assert.equal((await store.graphs.graph(id))?.phase, "running");
      await store.close();
    });

    it("parks a run whose worker is missing, and a run whose nodes are missing", async () => {
      const hold = () => new Promise<null>(() => undefined);
      const two = graph("g", (g) => g.node("old", worker("old", hold)));
      const { engine, store, clock } = await bench({ graphs: [two], workers: [worker("lost", hold)] }, url);
      const first = await engine.start("g", null);
      const second = await engine.start("lost", null);
      await clock.advance(0);
      const log = recordLog();
      const next = createEngine({
        graphs: [graph("g", (g) => g.node("new", worker("new", hold)))],
        store,
        clock,
        log,
      });
      await next.recover();
      assert.match(
        (await next.snapshot(first.snapshot.graph_id))?.error?.message ?? "",
        /no longer has the node "old"/,
      );
      assert.equal((await next.snapshot(second.snapshot.graph_id))?.phase, "parked");
      assert.match(log.texts.join(), /No graph or worker is named "lost"/);
      await store.close();
    });
  });
}
