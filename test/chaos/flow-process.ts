/**
 * A process that `flow-kill.test.ts` kills: an app whose graph allows two active runs of a key. It starts runs, each with an idempotency key,
 * and prints a line for each that is acknowledged. Workers write their begin and end to a journal. Arguments: the journal, the first run and
 * the number of runs; with `end` it waits for all runs and prints their results.
 */
import { appendFileSync, writeSync } from "node:fs";
import { setTimeout as later } from "node:timers/promises";
import { createApp } from "svckit";
import { graph, worker } from "svckit/graph";

interface Job {
  no: number;
}

const [journal = "", first = "0", count = "0", isLast] = process.argv.slice(2);
const note = (what: string, { no }: Job): void => appendFileSync(journal, `${what} ${no % 3} ${no}\n`);

const work = worker("work", async (job: Job) => {
  note("begin", job);
  // The last process does not die: there, long enough for the next run of the key to begin meanwhile.
  await later(isLast === "end" ? 40 : 5);
  note("end", job);
  return job.no * 2;
});
const limited = graph<Job, number>("limited", (g) => g.node("work", work), {
  concurrency: { limit: 2, key: ({ no }) => String(no % 3) },
});

const say = (line: string): void => void writeSync(1, `${line}\n`);

if (journal !== "") {
  const app = createApp({ graphs: [limited] });
  await app.boot();
  const { engine } = app;
  say("up");
  for (let no = Number(first); no < Number(count); no++) {
    await engine.start(limited, { no }, { idempotencyKey: `run-${no}` });
    say(`+${no}`);
  }
  if (isLast === "end") {
    for (let no = 0; no < Number(count); no++) {
      const { id } = await engine.start(limited, { no }, { idempotencyKey: `run-${no}` });
      say(`= ${no} ${String(await engine.result(id))}`);
    }
    await app.close();
    process.exit(0);
  }
}
