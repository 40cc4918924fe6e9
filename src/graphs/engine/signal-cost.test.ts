import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import type { Store } from "../../storage/contract/contract.ts";
import { worker } from "../definition/definition.ts";
import { bench, STORES } from "./engine.testkit.ts";

/** The same store. Adds up the JSON that passes between engine and store, in bytes. */
function metered(store: Store): { store: Store; take: () => number } {
  let bytes = 0;
  const count = (value: unknown): void => void (bytes += JSON.stringify(value)?.length ?? 0);
  const graphs = new Proxy(store.graphs, {
    get: (from, key) => {
      const method: unknown = Reflect.get(from, key);
      if (typeof method !== "function") return method;
      return (...given: unknown[]) => {
        count(given);
        const answer: unknown = method.apply(from, given);
        if (answer instanceof Promise) answer.then(count, () => undefined);
        return answer;
      };
    },
  });
  const take = (): number => {
    const taken = bytes;
    bytes = 0;
    return taken;
  };
  return { store: { ...store, graphs }, take };
}

for (const url of STORES)
  describe(`The cost of a signal with ${url}`, () => {
    it("does not grow with the signals that its run has received before", async () => {
      const chat = worker("chat", async (_: Json, ctx) => {
        for (;;) await ctx.waitFor("word");
      });
      const table = await bench({ workers: [chat] }, url);
      const meter = metered(table.store);
      await table.crash({ store: meter.store });
      const { id } = await table.engine.start("chat", null);
      const send = async (): Promise<number> => {
        await table.engine.idle();
        meter.take();
        await table.engine.signal(id, "word", "hello", { idempotencyKey: `key ${++sent}` });
        await table.engine.idle();
        return meter.take();
      };
      let sent = 100;
      const first = await send();
      while (sent < 400) await send();
      const last = await send();
      assert.ok(last <= first * 1.1, `the first signal moved ${first} bytes, and the last one ${last}`);
      await table.store.close();
    });

    it("does not grow with the runs that its run has started", async () => {
      const meterOf = async (items: number): Promise<number> => {
        const child = worker("child", (n: number) => n);
        const parent = worker("parent", async (_: Json, ctx) => ctx.waitFor("end"));
        const table = await bench({ workers: [child, parent] }, url);
        const meter = metered(table.store);
        await table.crash({ store: meter.store });
        const { id } = await table.engine.start("parent", null);
        for (let at = 0; at < items; at++) await table.engine.start("child", at, { parent: { graphId: id } });
        await table.engine.idle();
        meter.take();
        await table.engine.signal(id, "end", 1);
        const bytes = meter.take();
        await table.store.close();
        return bytes;
      };
      const [few, many] = [await meterOf(1), await meterOf(100)];
      assert.ok(many <= few * 1.1, `with one child a signal moves ${few} bytes, and with 100 ${many}`);
    });
  });
