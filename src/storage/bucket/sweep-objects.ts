/**
 * Deletes objects that no row knows: of uploads and commits that were abandoned, of files and values that were replaced, and of runs that
 * were deleted.
 */
import type { GraphStore } from "../contract/graph-store.ts";
import type { BucketClient } from "./bucket-client.ts";
import type { ListedObject } from "./listing.ts";
import { placeOf, uploadFolder } from "./object-names.ts";

/** The row of an object follows within seconds. */
const MIN_AGE_MS = 24 * 60 * 60 * 1000;
/** Concurrent requests. */
const AT_ONCE = 8;

/** @returns number of deleted objects. @throws SvcError `SVC_BUCKET` */
export async function sweepObjects(
  client: BucketClient,
  rows: Pick<GraphStore, "uploads" | "valueObjects">,
): Promise<number> {
  let count = 0;
  for await (const { objects, nowMs } of client.list("")) {
    const old = objects.flatMap((object) => {
      const place = object.changedMs <= nowMs - MIN_AGE_MS ? placeOf(object.name) : undefined;
      return place ? [{ ...object, ...place }] : [];
    });
    if (old.length === 0) continue;
    const ids = [...new Set(old.map(({ graphId }) => graphId))];
    const uploads = await rows.uploads(ids);
    const folders = new Set(uploads.map(({ graphId, upload }) => uploadFolder(graphId, upload)));
    const values = new Set(await rows.valueObjects(ids));
    const unknown = old.filter(({ name, folder }) => !folders.has(folder) && !values.has(name));
    await removeObjects(client, unknown);
    count += unknown.length;
  }
  return count;
}

/** @throws SvcError `SVC_BUCKET` after all have ended, if one failed */
export async function removeObjects(
  client: BucketClient,
  objects: readonly Pick<ListedObject, "name">[],
): Promise<void> {
  for (let at = 0; at < objects.length; at += AT_ONCE) {
    const removed = objects.slice(at, at + AT_ONCE).map(({ name }) => client.remove(name));
    for (const result of await Promise.allSettled(removed)) if (result.status === "rejected") throw result.reason;
  }
}
