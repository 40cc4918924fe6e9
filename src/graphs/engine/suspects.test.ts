import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { graph, worker } from "../definition/definition.ts";
import { bench, STORES } from "./engine.testkit.ts";

const hangs = (): Promise<never> => new Promise(() => undefined);

for (const url of STORES)
  describe(`a node that crashes the process beside 20 others, on ${url}`, () => {
    it("is given up alone: after two crashes, nodes that were running run one at a time", async () => {
      let life = 1;
      let running = 0;
      let most = 0;
      const work = worker("work", { concurrency: 50 }, async (item: number) => {
        most = Math.max(most, ++running);
        // Neither of the first two processes lives long enough. The pill ends every process in which it runs.
        if (life < 3 || item === 7) await hangs();
        await Promise.resolve();
        running--;
        return item;
      });
      const items = Array.from({ length: 21 }, (_, at) => at);
      const list = worker("list", () => items);
      const fan = graph("fan", (g) => g.map("all", work, g.node("list", list), (all) => all, { onError: "collect" }));
      const it = await bench({ graphs: [fan] }, url);
      const { snapshot } = await it.engine.start("fan", null);
      await it.clock.advance(0);
      assert.equal(most, 21);
      for (life = 2; life <= 4; life++) {
        running = most = 0;
        await it.crash();
        await it.clock.advance(0);
        if (life > 2) assert.equal(most, 1);
      }
      await it.pass(0);
      const ended = await it.engine.snapshot(snapshot.graph_id);
      const all = ended?.result as { ok: boolean; error?: { reason: string } }[];
      assert.deepEqual(
        all.flatMap(({ ok, error }, at) => (ok ? [] : [[at, error?.reason]])),
        [[7, "poison"]],
      );
    });

    it("does not hold up a suspect of another worker, whose queue is idle", async () => {
      let life = 1;
      const order: string[] = [];
      const make = (name: string) =>
        worker(name, () => (order.push(`${name} ${life}`), life < 3 ? hangs() : Promise.resolve(name)));
      const pair = graph("pair", (g) => void [g.node("a", make("a")), g.node("b", make("b"))]);
      const it = await bench({ graphs: [pair] }, url);
      const { snapshot } = await it.engine.start("pair", null);
      for (life = 2; life <= 3; life++) {
        await it.clock.advance(0);
        await it.crash();
      }
      await it.pass(0);
      assert.equal((await it.engine.snapshot(snapshot.graph_id))?.status, "done");
    });

    it("is not counted as a crash of an attempt that ended with an error in between", async () => {
      let calls = 0;
      const flaky = worker("flaky", { retry: { max: 9, base: "1s", jitter: false } }, () => {
        if (++calls === 3) throw new Error("no luck");
        return calls < 5 ? hangs() : calls;
      });
      const it = await bench({ workers: [flaky] }, url);
      const { snapshot } = await it.engine.start("flaky", null);
      for (let crash = 0; crash < 2; crash++) {
        await it.clock.advance(0);
        await it.crash();
      }
      await it.clock.advance(10_000);
      await it.crash();
      await it.pass(10_000);
      assert.equal((await it.engine.snapshot(snapshot.graph_id))?.result, 5);
    });
  });
