/**
 * Runs many simulations: `node out/test/chaos/simulate-main.js --seeds 5000 [--from 1] [--bug early] [--store postgres://…]`, or a single one
 * with its log: `--seed 17`. With `--schedules` it simulates schedules. At the first failure it prints the log and the command that
 * reproduces the failure, and exits with code 1.
 */
import { parseArgs } from "node:util";
import { simulateSchedules } from "./schedule-simulation.ts";
import { SimulationFailure } from "./simulation-trace.ts";
import { simulate } from "./simulation.ts";
import type { Bug } from "./simulation-world.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    bug: { type: "string" },
    store: { type: "string" },
    schedules: { type: "boolean", default: false },
  },
});
const bug = values.bug as Bug | undefined;
const first = Number(values.seed ?? values.from);
const count = values.seed === undefined ? Number(values.seeds) : 1;
let [graphs, deaths, calls] = [0, 0, 0];

for (let seed = first; seed < first + count; seed++) {
  try {
    if (values.schedules) {
      const ran = await simulateSchedules(seed, values.store);
      graphs += ran.runs;
      deaths += ran.deaths;
      if (values.seed !== undefined) console.log(ran.trace.join("\n"));
      continue;
    }
    const ran = await simulate(seed, { bug, url: values.store });
    graphs += ran.graphs;
    deaths += ran.deaths;
    calls += ran.calls;
    if (values.seed !== undefined) console.log(ran.trace.join("\n"));
  } catch (error) {
    if (error instanceof SimulationFailure) console.error(error.trace.join("\n"));
    console.error(error);
    process.exit(1);
  }
}
const { user, system } = process.cpuUsage();
const spent = ((user + system) / 1e6).toFixed(1);
const called = values.schedules ? "" : `, ${calls} calls of the store`;
console.log(`${count} seeds: ${graphs} graphs, ${deaths} deaths${called}; ${spent} s of processor`);
