/**
 * A process that `values-kill.test.ts` kills: its run has a large input, and a step with a large result. Its arguments are the database
 * and the bucket's configuration as JSON. A database with a run continues it.
 */
import { systemClock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { BucketConfig } from "../../storage/bucket/bucket-url.ts";
import { openStore } from "../../storage/open-store.ts";
import { worker } from "../definition/definition.ts";
import { createEngine } from "./engine.ts";

/** Argument of a process, so that a test that only imports the value does not start one. */
const [, , url, bucket] = process.argv;

export const LARGE = "large".repeat(10_000);

const copy = worker("copy", async (input: Json, ctx) => {
  await ctx.step("small", () => "small");
  const copied = await ctx.step("copy", () => `${String(input)}!`);
  return copied.length;
});

if (url?.startsWith("sqlite:") && bucket !== undefined) {
  const store = await openStore(url, { bucket: JSON.parse(bucket) as BucketConfig });
  const engine = createEngine({ store, workers: [copy], clock: systemClock });
  await engine.recover();
  if ((await engine.list({ worker: "copy" })).items.length === 0) await engine.start("copy", LARGE);
  await engine.idle();
  await engine.close();
  await store.close();
}
