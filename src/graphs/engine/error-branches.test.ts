import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Failure } from "../../storage/contract/graph-rows.ts";
import { FinalError } from "../definition/final-error.ts";
import { graph, worker } from "../definition/definition.ts";
import type { GraphDefinition } from "../definition/definition-types.ts";
import type { Snapshot } from "../machine/view-types.ts";
import { bench, STORES, typesOf, webhooksOf } from "./engine.testkit.ts";

const give = worker("give", (input: unknown) => input);
const refuse = worker("refuse", (input: unknown) => {
  if (input === "ok") return "paid";
  throw new FinalError("no funds");
});
const apologize = worker("apologize", (error: Failure) => `sorry: ${error.message} in ${error.node}`);
const statuses = ({ nodes }: Snapshot): Record<string, string> =>
  Object.fromEntries(nodes.map(({ id, status }) => [id, status]));

for (const url of STORES) {
  const run = async (definition: GraphDefinition, input: string) => {
    const it = await bench({ graphs: [definition] }, url);
    const { snapshot } = await it.engine.start(definition.name, input);
    await it.pass(0);
    const end = await it.engine.snapshot(snapshot.graph_id);
    assert.ok(end);
    return { ...it, end };
  };

  describe(`an error branch, on ${url}`, () => {
    const order = graph("order", (g) => {
      const pay = g.node("pay", refuse);
      const ship = g.node("ship", give, { after: [pay], input: () => "shipped" });
      const sorry = g.node("sorry", apologize, { after: [pay], on: "failed" });
      return g.node("close", give, { after: [ship, sorry] });
    }) as GraphDefinition;

    it("runs with the error as its input instead of the nodes that need the result, and the run is done", async () => {
      const { end } = await run(order, "bad");
      assert.deepEqual(statuses(end), { pay: "failed", ship: "skipped", sorry: "done", close: "done" });
      assert.deepEqual([end.status, end.result], ["done", { ship: null, sorry: "sorry: no funds in pay" }]);
      assert.deepEqual(end.error_edges, [["pay", "sorry"]]);
    });

    it("is skipped if nothing has failed", async () => {
      const { end } = await run(order, "ok");
      assert.deepEqual(statuses(end), { pay: "done", ship: "done", sorry: "skipped", close: "done" });
      assert.deepEqual(end.result, { ship: "shipped", sorry: null });
    });

    it("fails the run if it fails itself, and has the errors by name as dependencies", async () => {
      const seen: unknown[] = [];
      const nested = graph("nested", (g) => {
        const [a, b] = [g.node("a", refuse), g.node("b", give)];
        const handler = worker("handler", (_input: string, ctx) => {
          seen.push(_input, { ...ctx.deps });
          throw new FinalError("worse");
        });
        g.node("handle", handler, { after: [a, b], on: "failed", input: (_given, errors) => errors.a?.message ?? "" });
      }) as GraphDefinition;
      const { end } = await run(nested, "bad");
      assert.deepEqual([end.status, end.error?.message, end.error?.node], ["failed", "worse", "handle"]);
      assert.deepEqual(seen, ["no funds", { a: { message: "no funds", reason: "error", node: "a" }, b: null }]);
    });

    it("lets other nodes continue where the node before it has onError continue", async () => {
      const lenient = graph("lenient", (g) => {
        const [a, b] = [g.node("a", refuse, { onError: "continue" }), g.node("b", give)];
        g.node("both", give, { after: [a, b] });
        g.node("sorry", apologize, { after: [a], on: "failed" });
      }) as GraphDefinition;
      const { end } = await run(lenient, "bad");
      assert.deepEqual(statuses(end), { a: "failed", b: "done", both: "done", sorry: "done" });
    });

    it("is decided again from the stored rows after a crash", async () => {
      const slow = graph("slow", (g) => {
        const a = g.node("a", refuse);
        g.node(
          "sorry",
          worker("hangs", () => new Promise<never>(() => undefined)),
          { after: [a], on: "failed" },
        );
        g.node("next", give, { after: [a] });
      }) as GraphDefinition;
      const it = await bench({ graphs: [slow] }, url);
      const { snapshot } = await it.engine.start("slow", "bad");
      await it.clock.advance(0);
      await it.crash();
      await it.clock.advance(0);
      const seen = await it.engine.snapshot(snapshot.graph_id);
      assert.deepEqual(seen && statuses(seen), { a: "failed", sorry: "running", next: "skipped" });
    });
  });

  describe(`onFailure of a graph, on ${url}`, () => {
    const calls: string[] = [];
    const undone = worker("undone", { compensate: () => void calls.push("compensate") }, () => null);
    const made = (onFailure: (attempt: number) => unknown = () => undefined): GraphDefinition => {
      calls.length = 0;
      return graph(
        "order",
        (g) => void g.node("pay", refuse, { after: [g.node("book", undone)], input: (given) => given }),
        {
          onFailure: (ctx) => {
            calls.push(`onFailure ${ctx.failure.message} ${String(ctx.input)} ${ctx.attempt}`);
            return onFailure(ctx.attempt);
          },
        },
      ) as GraphDefinition;
    };

    it("is called after the compensation and before the end, with the error and the input of the run", async () => {
      const { end, store, engine } = await run(made(), "bad");
      assert.deepEqual(calls, ["compensate", "onFailure no funds bad 1"]);
      assert.deepEqual(statuses(end), { book: "compensated", pay: "failed", onFailure: "done" });
      assert.deepEqual([end.status, await webhooksOf(store, end.graph_id)], ["failed", ["graph.failed"]]);
      assert.deepEqual(typesOf(await engine.events(end.graph_id)).slice(-3), [
        "node.started onFailure",
        "node.done onFailure",
        "graph.failed pay",
      ]);
    });

    it("is tried again, and the run fails with its own error even if that never succeeds", async () => {
      const it = await bench({ graphs: [made(() => Promise.reject(new Error("down")))] }, url);
      const { snapshot } = await it.engine.start("order", "bad");
      for (let at = 0; at < 10; at++) await it.pass(60_000);
      const end = await it.engine.snapshot(snapshot.graph_id);
      assert.deepEqual([end?.status, end?.error?.message], ["failed", "no funds"]);
      assert.equal(end && statuses(end)["onFailure"], "failed");
      assert.ok(calls.length > 2, `${calls.length} calls`);
    });

    it("is not called for a run that is done or cancelled", async () => {
      const { end } = await run(made(), "ok");
      assert.deepEqual([end.status, calls], ["done", []]);
      const it = await bench({ graphs: [made()] }, url);
      const { snapshot } = await it.engine.start("order", "ok", { delay: "1h" });
      const cancelled = await it.engine.cancel(snapshot.graph_id);
      assert.deepEqual([cancelled.status, calls], ["failed", []]);
    });

    it("continues after a crash, and is called again when a retry of the run fails", async () => {
      const held = made(() => new Promise(() => undefined));
      const it = await bench({ graphs: [held] }, url);
      const { snapshot } = await it.engine.start("order", "bad");
      await it.clock.advance(0);
      assert.equal((await it.engine.snapshot(snapshot.graph_id))?.phase, "cancelling");
      await it.crash({ graphs: [made()] });
      await it.pass(0);
      assert.deepEqual(calls, ["onFailure no funds bad 1"]);
      await it.engine.retry(snapshot.graph_id);
      await it.pass(0);
      assert.deepEqual(calls.at(-1), "onFailure no funds bad 1");
      assert.deepEqual([(await it.engine.snapshot(snapshot.graph_id))?.status, calls.length], ["failed", 3]);
    });
  });
}

describe("declarations of error branches", () => {
  it("are rejected after a fan-out, without predecessors, with another value, and beside a node named onFailure", () => {
    const odd =
      (declare: Parameters<typeof graph>[1], options = {}) =>
      () =>
        graph("odd", declare, options);
    assert.throws(
      odd((g) => {
        const all = g.map("all", give, g.node("a", give), () => []);
        g.node("b", give, { after: [all], on: "failed", input: () => null });
      }),
      { code: "SVC_DEFINITION", message: /after the fan-out "all"; use onError: "collect"/ },
    );
    assert.throws(
      odd((g) => void g.node("b", apologize, { after: [], on: "failed" })),
      /lacks after/,
    );
    assert.throws(
      odd((g) => void g.node("b", give, { on: "done" } as never)),
      /has on "done"; use "failed"/,
    );
    assert.throws(
      odd((g) => void g.node("onFailure", give), { onFailure: () => undefined }),
      /has onFailure and a node named "onFailure"/,
    );
    assert.throws(
      odd((g) => void g.node("a", give), { onFailure: "mail" } as never),
      /has onFailure "mail"/,
    );
  });
});
