import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import { CallError } from "../execution/attempt/call-error.ts";
import { graph, worker } from "../definition/definition.ts";
import type { Worker } from "../definition/definition-types.ts";
import { bench, REMOTE, gate, PLACES } from "./engine.testkit.ts";
import type { Snapshot } from "../machine/view-types.ts";

const statusOf = (snapshot: Snapshot | undefined, id: string) => snapshot?.nodes.find((node) => node.id === id)?.status;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Remote workers call by name, so the app lists the called workers. */
const listed = (url: string, ...called: Worker<never, unknown>[]): Worker<never, unknown>[] =>
  url === REMOTE ? called : [];

for (const url of PLACES) {
  describe(`a call of a worker by another, on ${url}`, () => {
    it("is a node of its own, may call further workers, and frees the caller's slot while it waits", async () => {
      const deep = worker("deep", { concurrency: 1 }, async (n: number, ctx): Promise<number> => {
        if (n === 0) return 0;
        return 1 + (await ctx.call("next", deep, n - 1));
      });
      const { engine, store } = await bench({ workers: [deep] }, url);
      const { snapshot } = await engine.start("deep", 3);
      await engine.idle();
      const done = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.result], ["done", 3]);
      assert.deepEqual(
        done?.nodes.map(({ id, status, attempts }) => [id, status, attempts]),
        ["deep", "deep#next", "deep#next#next", "deep#next#next#next"].map((id) => [id, "done", 1]),
      );
      await store.close();
    });

    it("maps items over a worker with limited concurrency, and returns results in item order", async () => {
      let running = 0;
      let most = 0;
      const square = worker("square", async (n: number) => {
        most = Math.max(most, ++running);
        await turn();
        running--;
        return n * n;
      });
      const all = worker("all", async (items: number[], ctx) => ctx.map("squares", items, square, { concurrency: 2 }));
      const { engine, store } = await bench({ workers: [all, ...listed(url, square)] }, url);
      for (const items of [[3, 1, 2, 5, 4], []]) {
        const { snapshot } = await engine.start("all", items);
        await engine.idle();
        const done = await engine.snapshot(snapshot.graph_id);
        assert.deepEqual([done?.status, done?.result], ["done", items.map((n) => n * n)]);
      }
      assert.equal(most, 2);
      await store.close();
    });

    it("fails the node at once if the argument is not a worker or an option is invalid", async () => {
      const item = worker("item", (n: number) => n);
      const whole = graph("whole", (g) => g.node("one", item));
      const wrong: [about: RegExp, called: unknown, options?: object][] = [
        [
          /^ctx.call\("k", …\) was given the text "item" instead of a worker; use the return value of worker\(…\)/,
          "item",
        ],
        [/^ctx.call\("k", …\) was given undefined instead of a worker/, undefined],
        [/^ctx.call\("k", …\) was given a graph instead of a worker; use asWorker\(graph\)/, whole],
        [/^ctx.call\("k", …\), in timeout: /, item, { timeout: "soon" }],
        [/^ctx.call\("k", …\) has retry.max 0; use a whole number from 1/, item, { retry: { max: 0 } }],
      ];
      const calls = wrong.map(([, called, options], at) =>
        // Values that types reject still arrive from JavaScript and through import cycles.
        worker(`caller${at}`, (_: Json, ctx) => ctx.call("k", called as typeof item, 1, options)),
      );
      const maps = worker("maps", (_: Json, ctx) => ctx.map("k", [1, 2], "item" as unknown as typeof item));
      const { engine, store, logs } = await bench({ workers: [...calls, maps, item] }, url);
      const about = [...wrong.map(([message]) => message), /^ctx.map\("k", …\) was given the text "item"/];
      for (const [at, { name }] of [...calls, maps].entries()) {
        const { snapshot } = await engine.start(name, null);
        await engine.idle();
        const ended = await engine.snapshot(snapshot.graph_id);
        assert.deepEqual([name, ended?.status, ended?.nodes[0]?.attempts], [name, "failed", 1]);
        assert.match(ended?.error?.message ?? "", about[at] as RegExp);
      }
      assert.deepEqual(logs, []);
      await store.close();
    });

    it("continues after a cancel and retry with the items that were not done, and keeps their order", async () => {
      const calls: number[] = [];
      const held = gate();
      const square = worker("square", async (n: number) => {
        calls.push(n);
        if (n !== 2) await held.promise;
        return n * n;
      });
      const all = worker("all", async (items: number[], ctx) => ctx.map("squares", items, square));
      const { engine, store } = await bench({ workers: [all, ...listed(url, square)] }, url);
      const { snapshot } = await engine.start("all", [1, 2, 3]);
      for await (const { type, node } of engine.subscribe(snapshot.graph_id, 0, AbortSignal.timeout(60_000)))
        if (type === "node.done" && node === "all#squares/1") break;
      await engine.cancel(snapshot.graph_id);
      held.open();
      await engine.retry(snapshot.graph_id);
      await engine.idle();
      const done = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.result], ["done", [1, 4, 9]]);
      assert.deepEqual(
        calls.sort((a, b) => a - b),
        [1, 1, 2, 3, 3],
      );
      await store.close();
    });

    it("ends the other items when an item fails for good, or collects the failure", async () => {
      let aborted = 0;
      const odd = worker("odd", { retry: { max: 1 } }, async (n: number, ctx) => {
        if (n === 2) throw new Error("two is even");
        if (n > 2)
          await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve(void aborted++)));
        return n;
      });
      const strict = worker("strict", async (items: number[], ctx) => {
        try {
          return await ctx.map("each", items, odd);
        } catch (error) {
          assert.ok(error instanceof CallError);
          return [error.message, error.node, error.reason];
        }
      });
      const lenient = worker("lenient", async (items: number[], ctx) =>
        ctx.map("each", items, odd, { onError: "collect" }),
      );
      const { engine, store } = await bench({ workers: [strict, lenient, ...listed(url, odd)] }, url);
      const { snapshot } = await engine.start("strict", [1, 2, 3]);
      await engine.idle();
      const done = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual(done?.result, ['"strict#each/1" failed: two is even', "strict#each/1", "error"]);
      assert.deepEqual([statusOf(done, "strict#each/2"), aborted], ["cancelled", 1]);
      const collected = await engine.start("lenient", [1, 2]);
      await engine.idle();
      assert.deepEqual((await engine.snapshot(collected.snapshot.graph_id))?.result, [
        { ok: true, value: 1 },
        { ok: false, error: { message: "two is even", reason: "error" } },
      ]);
      await store.close();
    });

    it("continues after a crash, and does not run again if it was done", async () => {
      const runs: string[] = [];
      const hang = gate();
      const part = worker("part", async (name: string) => {
        runs.push(name);
        if (name === "slow" && runs.length === 2) await hang.promise;
        return name;
      });
      const whole = worker("whole", async (_: Json, ctx) => ctx.map("parts", ["quick", "slow"], part));
      const table = await bench({ workers: [whole, ...listed(url, part)] }, url);
      const { snapshot } = await table.engine.start("whole", null);
      while (statusOf(await table.engine.snapshot(snapshot.graph_id), "whole#parts/0") !== "done") await turn();
      await table.crash();
      await table.engine.idle();
      const done = await table.engine.snapshot(snapshot.graph_id);
      assert.deepEqual(
        [done?.result, runs],
        [
          ["quick", "slow"],
          ["quick", "slow", "slow"],
        ],
      );
      hang.open();
      await table.store.close();
    });

    it("is retried by the policy of the called worker, and its failure is final for the caller", async () => {
      let tries = 0;
      let calls = 0;
      const weak = worker("weak", { retry: { max: 2, base: 10 } }, () => {
        tries++;
        throw new Error("no");
      });
      const boss = worker("boss", async (_: Json, ctx) => {
        calls++;
        await ctx.call("help", weak, null);
      });
      const { engine, store, pass } = await bench({ workers: [boss, ...listed(url, weak)] }, url);
      const { snapshot } = await engine.start("boss", null);
      await engine.idle();
      await pass(10);
      const failed = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual(
        [failed?.status, failed?.error?.message, tries, calls],
        ["failed", '"boss#help" failed: no', 2, 1],
      );
      await store.close();
    });

    it("is kept by a retry of a failed run if it is done, and runs again if not", async () => {
      const runs: string[] = [];
      const helper = worker("helper", { retry: { max: 1 } }, (name: string) => {
        runs.push(name);
        if (name === "bad" && runs.filter((run) => run === "bad").length === 1) throw new Error("once");
        return name;
      });
      const main = worker("main", async (_: Json, ctx) => {
        await ctx.step("first", () => runs.push("first"));
        return [await ctx.call("good", helper, "good"), await ctx.call("bad", helper, "bad")];
      });
      const { engine, store } = await bench({ workers: [main, ...listed(url, helper)] }, url);
      const { snapshot } = await engine.start("main", null);
      await engine.idle();
      assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "failed");
      await engine.retry(snapshot.graph_id);
      await engine.idle();
      assert.deepEqual((await engine.snapshot(snapshot.graph_id))?.result, ["good", "bad"]);
      assert.deepEqual(runs, ["first", "good", "bad", "bad"]);
      await store.close();
    });

    it("waits in a paused run if it has not started, and a running one stops at its next step", async () => {
      const runs: string[] = [];
      const hang = gate();
      const item = worker("item", async (n: number, ctx) => {
        await ctx.step("first", async () => {
          runs.push(`first ${n}`);
          if (n === 0) await hang.promise;
        });
        await ctx.step("second", () => runs.push(`second ${n}`));
        return n;
      });
      const all = worker("all", (_: Json, ctx) => ctx.map("items", [0, 1, 2], item, { concurrency: 1 }));
      const { engine, store } = await bench({ workers: [all, ...listed(url, item)] }, url);
      const { snapshot } = await engine.start("all", null);
      while (runs.length === 0) await turn();
      await engine.pause(snapshot.graph_id);
      hang.open();
      await engine.idle();
      const paused = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual(
        [paused?.phase, ...["all", "all#items/0", "all#items/1"].map((id) => statusOf(paused, id))],
        ["paused", "waiting", "ready", "pending"],
      );
      await engine.resume(snapshot.graph_id);
      await engine.idle();
      assert.deepEqual((await engine.snapshot(snapshot.graph_id))?.result, [0, 1, 2]);
      assert.deepEqual(runs, ["first 0", "second 0", "first 1", "second 1", "first 2", "second 2"]);
      await store.close();
    });

    it("that was held in a cancelled pause runs in a retry only when its worker calls it again", async () => {
      const runs: string[] = [];
      const hang = gate();
      const item = worker("item", async (n: number, ctx) => {
        runs.push(`first ${n}`);
        if (runs.length === 1) await hang.promise;
        await ctx.checkpoint();
        runs.push(`second ${n}`);
        return n;
      });
      const all = worker("all", (_: Json, ctx) => ctx.map("items", [0, 1, 2], item, { concurrency: 1 }));
      const { engine, store } = await bench({ workers: [all, ...listed(url, item)] }, url);
      const { snapshot } = await engine.start("all", null);
      const id = snapshot.graph_id;
      while (runs.length === 0) await turn();
      await engine.pause(id);
      hang.open();
      await engine.idle();
      assert.equal(statusOf(await engine.snapshot(id), "all#items/0"), "ready");
      await engine.cancel(id);
      const cancelled = await engine.snapshot(id);
      await engine.retry(id);
      await engine.idle();
      assert.deepEqual((await engine.snapshot(id))?.result, [0, 1, 2]);
      assert.deepEqual(runs, ["first 0", ...[0, 1, 2].flatMap((n) => [`first ${n}`, `second ${n}`])]);
      const started = (await store.graphs.events(id, cancelled?.last_seq ?? 0))
        .filter(({ type }) => type === "node.started")
        .map(({ node }) => node);
      assert.deepEqual(started.slice(0, 2), ["all", "all#items/0"]);
      await store.close();
    });

    it("continues after a pause with a crash and a resume", async () => {
      const item = worker("item", async (n: number, ctx) => {
        await ctx.waitFor(`go${n}`);
        return n;
      });
      const all = worker("all", (_: Json, ctx) => ctx.map("items", [0, 1], item));
      const table = await bench({ workers: [all, ...listed(url, item)] }, url);
      const { snapshot } = await table.engine.start("all", null);
      const id = snapshot.graph_id;
      await table.engine.idle();
      await table.engine.pause(id);
      await table.engine.signal(id, "go0", null);
      await table.crash();
      assert.equal((await table.engine.snapshot(id))?.phase, "paused");
      await table.engine.signal(id, "go1", null);
      await table.engine.resume(id);
      await table.engine.idle();
      assert.deepEqual((await table.engine.snapshot(id))?.result, [0, 1]);
      await table.store.close();
    });

    it("is cancelled with the run at any depth", async () => {
      const ended: string[] = [];
      const leaf = worker("leaf", async (name: string, ctx) => {
        try {
          await ctx.sleep("1h");
        } finally {
          ended.push(name);
        }
      });
      const branch = worker("branch", (name: string, ctx) => ctx.call("leaf", leaf, name));
      const root = worker("root", (_: Json, ctx) => ctx.map("branches", ["a", "b"], branch));
      const { engine, store } = await bench({ workers: [root, ...listed(url, branch, leaf)] }, url);
      const { snapshot } = await engine.start("root", null);
      await engine.idle();
      await engine.cancel(snapshot.graph_id);
      await engine.idle();
      const cancelled = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([cancelled?.error?.reason, ended.sort()], ["cancelled", ["a", "b"]]);
      assert.deepEqual(new Set(cancelled?.nodes.map(({ status }) => status)), new Set(["cancelled"]));
      await store.close();
    });

    it("ends when the worker returns without awaiting it", async () => {
      let isAborted = false;
      const begun = gate();
      const slow = worker("slow", (_: Json, ctx) => {
        begun.open();
        return new Promise((resolve) => ctx.signal.addEventListener("abort", () => resolve(void (isAborted = true))));
      });
      const hasty = worker("hasty", async (_: Json, ctx) => {
        ctx.call("slow", slow, null).catch(() => undefined);
        await begun.promise;
        return "gone";
      });
      const pair = graph("pair", (g) => g.node("hasty", hasty));
      const { engine, store } = await bench({ graphs: [pair], workers: listed(url, slow) }, url);
      const { snapshot } = await engine.start("pair", null);
      await engine.idle();
      const done = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.result, statusOf(done, "hasty#slow"), isAborted], ["gone", "cancelled", true]);
      await store.close();
    });
  });
}
