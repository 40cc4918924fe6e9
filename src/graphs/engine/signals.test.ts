import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";
import { WaitTimeoutError } from "../execution/attempt/call-error.ts";
import { worker } from "../definition/definition.ts";
import { bench, gate, PLACES, signalsOf } from "./engine.testkit.ts";
import type { Snapshot } from "../machine/view-types.ts";

const HOUR_MS = 3_600_000;

const nodeOf = (snapshot: Snapshot | undefined, id: string) => snapshot?.nodes.find((node) => node.id === id);
const statusOf = (snapshot: Snapshot | undefined, id: string) => nodeOf(snapshot, id)?.status;

for (const url of PLACES) {
  describe(`a signal to a run, on ${url}`, () => {
    const asked = worker("asked", async (_: Json, ctx) => ({ answer: await ctx.waitFor("answer") }));

    it("delivers its payload to a waiting worker", async () => {
      // It ends after the report, whatever a database takes to answer.
      const reportedOn = gate();
      const held = worker("asked", async (_: Json, ctx) => {
        const answer = await ctx.waitFor("answer");
        await reportedOn.promise;
        return { answer };
      });
      const { engine, store } = await bench({ workers: [held] }, url);
      const { snapshot } = await engine.start("asked", null);
      await engine.idle();
      const waiting = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([statusOf(waiting, "asked"), statusOf(waiting, "asked#answer")], ["waiting", "waiting"]);
      const reported = await engine.signal(snapshot.graph_id, "answer", { yes: true }, { by: "ada" });
      assert.deepEqual([reported.status, reported.nodes, reported.next_node], ["running", [], ""]);
      assert.equal(statusOf(await engine.snapshot(snapshot.graph_id), "asked#answer"), "done");
      reportedOn.open();
      await engine.idle();
      assert.deepEqual((await engine.snapshot(snapshot.graph_id))?.result, { answer: { yes: true } });
      const events = await store.graphs.events(snapshot.graph_id, 0);
      assert.deepEqual(events.find(({ type }) => type === "graph.signal")?.data, { name: "answer", by: "ada" });
      await store.close();
    });

    it("that arrives before its wait is kept, also over a crash", async () => {
      const table = await bench({ workers: [asked] }, url);
      const { snapshot } = await table.engine.start("asked", null, { delay: 1000 });
      await table.engine.signal(snapshot.graph_id, "answer", 42);
      await table.crash();
      await table.pass(1000);
      assert.deepEqual((await table.engine.snapshot(snapshot.graph_id))?.result, { answer: 42 });
      assert.deepEqual(await signalsOf(table.store, snapshot.graph_id), []);
      await table.store.close();
    });

    it("ends a wait once, also if the worker was waiting when the process died", async () => {
      const table = await bench({ workers: [asked] }, url);
      const { snapshot } = await table.engine.start("asked", null);
      await table.engine.idle();
      await table.crash();
      await table.engine.idle();
      assert.equal(statusOf(await table.engine.snapshot(snapshot.graph_id), "asked"), "waiting");
      await table.engine.signal(snapshot.graph_id, "answer", 1);
      await table.crash();
      await table.engine.idle();
      assert.deepEqual((await table.engine.snapshot(snapshot.graph_id))?.result, { answer: 1 });
      await table.store.close();
    });

    it("ends one wait of its name, in the order of the waits", async () => {
      const chat = worker("chat", async (_: Json, ctx) => [
        await ctx.waitFor("word"),
        await ctx.waitFor("word"),
        await ctx.waitFor("word", { key: "last" }),
      ]);
      const { engine, store } = await bench({ workers: [chat] }, url);
      const { snapshot } = await engine.start("chat", null);
      for (const word of ["one", "two", "three"]) await engine.signal(snapshot.graph_id, "word", word);
      await engine.idle();
      const done = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual(done?.result, ["one", "two", "three"]);
      assert.deepEqual(
        done?.nodes.map(({ id }) => id),
        ["chat", "chat#last", "chat#word", "chat#word~2"],
      );
      await store.close();
    });

    it("with an idempotency key counts once, also after it was delivered", async () => {
      const two = worker("two", async (_: Json, ctx) => [await ctx.waitFor("go"), await ctx.waitFor("go")]);
      const table = await bench({ workers: [two] }, url);
      const { snapshot } = await table.engine.start("two", null);
      const send = (payload: number) =>
        table.engine.signal(snapshot.graph_id, "go", payload, { idempotencyKey: "click-1" });
      // On a database with several connections, either may be first.
      await Promise.all([send(1), send(1)]);
      await table.crash();
      await send(3);
      await table.engine.idle();
      assert.equal((await table.engine.snapshot(snapshot.graph_id))?.status, "running");
      await table.engine.signal(snapshot.graph_id, "go", 4);
      await table.engine.idle();
      assert.deepEqual((await table.engine.snapshot(snapshot.graph_id))?.result, [1, 4]);
      await table.store.close();
    });

    it("that does not arrive in time throws a timeout error, also in later attempts", async () => {
      let waits = 0;
      const patient = worker("patient", { retry: { max: 2, base: 1 } }, async (_: Json, ctx) => {
        waits++;
        try {
          return await ctx.waitFor("ok", { timeout: "1h" });
        } catch (error) {
          assert.ok(error instanceof WaitTimeoutError);
          if (waits === 1) throw new Error("not yet", { cause: error });
          return error.message;
        }
      });
      const { engine, store, pass } = await bench({ workers: [patient] }, url);
      const { snapshot } = await engine.start("patient", null);
      await engine.idle();
      await pass(HOUR_MS);
      await pass(1);
      assert.deepEqual(
        [(await engine.snapshot(snapshot.graph_id))?.result, waits],
        ['No signal "ok" arrived within 1h', 2],
      );
      await store.close();
    });

    it("that does not arrive in time fails the run without another attempt if the error is not caught; a retry waits anew", async () => {
      const patient = worker("patient", async (_: Json, ctx) => ctx.waitFor("ok", { timeout: "1h" }));
      const { engine, store, pass } = await bench({ workers: [patient] }, url);
      const { snapshot } = await engine.start("patient", null);
      await engine.idle();
      await pass(HOUR_MS);
      const failed = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([failed?.status, nodeOf(failed, "patient")?.attempts], ["failed", 1]);
      await engine.retry(snapshot.graph_id);
      await engine.signal(snapshot.graph_id, "ok", "late");
      await engine.idle();
      assert.equal((await engine.snapshot(snapshot.graph_id))?.result, "late");
      await store.close();
    });

    it("and a timeout: the first one counts, also during a pause", async () => {
      const patient = worker("patient", async (_: Json, ctx) =>
        ctx.waitFor<string>("ok", { timeout: "1h" }).catch(() => "too late"),
      );
      const { engine, store, pass } = await bench({ workers: [patient] }, url);
      const start = async () => {
        const { snapshot } = await engine.start("patient", null);
        await engine.idle();
        await engine.pause(snapshot.graph_id);
        return snapshot.graph_id;
      };
      const [early, late] = [await start(), await start()];
      await pass(HOUR_MS - 1);
      await engine.signal(early, "ok", "in time");
      await pass(2);
      await engine.signal(late, "ok", "in vain");
      for (const id of [early, late]) await engine.resume(id);
      await engine.idle();
      assert.deepEqual(await Promise.all([early, late].map(async (id) => (await engine.snapshot(id))?.result)), [
        "in time",
        "too late",
      ]);
      await store.close();
    });

    it("is rejected by a schema when it is sent, and the worker receives the output of the schema", async () => {
      const schema = {
        "~standard": {
          version: 1,
          vendor: "test",
          validate: async (value: unknown) =>
            typeof value === "number"
              ? { value: `№ ${value}` }
              : { issues: [{ message: "must be a number", path: ["n"] }] },
          types: undefined as unknown as { input: number; output: string },
        },
      } as const;
      const counted = worker("counted", async (_: Json, ctx) => ctx.waitFor("n", { schema }));
      const table = await bench({ workers: [counted] }, url);
      const { snapshot } = await table.engine.start("counted", null, { delay: 10 });
      await table.engine.signal(snapshot.graph_id, "n", "sent before anyone could look");
      await table.pass(10);
      await assert.rejects(table.engine.signal(snapshot.graph_id, "n", "x"), (error: SvcError) => {
        assert.deepEqual([error.code, error.issues], ["SVC_INVALID", [{ path: ["n"], message: "must be a number" }]]);
        return true;
      });
      await table.engine.signal(snapshot.graph_id, "n", 7);
      await table.crash();
      await table.engine.idle();
      assert.equal((await table.engine.snapshot(snapshot.graph_id))?.result, "№ 7");
      const log = (await table.store.graphs.events(snapshot.graph_id, 0)).find(({ type }) => type === "log");
      assert.deepEqual(log?.data, { level: "warn", message: 'The signal "n" was dropped: n: must be a number' });
      await table.store.close();
    });

    it("is rejected by a run that has ended", async () => {
      const { engine, store } = await bench({ workers: [asked] }, url);
      const { snapshot } = await engine.start("asked", null);
      await engine.signal(snapshot.graph_id, "answer");
      await engine.idle();
      await assert.rejects(engine.signal(snapshot.graph_id, "answer"), {
        code: "SVC_TRANSITION",
        message: `The graph ${snapshot.graph_id} is done; signal needs it to be pending or running or pausing or paused or parked`,
      });
      await assert.rejects(engine.signal(`g_${"0".repeat(26)}`, "answer"), { code: "SVC_NOT_FOUND" });
      await store.close();
    });
  });
}
