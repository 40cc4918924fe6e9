/** One of the two processes of `held.test.ts`: the sample app on their database. It says where it listens; a line on its input sets its clock ahead. */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Clock } from "svckit";
import { systemClock } from "svckit/graph";
import { opsSample } from "../contract/ops-app.ts";

/** What stands before the address, and before how far the clock is set ahead. */
export const [LISTENS, AHEAD] = ["url ", "ahead "] as const;

let aheadMs = 0;
const clock: Clock = { ...systemClock, now: () => systemClock.now() + aheadMs };

if (process.argv[2] === "go") {
  const app = opsSample({
    env: process.env as Record<string, string>,
    ops: { undo: process.argv[3] ?? "5s" },
    more: { clock },
  });
  const started = await app.start();
  createInterface(process.stdin).on("line", (line) => {
    aheadMs = Number(line);
    writeSync(1, `${AHEAD}${line}\n`);
  });
  writeSync(1, `${LISTENS}${started.url}\n`);
}
