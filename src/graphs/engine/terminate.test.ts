import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graph, worker } from "../definition/definition.ts";
import { bench, gate, STORES } from "./engine.testkit.ts";

/** A finished node with a compensation that hangs, before a node that waits. */
function trips(undone: string[], held = gate()) {
  const book = worker("book", { compensate: () => held.promise.then(() => undone.push("book")) }, () => "booked");
  const fly = worker("fly", { onCancel: () => void undone.push("fly") }, async (_: unknown, ctx) => ctx.sleep("1d"));
  return graph("trip", (g) => g.node("fly", fly, { after: [g.node("book", book)] }));
}

for (const url of STORES)
  describe(`terminate on ${url}`, () => {
    it("ends a run at once and compensates nothing", async () => {
      const undone: string[] = [];
      const { engine, store, pass } = await bench({ graphs: [trips(undone)] }, url);
      const run = await engine.start("trip", null);
      await pass(0);
      const snapshot = await run.terminate({ by: "ada", note: "wrong account" });
      assert.deepEqual([snapshot.status, snapshot.error?.reason], ["failed", "cancelled"]);
      assert.equal(snapshot.error?.message, "Terminated by an operator");
      assert.deepEqual(
        snapshot.nodes.map(({ id, status }) => [id, status]),
        [
          ["book", "uncompensated"],
          ["fly", "cancelled"],
          ["fly#sleep~1", "cancelled"],
        ],
      );
      await pass(0);
      assert.deepEqual(undone, []);
      const [entry] = (await store.audit.list({})).items;
      assert.deepEqual([entry?.operation, entry?.actor], ["graph.terminate", "ada"]);
      await assert.rejects(run.terminate(), { code: "SVC_TRANSITION", message: /terminate needs it to be/ });
    });

    it("ends a compensation that hangs, and a crash does not continue it", async () => {
      const undone: string[] = [];
      const held = gate();
      const table = await bench({ graphs: [trips(undone, held)] }, url);
      const run = await table.engine.start("trip", null);
      await table.pass(0);
      await table.engine.cancel(run.id);
      await table.clock.advance(0);
      assert.equal((await run.describe()).phase, "cancelling");
      await table.engine.terminate(run.id);
      assert.equal((await run.describe()).phase, "failed");
      held.open();
      await table.crash();
      await table.pass(0);
      const ended = await table.engine.snapshot(run.id);
      assert.deepEqual(
        [ended?.phase, ended?.nodes.find(({ id }) => id === "book")?.status],
        ["failed", "uncompensated"],
      );
    });

    it("aborts running attempts and compensations", async () => {
      const aborted: string[] = [];
      const until = (signal: AbortSignal, name: string) =>
        new Promise<void>((resolve) => {
          const end = (): void => (aborted.push(name), resolve());
          signal.addEventListener("abort", end, { once: true });
        });
      const busy = worker("busy", { onCancel: ({ signal }) => until(signal, "onCancel") }, (_: unknown, { signal }) =>
        until(signal, "attempt"),
      );
      const { engine, clock, pass } = await bench({ workers: [busy] }, url);
      const first = await engine.start(busy, null);
      const second = await engine.start(busy, null);
      await clock.advance(0);
      await first.terminate();
      assert.deepEqual(aborted, ["attempt"]);
      await second.cancel();
      await clock.advance(0);
      await second.terminate();
      await pass(0);
      assert.deepEqual(aborted, ["attempt", "attempt", "onCancel"]);
      await engine.close(0);
    });

    it("ends the children of the run", async () => {
      const undone: string[] = [];
      const inner = trips(undone);
      const outer = graph("outer", (g) => g.node("child", inner));
      const { engine, pass } = await bench({ graphs: [outer] }, url);
      const run = await engine.start("outer", null);
      await pass(0);
      await run.terminate();
      await pass(0);
      const [child] = (await run.describe()).children;
      const ended = await engine.snapshot(child?.graph_id ?? "");
      assert.deepEqual([ended?.phase, undone], ["failed", []]);
    });
  });
