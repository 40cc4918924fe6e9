/** Runs more of the random views and component trees of test/e2e than the tests do, in a browser. */
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const runner = resolve(fileURLToPath(import.meta.url), "../../../scripts/test.js");

/** @returns whether all passed. Failures are printed, with the names of the views. */
export function fuzzViews(seed: number, count: number): boolean {
  const env = { ...process.env, FUZZ_SEED: String(seed), FUZZ_VIEWS: String(count), FUZZ_TREES: String(count) };
  return spawnSync(process.execPath, [runner, "e2e/random-"], { stdio: "inherit", env }).status === 0;
}
