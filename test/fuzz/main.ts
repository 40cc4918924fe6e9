/**
 * Runs the fuzz for longer than in the tests: `npm run fuzz -- [--seed 7] [--seconds 60] [--inputs 5000] [--kind forms] [--views 100]`.
 * The kind `views` renders random views and component trees in a browser, and runs only if it is named. Exits with code 1 at the first failure and prints its
 * seed and smallest input.
 */
import { parseArgs } from "node:util";
import { KINDS } from "./kinds.ts";
import { fuzz } from "./run.ts";
import { fuzzViews } from "./views.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seconds: { type: "string", default: "60" },
    inputs: { type: "string", default: "Infinity" },
    kind: { type: "string", default: "" },
    views: { type: "string", default: "100" },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const hasViews = values.kind !== "" && "views".includes(values.kind);
const kinds = KINDS.filter(({ name }) => name.includes(values.kind));
console.log(`seed ${seed}`);
for (const kind of kinds) {
  try {
    const budgetMs = (Number(values.seconds) * 1000) / kinds.length;
    const { runs, grownBytes } = await fuzz(kind, { seed, budgetMs, maxInputs: Number(values.inputs) });
    console.log(`${kind.name}: ${runs} runs, heap growth ${(grownBytes / 1024).toFixed(0)} KiB`);
  } catch (error) {
    console.log(`${kind.name}: ${(error as Error).message}`);
    process.exitCode = 1;
    break;
  }
}
if (process.exitCode === undefined && hasViews && !fuzzViews(seed, Number(values.views))) process.exitCode = 1;
