/** Runs that a process without workers leases temporarily, for several concurrent commands. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { systemClock } from "../../../platform/shared/clock.ts";
import type { Store } from "../../../storage/contract/contract.ts";
import { openStore } from "../../../storage/open-store.ts";
import { worker } from "../../definition/definition.ts";
import { clusterOf } from "../remote.testkit.ts";
import { createEngine } from "../engine.ts";
import { StaleLeaseError } from "../cluster-port.ts";

const waits = worker("waits", (_input: null, ctx) => ctx.waitFor("go"));

/** A process without workers, with the lease numbers that it returned. */
function serving(store: Store) {
  const given: number[] = [];
  let lease = 0;
  let isHeld = false;
  const cluster = clusterOf({
    permits: { take: async () => assert.fail("nothing runs"), giveBack: () => undefined },
    isRunner: false,
    enter: () => undefined,
    reach: async (_graphId, _wish, here) => {
      for (;;)
        try {
          if (!isHeld) lease++;
          isHeld = true;
          return await here(lease);
        } catch (error) {
          if (!(error instanceof StaleLeaseError)) throw error;
        }
    },
    confirms: async (_graphId, number) => isHeld && number === lease,
    giveBack: async (_graphId, number) => {
      given.push(number);
      if (number === lease) isHeld = false;
    },
  });
  return { engine: createEngine({ store, clock: systemClock, workers: [waits], cluster }), given };
}

describe("a run that is leased for a command", () => {
  it("is returned once, after all concurrent commands have finished", async () => {
    const store = await openStore("memory:");
    // Each command waits in its lookup of the idempotency key until it is released.
    const looks: (() => void)[] = [];
    const graphs = new Proxy(store.graphs, {
      get: (from, key) => {
        const value: unknown = Reflect.get(from, key);
        if (typeof value !== "function") return value;
        return async (...args: unknown[]) => {
          if (key === "hasSignal") await new Promise<void>((look) => looks.push(look));
          return (value as (...of: unknown[]) => unknown).apply(from, args);
        };
      },
    });
    const { engine, given } = serving({ ...store, graphs });
    const { snapshot } = await engine.start("waits", null);
    const id = snapshot.graph_id;
    const come = async (count: number): Promise<void> => {
      while (looks.length < count) await new Promise((turn) => setImmediate(turn));
    };
    const first = engine.signal(id, "go", 1, { idempotencyKey: "a" });
    await come(1);
    const second = engine.signal(id, "go", 2, { idempotencyKey: "b" });
    await come(2);
    looks[0]?.();
    await first;
    assert.deepEqual(given, [], "the other command has not finished");
    looks[1]?.();
    await second;
    assert.deepEqual(given, [1]);
    assert.equal((await engine.events(id)).filter(({ type }) => type === "graph.signal").length, 2);
    await engine.pause(id);
    assert.deepEqual(given, [1, 2]);
    await engine.close();
    await store.close();
  });
});
