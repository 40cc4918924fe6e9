/**
 * A process that `attributes-kill.test.ts` kills: an app whose run sets an attribute many times. It prints a line for each value that is
 * durable, with the value that is stored then. Its argument is the value after which it is killed: it sets one more, and waits. With `end` it
 * waits for the run and prints the values of all changes.
 */
import { writeSync } from "node:fs";
import { setTimeout as later } from "node:timers/promises";
import { createApp } from "svckit";
import { worker } from "svckit/graph";

/** Values that the run sets, one after the other. */
export const VALUES = 60;

const say = (line: string): void => void writeSync(1, `${line}\n`);

const [, , mode] = process.argv;

if (mode !== undefined) {
  const last = mode === "end" ? VALUES : Number(mode);
  const counts = worker("counts", async (_: null, ctx) => {
    // A boot resumes runs before it has ended.
    await booted;
    for (let value = 1; value <= VALUES; value++) {
      if (value > last + 1) await later(3_600_000);
      await ctx.setAttributes({ value, isEven: value % 2 === 0, ...(value === 2 && { first: null }) });
      const run = await app.engine.snapshot(ctx.graphId);
      say(`+ ${value} ${JSON.stringify(run?.attributes)}`);
    }
  });
  const app = createApp({ workers: [counts] });
  const booted = app.boot();
  await booted;
  const { engine } = app;
  const { id } = await engine.start(counts, null, { idempotencyKey: "only", attributes: { first: 0 } });
  if (mode === "end") {
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
