/** Concurrent commands. Some tests are named after the issue of another engine that they cover. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SvcError } from "../../platform/shared/errors.ts";
import { graph, worker } from "../definition/definition.ts";
import { bench, gate, PLACES, typesOf, webhooksOf, type Bench } from "./engine.testkit.ts";

/** A chain of two nodes. The first ends when it is released. */
function chain() {
  const held = gate();
  const first = worker("first", async () => held.promise);
  const second = worker("second", () => "end");
  const definition = graph("chain", (g) => g.node("second", second, { after: [g.node("first", first)] }));
  return { held, definition };
}

async function started(url: string): Promise<{ here: Bench; id: string; held: ReturnType<typeof chain>["held"] }> {
  const { held, definition } = chain();
  const here = await bench({ graphs: [definition] }, url);
  const { snapshot } = await here.engine.start("chain", null);
  await here.clock.advance(0);
  return { here, id: snapshot.graph_id, held };
}

/** The outcome of a command: the resulting status, or the error code. */
async function outcome(step: Promise<{ status: string }>): Promise<string> {
  try {
    return (await step).status;
  } catch (error) {
    if (error instanceof SvcError) return error.code;
    throw error;
  }
}

const seqsOf = async ({ store }: Bench, id: string): Promise<number[]> =>
  (await store.graphs.events(id, 0)).map(({ seq }) => seq);

for (const url of PLACES) {
  describe(`concurrent commands on ${url}`, () => {
    it("leave a run paused and resumable, with no new work, if a node ends while the run is pausing (temporal#10239)", async () => {
      const { here, id, held } = await started(url);
      const pausing = here.engine.pause(id);
      held.open();
      const paused = await pausing;
      await here.engine.idle();
      assert.ok(["running", "paused"].includes(paused.status));
      const still = await here.engine.snapshot(id);
      assert.deepEqual([still?.status, still?.phase], ["paused", "paused"]);
      assert.deepEqual(
        still?.nodes.map(({ status }) => status),
        ["done", "ready"],
      );
      assert.ok(!typesOf(await here.store.graphs.events(id, 0)).includes("node.started second"));
      // The snapshot is read after the commit, when the rest may already have run.
      assert.ok(["running", "done"].includes(await outcome(here.engine.resume(id))));
      await here.engine.idle();
      assert.equal((await here.engine.snapshot(id))?.status, "done");
      assert.deepEqual(await webhooksOf(here.store, id), ["graph.done", "graph.paused"]);
    });

    it("keep a cancelled run cancelled if its work ends successfully (dbos-transact-ts#1264)", async () => {
      const { here, id, held } = await started(url);
      const cancelled = here.engine.cancel(id);
      held.open();
      assert.equal((await cancelled).status, "failed");
      await here.engine.idle();
      const end = await here.engine.snapshot(id);
      assert.deepEqual([end?.status, end?.error?.reason, end?.result], ["failed", "cancelled", null]);
      assert.deepEqual(await webhooksOf(here.store, id), ["graph.failed"]);
      assert.equal(typesOf(await here.store.graphs.events(id, 0)).at(-1), "graph.failed");
    });

    it("apply both a pause and a cancel, the cancel last; of two cancels one is rejected with both states", async () => {
      const { here, id, held } = await started(url);
      const outcomes = await Promise.all([
        outcome(here.engine.pause(id)),
        outcome(here.engine.cancel(id)),
        outcome(here.engine.cancel(id)),
        outcome(here.engine.pause(id)),
      ]);
      assert.deepEqual(outcomes.slice(1), ["failed", "SVC_TRANSITION", "SVC_TRANSITION"]);
      await assert.rejects(here.engine.cancel(id), /is failed; cancel needs it to be pending or running/);
      held.open();
      await here.engine.idle();
      assert.equal((await here.engine.snapshot(id))?.error?.reason, "cancelled");
      assert.equal((await webhooksOf(here.store, id)).filter((event) => event === "graph.failed").length, 1);
    });

    it("reject a cancel of a run whose last node is done, and the run is done", async () => {
      const here = await bench({ workers: [worker("quick", () => 1)] }, url);
      const { snapshot } = await here.engine.start("quick", null);
      await here.engine.idle();
      const { graph_id: id } = snapshot;
      for (const step of ["pause", "resume", "cancel"] as const)
        assert.equal(await outcome(here.engine[step](id)), "SVC_TRANSITION", step);
      assert.equal((await here.engine.snapshot(id))?.status, "done");
      assert.deepEqual(await webhooksOf(here.store, id), ["graph.done"]);
    });

    it("begin the next epoch only once for several retries", async () => {
      const here = await bench({ workers: [worker("quick", () => 1)] }, url);
      const { snapshot } = await here.engine.start("quick", null);
      await here.engine.idle();
      const retries = [1, 2, 3].map(() => outcome(here.engine.retry(snapshot.graph_id, { from: "quick" })));
      const refused = (await Promise.all(retries)).filter((one) => one === "SVC_TRANSITION");
      await here.engine.idle();
      assert.deepEqual([refused.length, (await here.engine.snapshot(snapshot.graph_id))?.epoch], [2, 2]);
    });

    it("leave the events of each run without gaps and with a single end, in any order", async () => {
      const here = await bench({ graphs: [chain().definition] }, url);
      const ids: string[] = [];
      for (let at = 0; at < 20; at++) ids.push((await here.engine.start("chain", at)).snapshot.graph_id);
      const steps = ["pause", "resume", "cancel", "pause", "cancel", "retry"] as const;
      await Promise.all(
        ids.flatMap((id, at) =>
          steps.map((_, place) => outcome(here.engine[steps[(at + place * 5) % steps.length] ?? "pause"](id))),
        ),
      );
      await here.engine.bulk("cancel", { filter: {} });
      await here.engine.idle();
      for (const id of ids) {
        assert.deepEqual(
          await seqsOf(here, id),
          (await seqsOf(here, id)).map((_, at) => at + 1),
        );
        const { epoch = 0, status } = (await here.engine.snapshot(id)) ?? {};
        const ends = typesOf(await here.store.graphs.events(id, 0)).filter((type) => type === "graph.failed");
        assert.deepEqual([status, ends.length], ["failed", epoch]);
      }
    });
  });
}
