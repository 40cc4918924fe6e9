/**
 * A process that `wait-kill.test.ts` kills: an engine whose workers sleep and wait for a signal, on a clock that is a hundred times faster.
 * Its arguments are the journal, the time at which the clock begins, and the number of runs to start; with `end` it sends the signals, waits
 * for all runs and prints them.
 */
import { appendFileSync, writeSync } from "node:fs";
import { createEngine, openStore, systemClock, worker, type Clock } from "svckit/graph";

const SPEED = 100;
const TICK_MS = 20;
const [journal = "", begin = "0", count = "0", isEnd] = process.argv.slice(2);

const elapsed = (): number => (Date.now() - Number(begin)) * SPEED;
const clock: Clock = {
  now: () => Number(begin) + elapsed(),
  elapsed,
  schedule: (delayMs, run) => systemClock.schedule(delayMs / SPEED, run),
};

const say = (line: string): void => void writeSync(1, `${line}\n`);

const waits = worker("waits", async (no: number, ctx) => {
  appendFileSync(journal, `call ${no}\n`);
  await ctx.step("before", () => appendFileSync(journal, `before ${no}\n`));
  await ctx.sleep("2m");
  await ctx.step("between", () => appendFileSync(journal, `between ${no}\n`));
  const said = await ctx.waitFor<string>("go");
  return `${no} ${said}`;
});

if (process.argv[2] !== undefined) {
  // Its timers do not keep the process alive.
  setInterval(() => say("tick"), TICK_MS);
  const store = await openStore(process.env["SVC_DATABASE_URL"] as string);
  const engine = createEngine({ store, clock, workers: [waits] });
  await engine.recover();
  const runs = await Promise.all(
    Array.from({ length: Number(count) }, (_, no) => engine.start(waits, no, { idempotencyKey: `run-${no}` })),
  );
  say("up");
  if (isEnd === "end") {
    for (const run of runs) await run.signal("go", "went", { idempotencyKey: "go" });
    for (const run of runs) say(`= ${await run.result()}`);
    await engine.close();
    await store.close();
    process.exit(0);
  }
}
