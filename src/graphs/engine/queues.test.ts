import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SimulatedClock } from "../../platform/shared/clock.ts";
import { SvcError } from "../../platform/shared/errors.ts";
import { openStore } from "../../storage/open-store.ts";
import { graph, worker } from "../definition/definition.ts";
import { bench, gate, PLACES } from "./engine.testkit.ts";
import { WorkerQueues } from "./queues.ts";

describe("queues that other processes also pause and resume", () => {
  it("follow the latest change, even if an earlier read is answered late", async () => {
    const { queues: rows } = await openStore("memory:");
    const paused = new Set<string>();
    const held: Promise<void>[] = [];
    const queues = new WorkerQueues({
      rows: {
        pause: (row, audit) => rows.pause(row, audit),
        resume: (name, audit) => rows.resume(name, audit),
        paused: async () => {
          const found = await rows.paused();
          await held.shift();
          return found;
        },
      },
      dispatcher: {
        pause: (name) => void paused.add(name),
        resume: (name) => void paused.delete(name),
        queueReports: () => [],
      },
      clock: new SimulatedClock(),
      workers: new Set(["echo"]),
      onChange: () => undefined,
    });
    const isPausedAfterLook = async (change: () => Promise<unknown>): Promise<boolean> => {
      const late = gate();
      held.push(late.promise);
      const look = queues.readAgain();
      await change();
      late.open();
      await look;
      return paused.has("echo");
    };
    assert.equal(await isPausedAfterLook(() => queues.pause("echo")), true);
    assert.equal(await isPausedAfterLook(() => queues.resume("echo")), false);
    const byAnother = async (): Promise<void> => {
      await rows.pause({ worker: "echo", pausedMs: 1, by: undefined, note: undefined });
      await queues.readAgain();
    };
    assert.equal(await isPausedAfterLook(byAnother), true);
  });
});

for (const url of PLACES) {
  describe(`queues on ${url}`, () => {
    it("start nothing in any run while they are paused", async () => {
      const echo = worker("echo", (input: unknown) => input);
      const both = graph("both", (g) =>
        g.node("last", echo, {
          after: [
            g.node(
              "first",
              worker("free", () => 1),
            ),
          ],
        }),
      );
      const here = await bench({ workers: [echo], graphs: [both] }, url);
      await here.engine.queues.pause("echo", { by: "anna", note: "the mail server is down" });
      const alone = await here.engine.start("echo", 1);
      await here.pass(1000);
      const chain = await here.engine.start("both", 1);
      await here.pass(4000);
      const nodes = (await here.engine.snapshot(chain.snapshot.graph_id))?.nodes.map(({ id, status }) => [id, status]);
      assert.deepEqual(nodes, [
        ["first", "done"],
        ["last", "ready"],
      ]);
      assert.deepEqual(await here.engine.queues.list(), [
        {
          worker: "echo",
          paused: true,
          paused_ms: Date.UTC(2026, 0, 1),
          paused_by: "anna",
          note: "the mail server is down",
          running: 0,
          waiting: 2,
          oldest_ms: 5000,
        },
        {
          worker: "free",
          paused: false,
          paused_ms: null,
          paused_by: null,
          note: null,
          running: 0,
          waiting: 0,
          oldest_ms: null,
        },
      ]);
      const view = await here.engine.queues.resume("echo");
      await here.engine.idle();
      assert.equal(view.paused, false);
      for (const { snapshot } of [alone, chain])
        assert.equal((await here.engine.snapshot(snapshot.graph_id))?.status, "done");
      assert.deepEqual(
        (await here.store.audit.list({ target: "echo" })).items.map(({ operation, actor }) => [operation, actor]),
        [
          ["queue.resume", "app"],
          ["queue.pause", "anna"],
        ],
      );
    });

    it("stay paused over a restart, and let running attempts continue", async () => {
      const held = gate();
      let runs = 0;
      const slow = worker("slow", async () => {
        runs++;
        await held.promise;
      });
      const here = await bench({ workers: [slow] }, url);
      const running = await here.engine.start("slow", 1);
      await here.clock.advance(0);
      await here.engine.queues.pause("slow");
      const waiting = await here.engine.start("slow", 2);
      held.open();
      await here.engine.idle();
      assert.equal((await here.engine.snapshot(running.snapshot.graph_id))?.status, "done");
      await here.crash();
      await here.pass(1000);
      assert.deepEqual([runs, (await here.engine.snapshot(waiting.snapshot.graph_id))?.status], [1, "running"]);
      await here.engine.queues.resume("slow");
      await here.engine.idle();
      assert.equal((await here.engine.snapshot(waiting.snapshot.graph_id))?.status, "done");
    });

    it("can't be paused for unknown workers", async () => {
      const here = await bench({ workers: [worker("echo", () => 1)] }, url);
      await assert.rejects(
        here.engine.queues.pause("ecko"),
        (error: unknown) =>
          error instanceof SvcError && error.code === "SVC_NOT_FOUND" && /known: echo/.test(error.message),
      );
    });
  });
}
