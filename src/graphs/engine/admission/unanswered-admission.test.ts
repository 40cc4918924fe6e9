/** Admissions whose answer is lost: the store may have admitted the runs. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Store } from "../../../storage/contract/contract.ts";
import { graph, worker } from "../../definition/definition.ts";
import { bench, STORES } from "../engine.testkit.ts";

const one = worker("one", () => 1);

/** A part of a store, one method of which fails once: after its work, as if its answer were lost. Calls for no rows succeed. */
function failingOnce<Part extends object>(part: Part, method: keyof Part): Part {
  let isLeft = true;
  return new Proxy(part, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      const call = value.bind(target) as (...given: unknown[]) => Promise<unknown>;
      if (key !== method) return call;
      return async (...given: unknown[]) => {
        const answer = await call(...given);
        if (!isLeft || (answer as unknown[]).length === 0) return answer;
        isLeft = false;
        throw new Error("the connection is lost");
      };
    },
  });
}

const FAULTS: readonly [string, (store: Store) => Partial<Store>][] = [
  ["admission", ({ admission }) => ({ admission: failingOnce(admission, "admit") })],
  ["fair admission", ({ admission }) => ({ admission: failingOnce(admission, "admitFairly") })],
  ["load after the admission", ({ graphs }) => ({ graphs: failingOnce(graphs, "load") })],
];

for (const url of STORES)
  describe(`Runs with a key on ${url}`, () => {
    for (const [what, fault] of FAULTS)
      it(`start although the answer of their ${what} is lost`, async () => {
        const fairness = what === "fair admission" ? { fairness: { key: () => "all" } } : {};
        const limited = graph("limited", (g) => g.node("one", one), { concurrency: { limit: 1 }, ...fairness });
        const table = await bench({ graphs: [limited] }, url);
        await table.crash({ store: { ...table.store, ...fault(table.store) } });
        const { id } = await table.engine.start("limited", null);
        await table.pass(0);
        await table.pass(1000);
        await table.pass(0);
        assert.equal((await table.engine.snapshot(id))?.status, "done");
        await table.store.close();
      });
  });
