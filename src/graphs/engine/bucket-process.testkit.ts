/**
 * A process that `bucket-kill.test.ts` kills: it writes an artifact of three parts into a bucket. Its arguments are the database and the
 * bucket's configuration as JSON. A database with a run continues it.
 */
import { systemClock } from "../../platform/shared/clock.ts";
import type { Json } from "../../platform/shared/json.ts";
import type { BucketConfig } from "../../storage/bucket/bucket-url.ts";
import { PART_BYTES } from "../../storage/contract/artifacts.ts";
import { openStore } from "../../storage/open-store.ts";
import { worker } from "../definition/definition.ts";
import { createEngine } from "./engine.ts";

/** Argument of a process, so that a test that only imports the size does not start one. */
const [, , url, bucket] = process.argv;

/** All bytes of the artifact; the parts differ. */
export const CONTENT = Buffer.concat(["a", "b", "c"].map((letter) => Buffer.alloc(PART_BYTES, letter)));

const dump = worker("dump", async (_: Json, ctx) => ctx.artifact("all.bin", CONTENT));

if (url?.startsWith("sqlite:") && bucket !== undefined) {
  const store = await openStore(url, { bucket: JSON.parse(bucket) as BucketConfig });
  const engine = createEngine({ store, workers: [dump], clock: systemClock });
  await engine.recover();
  if ((await engine.list({ worker: "dump" })).items.length === 0) await engine.start("dump", null);
  await engine.idle();
  await engine.close();
  await store.close();
}
