/** A process of `deferred-operation.test.ts`: the sample app on a shared database. It prints its address. A line on its input moves its clock forward. */
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Clock } from "svckit";
import { systemClock } from "svckit/graph";
import { opsSample } from "../contract/ops-app.ts";

/** Prefixes of the line with the address and of the line that confirms the clock change. */
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
