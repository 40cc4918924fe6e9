/**
 * Deletes objects that no row knows: of uploads and commits that were abandoned, of files and values that were replaced, and of runs and
 * sent events that were deleted.
 */
import type { Store } from "../contract/contract.ts";
import type { BucketClient } from "./bucket-client.ts";
import type { ListedObject } from "./listing.ts";
import { eventPositionOf, placeOf, uploadFolder } from "./object-names.ts";

/** The row of an object follows within seconds. */
const MIN_AGE_MS = 24 * 60 * 60 * 1000;
/** Concurrent requests. */
const AT_ONCE = 8;

/** @returns number of deleted objects. @throws SvcError `SVC_BUCKET` */
export async function sweepObjects(
  client: BucketClient,
  { graphs, sentEvents }: Pick<Store, "graphs" | "sentEvents">,
): Promise<number> {
  let count = 0;
  for await (const { objects, nowMs } of client.list("")) {
    const old = objects.filter(({ changedMs }) => changedMs <= nowMs - MIN_AGE_MS);
    const unknown = [...(await unknownOfRuns(old, graphs)), ...(await unknownOfEvents(old, sentEvents))];
    await removeObjects(client, unknown);
    count += unknown.length;
  }
  return count;
}

type Named = Pick<ListedObject, "name">;

async function unknownOfRuns(objects: readonly Named[], graphs: Store["graphs"]): Promise<Named[]> {
  const placed = objects.flatMap(({ name }) => {
    const place = placeOf(name);
    return place ? [{ name, ...place }] : [];
  });
  if (placed.length === 0) return [];
  const ids = [...new Set(placed.map(({ graphId }) => graphId))];
  const uploads = await graphs.uploads(ids);
  const folders = new Set(uploads.map(({ graphId, upload }) => uploadFolder(graphId, upload)));
  const values = new Set(await graphs.valueObjects(ids));
  return placed.filter(({ name, folder }) => !folders.has(folder) && !values.has(name));
}

async function unknownOfEvents(objects: readonly Named[], events: Store["sentEvents"]): Promise<Named[]> {
  const ofEvents = objects.filter(({ name }) => eventPositionOf(name) !== undefined);
  if (ofEvents.length === 0) return [];
  const known = new Set(await events.objects(ofEvents.flatMap(({ name }) => eventPositionOf(name) ?? [])));
  return ofEvents.filter(({ name }) => !known.has(name));
}

/** @throws SvcError `SVC_BUCKET` after all have ended, if one failed */
export async function removeObjects(client: BucketClient, objects: readonly Named[]): Promise<void> {
  for (let at = 0; at < objects.length; at += AT_ONCE) {
    const removed = objects.slice(at, at + AT_ONCE).map(({ name }) => client.remove(name));
    for (const result of await Promise.allSettled(removed)) if (result.status === "rejected") throw result.reason;
  }
}
