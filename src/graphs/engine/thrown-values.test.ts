import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../platform/shared/json.ts";
import { graph, worker } from "../definition/definition.ts";
import { bench, PLACES } from "./engine.testkit.ts";

/** An error whose message throws when it is read. */
const spiked = (): Error =>
  Object.defineProperty(new Error("hidden"), "message", {
    get: () => {
      throw new Error("spike");
    },
  });

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const VALUES: readonly [string, () => unknown][] = [
  ["an object without a prototype", () => Object.create(null)],
  ["a revoked proxy", revoked],
  ["an error with a throwing getter", spiked],
  ["null", () => null],
];

/** A promise of another library. @param then as of a promise; default: pending forever. */
function thenable(then: (resolve: (value: Json) => void) => unknown = () => thenable()): Promise<Json> {
  // oxlint-disable-next-line unicorn/no-thenable -- The test is about values like this one.
  return Object.defineProperty({}, "then", { value: then }) as Promise<Json>;
}

for (const url of PLACES) {
  describe(`a thrown value on ${url}`, () => {
    for (const [name, value] of VALUES) {
      it(`that is ${name} fails its node, and is retried like every error`, async () => {
        const attempts: number[] = [];
        const odd = worker("odd", { retry: { max: 2, base: 10 } }, (_: Json, ctx) => {
          attempts.push(ctx.attempt);
          throw value();
        });
        const { engine, store, pass } = await bench({ workers: [odd] }, url);
        const { snapshot } = await engine.start("odd", null);
        await engine.idle();
        await pass(10);
        const done = await engine.snapshot(snapshot.graph_id);
        assert.deepEqual([done?.status, done?.error?.reason, attempts], ["failed", "error", [1, 2]]);
        assert.equal(typeof done?.error?.message, "string");
        await store.close();
      });

      it(`that is ${name} fails a step, which is retried like every error`, async () => {
        const odd = worker("odd", { retry: { max: 1 } }, async (_: Json, ctx) =>
          ctx.step(
            "odd",
            ({ attempt }) => {
              if (attempt === 1) throw value();
              return attempt;
            },
            { retry: { max: 2, base: 10 } },
          ),
        );
        const { engine, store, clock } = await bench({ workers: [odd] }, url);
        const { snapshot } = await engine.start("odd", null);
        await clock.advance(10);
        await clock.advance(10);
        const done = await engine.snapshot(snapshot.graph_id);
        assert.deepEqual([done?.status, done?.result], ["done", 2]);
        await store.close();
      });
    }

    it("of the function `when` fails the run, whatever it is", async () => {
      const step = worker("step", () => 1);
      const odd = graph("odd", (g) => {
        g.node("first", step, {
          when: () => {
            throw Object.create(null);
          },
        });
      });
      const { engine, store } = await bench({ graphs: [odd] }, url);
      const { snapshot } = await engine.start("odd", null);
      await engine.idle();
      assert.equal((await engine.snapshot(snapshot.graph_id))?.status, "failed");
      await store.close();
    });
  });

  describe(`a worker that returns a thenable on ${url}`, () => {
    it("ends at its timeout", async () => {
      const slow = worker("slow", { timeout: "5s", retry: { max: 1 } }, () => thenable());
      const { engine, store, pass } = await bench({ workers: [slow] }, url);
      const { snapshot } = await engine.start("slow", null);
      await pass(5000);
      const done = await engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.error?.reason], ["failed", "timeout"]);
      await store.close();
    });

    it("does not hold up the end of the process, and runs again after the start", async () => {
      let calls = 0;
      const slow = worker("slow", () => (++calls === 1 ? thenable() : Promise.resolve("second")));
      const table = await bench({ workers: [slow] }, url);
      const { snapshot } = await table.engine.start("slow", null);
      await table.clock.advance(1);
      await table.restart();
      await table.engine.idle();
      const done = await table.engine.snapshot(snapshot.graph_id);
      assert.deepEqual([done?.status, done?.result], ["done", "second"]);
      await table.store.close();
    });

    it("has the value of the thenable as its result", async () => {
      const soon = thenable((resolve) => resolve("value"));
      const { engine, store } = await bench({ workers: [worker("soon", () => soon)] }, url);
      const { snapshot } = await engine.start("soon", null);
      await engine.idle();
      assert.equal((await engine.snapshot(snapshot.graph_id))?.result, "value");
      await store.close();
    });
  });
}
