/** The summary of a run by its author, and the origin of a run, for local and remote workers. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bench, gate, PLACES } from "./engine.testkit.ts";
import { graph, worker } from "../definition/definition.ts";
import { FinalError } from "../definition/final-error.ts";

for (const url of PLACES) {
  describe(`the summary of a run on ${url}`, () => {
    it("is the last one that a worker set, arrives with the node's result, and is sent as an event before it", async () => {
      const counts = worker("counts", (pages: number, ctx) => {
        for (let at = 1; at <= pages; at++) ctx.summary(`Invoice 17,\n${at} of ${pages} pages`);
        return pages;
      });
      const { engine, store } = await bench({ workers: [counts] }, url);
      const { snapshot } = await engine.start("counts", 5, { summary: " Invoice  17 " });
      assert.equal(snapshot.summary, "Invoice 17");
      await engine.idle();
      const ended = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([ended?.status, ended?.summary], ["done", "Invoice 17, 5 of 5 pages"]);
      const events = await engine.events(snapshot.graph_id);
      const reported = events.filter(({ type }) => type === "summary").map(({ data }) => data);
      assert.deepEqual(reported.at(-1), { text: "Invoice 17, 5 of 5 pages" });
      assert.deepEqual(reported.length, 2, "at the rate of progress events");
      assert.equal(events.at(-1)?.type, "graph.done");
      await store.close();
    });

    it("keeps its value if the node fails, and an empty summary removes it", async () => {
      const tries = worker("tries", { retry: { max: 1 } }, (text: string, ctx) => {
        ctx.summary("before");
        ctx.summary(text);
        throw new FinalError("no");
      });
      const { engine, store } = await bench({ workers: [tries] }, url);
      const summaryAfter = async (text: string): Promise<string | null | undefined> => {
        const { snapshot } = await engine.start("tries", text);
        await engine.idle();
        return (await engine.snapshot(snapshot.graph_id))?.summary;
      };
      assert.equal(await summaryAfter("at its end"), "at its end");
      assert.equal(await summaryAfter(""), null);
      await store.close();
    });

    it("is found by its content, and runs are found by the kind of their origin", async () => {
      const { engine, store } = await bench({ workers: [worker("w", () => 1)] }, url);
      await engine.start("w", 1, { summary: "Invoice 17 for ACME", origin: { kind: "api" } });
      await engine.start("w", 2, { summary: "Invoice 18" });
      await engine.idle();
      const found = async (query: object): Promise<unknown[]> =>
        (await engine.list(query)).items.map(({ input }) => input);
      assert.deepEqual(await found({ summary: "acme" }), [1]);
      assert.deepEqual(await found({ summary: "invoice" }), [2, 1]);
      assert.deepEqual(await found({ origin: "api" }), [1]);
      assert.deepEqual(await found({ origin: "code" }), [2]);
      await store.close();
    });
  });
}

describe("the origin of a run", () => {
  it("is recorded for children, forks, schedules and starts within an audit context", async () => {
    const inner = graph("inner", (g) =>
      g.node(
        "one",
        worker("one", () => 1),
      ),
    );
    const outer = graph("outer", (g) => g.node("sub", inner));
    const { engine, store } = await bench(
      { graphs: [outer, inner], origin: () => ({ kind: "action", name: "buy" }) },
      "memory:",
    );
    const { snapshot } = await engine.start("outer", null, { summary: "the outer one" });
    assert.deepEqual(snapshot.origin, { kind: "action", name: "buy" });
    await engine.idle();
    const [child] = (await engine.list({ parent: snapshot.graph_id })).items;
    assert.deepEqual(child?.origin, { kind: "graph", name: null });
    const fork = await engine.fork(snapshot.graph_id, { from: "sub" });
    assert.deepEqual([fork.origin, fork.summary], [{ kind: "fork", name: null }, "the outer one"]);
    await engine.schedule.upsert({ name: "nightly", cron: "0 3 1 1 *", worker: "inner" });
    const run = await engine.schedule.trigger("nightly");
    assert.deepEqual(run.origin, { kind: "schedule", name: "nightly" });
    await engine.idle();
    await store.close();
  });

  it("can be set by a worker while it runs, before its node has ended", async () => {
    const hold = gate();
    const holds = worker("holds", (_: null, ctx) => {
      ctx.summary("half way");
      return hold.promise;
    });
    const { engine, store, clock } = await bench({ workers: [holds] }, "memory:");
    const { snapshot } = await engine.start("holds", null);
    await clock.advance(100);
    const now = await engine.snapshot(snapshot.graph_id);
    assert.deepEqual([now?.status, now?.summary], ["running", "half way"]);
    hold.open();
    await engine.idle();
    await store.close();
  });
});
