import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graph, worker } from "../definition/definition.ts";
import { bench, STORES } from "./engine.testkit.ts";

for (const url of STORES)
  describe(`A fork at a step with ${url}`, () => {
    it("keeps the outcomes that the node recorded before the step, and runs the step and all after it again", async () => {
      const calls: string[] = [];
      const double = worker("double", (n: number) => n * 2);
      const order = worker("order", async (_: unknown, ctx) => {
        const step = (key: string) => ctx.step(key, () => `${key} ${calls.push(key)}`);
        const reserved = await step("reserve");
        const paid = await ctx.waitFor("paid");
        const doubled = await ctx.map("double", [1, 2], double);
        ctx.state.set("seen", true);
        const charged = await step("charge");
        await ctx.sleep("1m");
        return [reserved, paid, doubled, charged, await step("send")];
      });
      const after = worker("after", (_: unknown, ctx) => calls.push(`after ${(ctx.deps["order"] as string[]).length}`));
      const shop = graph("shop", (g) => g.node("after", after, { after: [g.node("order", order)] }));
      const table = await bench({ graphs: [shop], workers: [double] }, url);
      const { id } = await table.engine.start("shop", null);
      await table.engine.idle();
      await table.engine.signal(id, "paid", 7);
      await table.engine.idle();
      await table.pass(60_000);
      assert.deepEqual(calls.splice(0), ["reserve", "charge", "send", "after 5"]);

      const fork = await table.engine.fork(id, { from: "order#charge", by: "ada" });
      await table.engine.idle();
      // The sleep after the step begins again, and a crash does not change the order of the copied outcomes.
      await table.crash();
      await table.pass(60_000);
      const node = await table.engine.node(fork.graph_id, "order");
      assert.deepEqual(node?.result, ["reserve 1", 7, [2, 4], "charge 1", "send 2"]);
      assert.deepEqual(calls.splice(0), ["charge", "send", "after 5"]);
      assert.equal((await table.engine.snapshot(fork.graph_id))?.forked_from, id);
      const last = await table.engine.fork(id, { from: "order#sleep~1" });
      await table.pass(60_000);
      const kept = (await table.engine.node(last.graph_id, "order"))?.result as string[];
      assert.equal(kept[3], "charge 2");
      assert.deepEqual(calls.splice(0), ["send", "after 5"]);
      await table.store.close();
    });

    it("begins at the step that failed, with a race decided as before", async () => {
      let isBroken = true;
      const calls: string[] = [];
      const racing = worker("racing", { retry: { max: 1 } }, async (_: unknown, ctx) => {
        const step = (key: string) => ctx.step(key, () => (calls.push(key), key));
        const first = await Promise.race([ctx.sleep("1h").then(() => "slept"), step("fast")]);
        await ctx.artifact("log.txt", first);
        await ctx.step("risky", () => {
          if (isBroken) throw new Error("broken");
        });
        return first;
      });
      const table = await bench({ workers: [racing] }, url);
      const { id } = await table.engine.start("racing", null);
      await table.engine.idle();
      assert.equal((await table.engine.snapshot(id))?.status, "failed");
      isBroken = false;
      const { graph_id } = await table.engine.fork(id, { from: "racing#risky" });
      await table.engine.idle();
      assert.deepEqual([(await table.engine.snapshot(graph_id))?.result, calls], ["fast", ["fast"]]);
      const content = await table.engine.artifact(graph_id, "log.txt");
      assert.equal(content?.artifact.bytes, 4);
      await table.store.close();
    });

    it("is rejected for a step that the node has not recorded, and for a step of a called worker", async () => {
      const inner = worker("inner", async (_: unknown, ctx) => ctx.step("deep", () => 1));
      const outer = worker("outer", async (_: unknown, ctx) => ctx.call("inner", inner, null));
      const table = await bench({ workers: [outer, inner] }, url);
      const { id } = await table.engine.start("outer", null);
      await table.engine.idle();
      const refused = (from: string, message: RegExp): Promise<void> =>
        assert.rejects(table.engine.fork(id, { from }), { code: "SVC_INVALID", message });
      await refused("outer#none", /is not a step of the node "outer"; it has recorded outer#inner/);
      await refused("outer#inner#deep", /"outer#inner", which is not a node of the graph/);
      await refused("nobody#step", /not a node of the graph/);
      await table.store.close();
    });
  });
