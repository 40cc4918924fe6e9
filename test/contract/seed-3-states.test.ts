/** Seed section 3: states and transitions. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { operate, payloadOf, received, SIGNED, textOf, withReceiver } from "./calls.ts";
import { describeBothAdapters } from "./both-adapters.ts";

describeBothAdapters(
  "the states of a graph",
  (site) => {
    it("done: status field of a graph.done payload", () =>
      withReceiver(site, async (receiver) => {
        await site.app.engine.start("double", { value: 1 });
        const { event, status } = payloadOf((await received(receiver, 1))[0]);
        assert.deepEqual([event, status], ["graph.done", "done"]);
      }));

    it("The event names imply failed and paused graph outcomes", () =>
      withReceiver(site, async (receiver) => {
        const { reply } = await operate(site, "POST", "/_svc/graphs", { worker: "held", input: {} });
        const id = textOf(reply, "graph_id");
        await operate(site, "POST", `/_svc/graphs/${id}/cancel`);
        const { event, status } = payloadOf((await received(receiver, 1))[0]);
        assert.deepEqual([event, status], ["graph.failed", "failed"]);
        const later = await operate(site, "POST", "/_svc/graphs", { worker: "double", input: {}, delay_ms: 60_000 });
        await operate(site, "POST", `/_svc/graphs/${textOf(later.reply, "graph_id")}/pause`);
        const paused = payloadOf((await received(receiver, 2))[1]);
        assert.deepEqual([paused["event"], paused["status"]], ["graph.paused", "paused"]);
      }));
  },
  SIGNED,
);
