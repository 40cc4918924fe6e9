import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import { worker } from "../definition/definition.ts";
import { bench } from "./engine.testkit.ts";

const RUNS = 1000;

describe("The recovery of many waiting runs", () => {
  it("lets the event loop turn between slices, so that requests are answered meanwhile", async () => {
    const wait = worker("wait", async (_: Json, ctx) => ctx.waitFor("go"));
    const table = await bench({ workers: [wait] }, "sqlite:");
    for (let at = 0; at < RUNS; at++) await table.engine.start("wait", at);
    await table.engine.idle();
    // Runs loaded since the last turn of the event loop.
    let loaded = 0;
    let most = 0;
    const { graphs } = table.store;
    const counted = new Proxy(graphs, {
      get: (from, key) => {
        const value: unknown = Reflect.get(from, key);
        if (key !== "load") return typeof value === "function" ? (value.bind(from) as unknown) : value;
        return (ids: readonly string[]) => {
          most = Math.max(most, (loaded += ids.length));
          return from.load(ids);
        };
      },
    });
    let isOver = false;
    const turn = (): void => {
      loaded = 0;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await table.crash({ store: { ...table.store, graphs: counted } });
    isOver = true;
    assert.ok(most > 0 && most <= 50, `${most} runs were loaded in one turn of the event loop`);
    assert.equal((await table.engine.list({ status: "running", limit: 1 })).total, RUNS);
    await table.store.close();
  });
});
