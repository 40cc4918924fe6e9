import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graph, worker } from "../definition/definition.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";
import { bench, gate, STORES, typesOf, webhooksOf } from "./engine.testkit.ts";

const hangs = (): Promise<never> => new Promise(() => undefined);

for (const url of STORES)
  describe(`a run in flight during a deploy that appends a node, in ${url}`, () => {
    const undone: string[] = [];
    const book = worker("book", { compensate: () => void undone.push("book") }, () => "booked");
    const chain = (run: () => unknown, ...more: string[]): GraphDefinition =>
      graph("order", (g) => {
        const pay = g.node("pay", worker("charge", run), { after: [g.node("book", book)], input: () => null });
        for (const name of more) g.node(name, book, { after: [pay] });
        return pay;
      }) as GraphDefinition;

    const parked = async (timeout = {}) => {
      undone.length = 0;
      const before = { ...chain(hangs), options: timeout };
      const it = await bench({ graphs: [before] }, url);
      const { snapshot } = await it.engine.start("order", null, { tags: ["t"] });
      await it.clock.advance(0);
      await it.crash({ graphs: [chain(hangs, "mail")] });
      return { it, id: snapshot.graph_id };
    };

    it("is parked: it keeps its results, and nothing is compensated", async () => {
      const { it, id } = await parked();
      const { engine, store, logs } = it;
      const seen = await engine.snapshot(id);
      assert.deepEqual([seen?.status, seen?.phase, seen?.error?.reason], ["paused", "parked", "parked"]);
      assert.match(seen?.error?.message ?? "", /"order" has changed .* it has new nodes: mail/);
      assert.deepEqual(
        seen?.nodes.map((node) => [node.id, node.status]),
        [
          ["book", "done"],
          ["pay", "ready"],
        ],
      );
      assert.deepEqual(undone, []);
      assert.deepEqual((await engine.list({ status: "parked" })).items.length, 1);
      assert.deepEqual(
        [(await store.graphs.countByStatus()).parked, await webhooksOf(store, id)],
        [1, ["graph.paused"]],
      );
      const event = (await engine.events(id)).at(-1);
      assert.deepEqual(
        [event?.type, (event?.data as { reason: string } | undefined)?.reason],
        ["graph.paused", "parked"],
      );
      assert.match(logs.join("\n"), /1 unfinished run of "order" does not fit this build.*The node "mail" is new/);
    });

    it("continues once a build with its nodes runs", async () => {
      const { it, id } = await parked();
      await it.crash({ graphs: [chain(() => "paid")] });
      await it.pass(0);
      const { engine } = it;
      assert.deepEqual([(await engine.snapshot(id))?.result, (await engine.snapshot(id))?.error], ["paid", null]);
      assert.ok(typesOf(await engine.events(id)).includes("graph.resumed"));
      assert.deepEqual(undone, []);
    });

    it("stays parked without another event if the next build lacks its nodes as well", async () => {
      const { it, id } = await parked();
      const before = await it.engine.events(id);
      await it.crash({ graphs: [chain(hangs, "mail")] });
      assert.equal((await it.engine.events(id)).length, before.length);
    });

    it("takes signals and can be cancelled, but not resumed", async () => {
      const { it, id } = await parked();
      await assert.rejects(it.engine.resume(id), { code: "SVC_TRANSITION" });
      await it.engine.signal(id, "go", 1);
      const ended = await it.engine.cancel(id);
      assert.deepEqual([ended.status, ended.error?.reason, undone], ["failed", "cancelled", []]);
    });

    it("can be terminated, and its error is no longer that it was parked", async () => {
      const { it, id } = await parked();
      const ended = await it.engine.terminate(id);
      assert.deepEqual([ended.status, ended.error?.message, undone], ["failed", "Terminated by an operator", []]);
    });

    it("does not exceed its timeout while it is parked", async () => {
      const { it, id } = await parked({ timeout: 1000 });
      await it.pass(60_000);
      assert.equal((await it.engine.snapshot(id))?.phase, "parked");
    });

    it("stays paused if it was paused, and a resume is rejected with the difference", async () => {
      const held = gate();
      const it = await bench({ graphs: [chain(() => held.promise)] }, url);
      const { snapshot } = await it.engine.start("order", null);
      await it.clock.advance(0);
      await it.engine.pause(snapshot.graph_id);
      await it.crash({ graphs: [chain(hangs, "mail")] });
      assert.equal((await it.engine.snapshot(snapshot.graph_id))?.phase, "paused");
      await assert.rejects(it.engine.resume(snapshot.graph_id), { code: "SVC_TRANSITION", message: /nodes/ });
    });
  });

for (const url of STORES)
  describe(`a run that is compensated during a deploy, in ${url}`, () => {
    it("is left as it is by a build that lacks it, and compensated by one that has it", async () => {
      const undone: string[] = [];
      let calls = 0;
      const undo = (name: string) => () => (++calls === 1 ? hangs() : void undone.push(name));
      const chain = graph("order", (g) => {
        const seat = g.node(
          "seat",
          worker("seat", { compensate: undo("seat") }, () => "booked"),
        );
        const room = g.node(
          "room",
          worker("room", { compensate: undo("room") }, () => "booked"),
          { after: [seat] },
        );
        const fails = worker("charge", { retry: { max: 1 } }, () => Promise.reject(new Error("no funds")));
        return g.node("pay", fails, { after: [room], input: () => null });
      }) as GraphDefinition;
      const it = await bench({ graphs: [chain] }, url);
      const { snapshot } = await it.engine.start("order", null);
      await it.clock.advance(0);
      await it.clock.advance(0);
      const statusOf = async (): Promise<unknown> => (await it.engine.snapshot(snapshot.graph_id))?.phase;
      assert.equal(await statusOf(), "cancelling");
      await it.crash({ graphs: [] });
      await it.pass(1000);
      assert.deepEqual([await statusOf(), undone], ["cancelling", []]);
      assert.match(it.logs.join("\n"), /unfinished run of "order"/);
      await it.crash({ graphs: [chain] });
      await it.pass(60_000);
      assert.deepEqual([await statusOf(), undone], ["failed", ["room", "seat"]]);
      await it.store.close();
    });
  });
