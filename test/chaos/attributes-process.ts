/**
 * A process that `attributes-kill.test.ts` kills: an app whose run sets an attribute many times. It prints a line for each value that is
 * durable, with the value that is stored then. With `end` it waits for the run and prints the values of all changes.
 */
import { writeSync } from "node:fs";
import { createApp } from "svckit";
import { worker } from "svckit/graph";

/** Values that the run sets, one after the other. */
export const VALUES = 60;

const say = (line: string): void => void writeSync(1, `${line}\n`);

if (process.argv[2] !== undefined) {
  const counts = worker("counts", async (_: null, ctx) => {
    for (let value = 1; value <= VALUES; value++) {
      await ctx.setAttributes({ value, isEven: value % 2 === 0, ...(value === 2 && { first: null }) });
      const run = await app.engine.snapshot(ctx.graphId);
      say(`+ ${value} ${JSON.stringify(run?.attributes)}`);
    }
  });
  const app = createApp({ workers: [counts] });
  await app.boot();
  const { engine } = app;
  const { id } = await engine.start(counts, null, { idempotencyKey: "only", attributes: { first: 0 } });
  if (process.argv[2] === "end") {
    await engine.result(id);
    const found = await engine.list({
      attributes: { value: { gte: VALUES }, isEven: VALUES % 2 === 0 },
      status: "done",
    });
    say(`found ${found.items.map(({ graph_id: one }) => one === id).join()}`);
    for (const { type, data } of await engine.events(id))
      if (type === "attributes") say(`= ${(data as { set: { value: number } }).set.value}`);
    await app.close();
    process.exit(0);
  }
}
