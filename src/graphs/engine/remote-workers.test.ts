/** Workers that a process runs for other processes end and free their slots, whatever happens to those runs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openStore } from "../../storage/open-store.ts";
import type { Worker } from "../definition/definition-types.ts";
import { worker } from "../definition/definition.ts";
import { clusterOf } from "./remote.testkit.ts";
import { HeldClock } from "./engine.testkit.ts";
import { createEngine } from "./engine.ts";
import type { LeasedRun } from "./cluster-port.ts";
import type { Performance } from "../execution/remote/remote-attempts.ts";
import type { Permits } from "../execution/queue/permit-types.ts";
import type { FromThread } from "../execution/remote/thread-messages.ts";

const never = (): Promise<never> => new Promise(() => undefined);

/** A process that runs workers, and the messages that they send to the owners of the runs. */
async function performing(workers: Worker<never, unknown>[], permits?: Permits) {
  const clock = new HeldClock();
  let held: LeasedRun | undefined;
  const cluster = clusterOf({ attach: (made) => (held = made), ...(permits && { permits }) });
  const engine = createEngine({ store: await openStore("memory:"), clock, workers, cluster });
  const said: FromThread[] = [];
  const perform = (name: string, { signal } = new AbortController()): Promise<Performance | undefined> => {
    const context = { graphId: "g_1", nodeId: "only", attempt: 1, epoch: 1, deps: {} };
    const order = { worker: name, input: null, context, state: undefined };
    return held?.perform(order, { signal, say: (message) => said.push(message) }) ?? assert.fail("no engine");
  };
  const asked = (method: string): number =>
    said.flatMap((message) => (message.type === "asked" && message.method === method ? [message.id] : [])).at(-1) ??
    assert.fail(`${method} was not asked for`);
  const hasEnded = (): boolean => said.some(({ type }) => type === "ended");
  return { engine, clock, said, perform, asked, hasEnded, readiness: () => clock.advance(0) };
}

describe("a worker that runs for another process", () => {
  it("continues after a wait with the permit of the owning process, and requests none of its own", async () => {
    const sleeps = worker("sleeps", { concurrency: 1 }, (_input: null, ctx) => ctx.sleep("1h"));
    let wants = 0;
    const take: Permits["take"] = () => {
      wants++;
      return never();
    };
    const { perform, asked, hasEnded, readiness } = await performing([sleeps], { take, giveBack: () => undefined });
    const performance = await perform("sleeps");
    await readiness();
    performance?.hear({ type: "settled", id: asked("sleep"), settlement: { value: null } });
    await readiness();
    assert.deepEqual([wants, hasEnded()], [0, true]);
  });

  for (const [what, ask] of [
    ["a step", (ctx) => ctx.step("clean", () => 1)],
    ["a sleep", (ctx) => ctx.sleep("1h")],
    ["a checkpoint", (ctx) => ctx.checkpoint()],
  ] satisfies [string, (ctx: Parameters<Parameters<typeof worker>[2]>[1]) => unknown][])
    it(`can not start ${what} while it cleans up after a cancel, and ends`, async () => {
      const cleans = worker("cleans", async (_input: null, ctx) => {
        try {
          await ctx.step("work", never);
        } finally {
          await ask(ctx);
        }
      });
      const { engine, perform, hasEnded, readiness } = await performing([cleans]);
      const abort = new AbortController();
      await perform("cleans", abort);
      abort.abort(new Error("cancelled"));
      await readiness();
      assert.equal(hasEnded(), true);
      assert.equal(engine.queueReports()[0]?.running, 0);
    });

  it("can not run a statement after its run was cancelled", async () => {
    let came: unknown;
    const writes = worker("writes", (_input: null, ctx) =>
      ctx.tx(async (db) => {
        await db.query("select 1").catch(() => undefined);
        came = await db.query("select 2").catch((error: unknown) => error);
      }),
    );
    const { perform, asked, readiness } = await performing([writes]);
    const abort = new AbortController();
    const performance = await perform("writes", abort);
    await readiness();
    performance?.hear({ type: "begun", id: asked("tx") });
    const reason = new Error("cancelled");
    abort.abort(reason);
    await readiness();
    assert.equal(came, reason);
  });

  it("does not start if it is cancelled while a worker before it blocks the event loop", async () => {
    const ran: string[] = [];
    let clock: HeldClock | undefined;
    const computes = (name: string) =>
      worker(name, () => {
        ran.push(name);
        if (clock) clock.heldMs += 500;
      });
    const { engine, perform, readiness, ...made } = await performing([computes("first"), computes("second")]);
    clock = made.clock;
    const abort = new AbortController();
    const [first, second] = [perform("first"), perform("second", abort)];
    const refused = assert.rejects(second, /cancelled/);
    await first;
    abort.abort(new Error("cancelled"));
    await readiness();
    assert.deepEqual(ran, ["first"]);
    await refused;
    assert.deepEqual(
      engine.queueReports().map(({ running }) => running),
      [0, 0],
    );
  });

  it("does not delay the stop of its process beyond the time limit after it was aborted", async () => {
    const ignores = worker("ignores", never);
    const { engine, clock, perform, readiness } = await performing([ignores]);
    const abort = new AbortController();
    await perform("ignores", abort);
    await readiness();
    let isClosed = false;
    void engine.close(1000).then(() => (isClosed = true));
    abort.abort(new Error("left off"));
    await clock.advance(999);
    assert.equal(isClosed, false, "it may still clean up");
    await clock.advance(1);
    await readiness();
    assert.equal(isClosed, true);
  });
});
