/** Idempotency keys and options of starts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import { worker } from "../definition/definition.ts";
import { bench, STORES } from "./engine.testkit.ts";

const double = worker("double", (input: Json) => Number((input as { n: number }).n) * 2);

for (const url of STORES) {
  describe(`a start on ${url}`, () => {
    it("with a known idempotency key and another input is rejected, and with the same input returns the run", async () => {
      const { engine, store } = await bench({ workers: [double] }, url);
      const options = { idempotencyKey: "k" };
      const { snapshot } = await engine.start("double", { n: 1, at: ["a", null] }, options);
      const again = await engine.start("double", { at: ["a", null], n: 1 }, options);
      assert.deepEqual([again.created, again.snapshot.graph_id], [false, snapshot.graph_id]);
      await assert.rejects(engine.start("double", { n: 2 }, options), {
        code: "SVC_KEY_REUSED",
        status: 409,
        message: /key "k" has started the run g_\w+ of "double" with another input\. Send the same input/,
      });
      const both = await Promise.allSettled(
        [1, 2].map((n) => engine.start("double", { n }, { idempotencyKey: "both" })),
      );
      assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
      assert.equal((await engine.list({})).total, 2);
      await store.close();
    });

    it("with an unknown option is rejected, and the error names the option and the allowed ones", async () => {
      const { engine, store } = await bench({ workers: [double] }, url);
      const misspelled = { idempotencykey: "k" } as object;
      await assert.rejects(engine.start("double", { n: 1 }, misspelled), {
        code: "SVC_INVALID",
        message: /^"idempotencykey" is not an option of a start; allowed are .*idempotencyKey/,
      });
      assert.equal((await engine.list({})).total, 0);
      await store.close();
    });
  });
}
