import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import { SvcError } from "../../platform/shared/errors.ts";
import { graph, worker } from "../definition/definition.ts";
import { bench, STORES } from "./engine.testkit.ts";

const Order = v.object({ amount: v.pipe(v.number(), v.minValue(1)), note: v.optional(v.string(), "none") });

function orders() {
  const seen: unknown[] = [];
  const pay = worker(
    "pay",
    {
      input: Order,
      retry: { max: 5 },
      compensate: (ctx) => void seen.push({ undone: ctx.input }),
    },
    (order) => (seen.push(order), order.amount),
  );
  const list = worker("list", (amounts: number[]) => amounts.map((amount) => ({ amount })));
  const all = graph<number[]>("all", (g) =>
    g.map("pay", pay, g.node("list", list), (found) => found, { concurrency: 1 }),
  );
  return { seen, pay, all };
}

for (const url of STORES) {
  describe(`the input of a worker with a schema, on ${url}`, () => {
    it("is the output of the schema, also in a compensation, while the run keeps the original input", async () => {
      const { seen, pay, all } = orders();
      const { engine } = await bench({ workers: [pay], graphs: [all] }, url);
      const { snapshot } = await engine.start("pay", { amount: 5 });
      await engine.idle();
      assert.deepEqual((await engine.snapshot(snapshot.graph_id))?.input, { amount: 5 });
      await engine.start("all", [7, 0]);
      await engine.idle();
      assert.deepEqual(seen, [
        { amount: 5, note: "none" },
        { amount: 7, note: "none" },
        { undone: { amount: 7, note: "none" } },
      ]);
    });

    it("is rejected at the start if it is invalid, with the path of the invalid value", async () => {
      const { seen, pay } = orders();
      const { engine } = await bench({ workers: [pay] }, url);
      await assert.rejects(
        engine.start("pay", { amount: "5" }),
        (error) =>
          error instanceof SvcError &&
          error.code === "SVC_INVALID" &&
          /"input" is invalid: amount: /.test(error.message) &&
          JSON.stringify(error.issues?.[0]?.path) === '["input","amount"]',
      );
      assert.deepEqual([(await engine.list({})).total, seen.length], [0, 0]);
    });

    it("fails its node at once if it is invalid, without another attempt", async () => {
      const { pay, all } = orders();
      const { engine } = await bench({ workers: [pay], graphs: [all] }, url);
      const { snapshot } = await engine.start("all", [0]);
      await engine.idle();
      const end = await engine.snapshot(snapshot.graph_id);
      assert.match(end?.error?.message ?? "", /The input of "pay\/0" is invalid: amount: /);
      assert.deepEqual([end?.status, end?.nodes.find(({ id }) => id === "pay/0")?.attempts], ["failed", 1]);
    });
  });
}

describe("the input schema of a worker", () => {
  it("is rejected if it is not a schema", () => {
    assert.throws(() => worker("w", { input: {} as never }, () => 1), {
      code: "SVC_DEFINITION",
      message: /worker "w" has input of another kind; use a schema of Standard Schema/,
    });
  });

  it("fails the node with an error if its output is not valid JSON", async () => {
    const dated = v.object({
      day: v.pipe(
        v.string(),
        v.transform((text) => new Date(text)),
      ),
    });
    const { engine } = await bench(
      { workers: [worker("dated", { input: dated }, ({ day }) => day.getTime())] },
      "memory:",
    );
    const { snapshot } = await engine.start("dated", { day: "2026-01-01" });
    await engine.idle();
    assert.match(
      (await engine.snapshot(snapshot.graph_id))?.error?.message ?? "",
      /The input of "dated" is invalid: the schema's output.day is a Date, which JSON can't carry/,
    );
  });
});
