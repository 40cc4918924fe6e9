/** The inbox of a run: its messages are handled one after another, each to its end. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { graphRow } from "../../storage/contract/sample-rows.testkit.ts";
import { graph, worker } from "../definition/definition.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";
import { bench, gate, PLACES, typesOf } from "../engine/engine.testkit.ts";
import { Machine } from "../machine/machine.ts";
import { DueTimers } from "./due-timers.ts";
import { ActiveRun, type MessageHandler } from "./active-run.ts";

function runWith(handle: (run: ActiveRun, type: string) => void): ActiveRun {
  const only = worker("only", () => null);
  const definition = graph("g", (g) => g.node("only", only)) as GraphDefinition;
  const machine = new Machine(graphRow("g_1"), [], 0, definition, () => []);
  const handler: MessageHandler = {
    handle: (run, { type }) => handle(run, type),
    transact: () => Promise.reject(new Error("no transaction here")),
    fail: () => assert.fail("nothing fails here"),
  };
  const clock = new SimulatedClock();
  return new ActiveRun(machine, handler, { clock, due: new DueTimers(clock), progressPerSecond: 1 });
}

describe("the inbox of a run", () => {
  it("handles a message that is posted while another is handled after that one, in the order of posting", () => {
    const order: string[] = [];
    const run = runWith((self, type) => {
      order.push(`${type} starts`);
      if (type === "begin") {
        self.post({ type: "deadline" });
        self.post({ type: "progressed", said: {} });
      }
      order.push(`${type} ends`);
    });
    run.post({ type: "begin" });
    assert.deepEqual(order, [
      "begin starts",
      "begin ends",
      "deadline starts",
      "deadline ends",
      "progressed starts",
      "progressed ends",
    ]);
  });

  it("handles a message at once when no other is being handled", () => {
    const order: string[] = [];
    const run = runWith((_self, type) => order.push(type));
    run.post({ type: "begin" });
    order.push("after the first");
    run.post({ type: "deadline" });
    assert.deepEqual(order, ["begin", "after the first", "deadline"]);
  });
});

for (const url of PLACES)
  describe(`a run on ${url}`, () => {
    it("commits its cancellation before the log line of a worker that logs when its signal aborts", async () => {
      const held = gate();
      const first = worker("first", { compensate: () => null }, () => "done");
      const logs = worker("logs", async (_input: unknown, ctx) => {
        ctx.signal.addEventListener("abort", () => ctx.log("info", "aborted"));
        await held.promise;
      });
      const definition = graph("g", (g) => g.node("logs", logs, { after: [g.node("first", first)] }));
      const { engine, clock, logs: lines } = await bench({ graphs: [definition] }, url);
      const { snapshot } = await engine.start("g", null);
      await clock.advance(0);
      await engine.cancel(snapshot.graph_id);
      await engine.idle();
      assert.deepEqual(
        lines.filter((line) => line.includes("failed")),
        [],
        "no commit fails",
      );
      const types = typesOf(await engine.events(snapshot.graph_id));
      assert.equal(types.at(-1), "graph.failed");
      assert.equal(types.filter((type) => type === "graph.cancelling").length, 1);
      held.open();
    });
  });
