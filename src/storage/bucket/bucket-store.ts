/**
 * A store whose large payloads are objects in a bucket, with the row as a reference: parts of artifacts here, values of runs in
 * value-store.ts, sent events in event-store.ts. It is behind the encryption, so the bucket gets what the database would get. Decisions 117 and 139.
 */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Log } from "../../platform/shared/log.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";
import type { Store } from "../contract/contract.ts";
import type { GraphStore } from "../contract/graph-store.ts";
import { passed } from "../encryption/passed.ts";
import type { BucketClient } from "./bucket-client.ts";
import { PrefixOwner } from "./prefix-owner.ts";
import { eventsIn } from "./event-store.ts";
import { objectRemover, type ObjectRemover } from "./object-remover.ts";
import { newObject, placeOf, runFolder, uploadFolder } from "./object-names.ts";
import { escapedBytes, referenceTo, resolvedPart } from "./references.ts";
import { removeObjects, sweepObjects } from "./sweep-objects.ts";
import { ValueObjects } from "./value-objects.ts";
import { valuesIn } from "./value-store.ts";

/** A store, and the id of its database, which a copy does not share. */
export interface IdentifiedStore {
  store: Store;
  databaseId: () => Promise<string>;
}

interface Bucket {
  client: BucketClient;
  owner: PrefixOwner;
  remove: ObjectRemover;
}

/** @param client undefined: all payloads are stored in the database, and objects from before can't be read */
export function bucketStore({ store, databaseId }: IdentifiedStore, client: BucketClient | undefined, log: Log): Store {
  const objects = new ValueObjects(client);
  if (!client?.config.isWriting)
    return {
      ...store,
      graphs: partsIn(valuesIn(store.graphs, objects, undefined), client, undefined),
      sentEvents: eventsIn(store.sentEvents, objects, undefined, log),
    };
  const owner = new PrefixOwner(client, databaseId, log);
  const bucket = { client, owner, remove: objectRemover(owner, log) };
  const above = client.config.values;
  const writer = above === undefined ? undefined : { client, owner, above };
  return {
    ...store,
    graphs: partsIn(valuesIn(store.graphs, objects, writer), client, bucket),
    sentEvents: eventsIn(store.sentEvents, objects, { ...bucket, above }, log),
    sweepObjects: async () => {
      await owner.require();
      return sweepObjects(client, store);
    },
  };
}

/** Everything but the parts of artifacts goes to the store as before. */
function partsIn(graphs: GraphStore, client: BucketClient | undefined, bucket: Bucket | undefined): GraphStore {
  return {
    ...passed(graphs, SAME),
    ...(bucket ? removing(graphs, bucket) : passed(graphs, ["dropParts", "purge"])),
    writePart: (graphId, upload, at, data) => writePart(graphs, bucket, { graphId, upload, at, data }),
    part: (graphId, upload, at) => readPart(graphs, client, { graphId, upload, at }),
  };
}

/** Members without parts of artifacts. */
const SAME = [
  "transact",
  "commit",
  "load",
  "heads",
  "graph",
  "byIdempotencyKey",
  "pastNodes",
  "children",
  "hasSignal",
  "events",
  "eventsAtHand",
  "onEvents",
  "onAnyEvents",
  "announce",
  "unfinished",
  "waiting",
  "awaiting",
  "list",
  "durations",
  "tagCounts",
  "countByStatus",
  "workers",
  "valueObjects",
  "uploads",
  "artifacts",
] as const satisfies (keyof GraphStore)[];

interface PartPlace {
  graphId: string;
  upload: string;
  at: number;
}

/** The object first: a process that ends in between leaves an object that no row knows, which the sweep deletes. */
async function writePart(
  graphs: GraphStore,
  bucket: Bucket | undefined,
  { graphId, upload, at, data }: PartPlace & { data: Uint8Array },
): Promise<void> {
  if (!bucket || data.byteLength <= bucket.client.config.above)
    return graphs.writePart(graphId, upload, at, escapedBytes(data));
  const object = newObject(graphId, upload, at);
  await bucket.owner.claim();
  await bucket.client.put(object, data);
  await graphs.writePart(graphId, upload, at, referenceTo(object, data));
}

async function readPart(
  graphs: GraphStore,
  client: BucketClient | undefined,
  { graphId, upload, at }: PartPlace,
): Promise<Uint8Array | undefined> {
  const stored = await graphs.part(graphId, upload, at);
  const part = stored && resolvedPart(stored);
  if (!part || "data" in part) return part?.data;
  if (!client)
    throw new SvcError(
      "SVC_BUCKET",
      `Part ${at} of an artifact of ${graphId} is in a bucket, but ${VARIABLES.payloadBucket} is not set. Set it to the bucket in which the object ${part.object} was stored`,
    );
  const data = await client.get(part.object);
  if (data) return data;
  // The row may be deleted or replaced meanwhile, and its object with it.
  if (!(await graphs.part(graphId, upload, at))) return undefined;
  const { bucket, prefix } = client.config;
  throw new SvcError(
    "SVC_BUCKET",
    `The object ${prefix}${part.object}, part ${at} of an artifact of ${graphId}, is missing in the bucket "${bucket}". Restore it from an earlier version of the bucket, or correct ${VARIABLES.payloadBucket}`,
  );
}

/** Rows are deleted first. */
function removing(graphs: GraphStore, { client, remove }: Bucket): Pick<GraphStore, "dropParts" | "purge"> {
  return {
    dropParts: async (graphId, upload) => {
      await graphs.dropParts(graphId, upload);
      await remove(() => removeFrom(client, uploadFolder(graphId, upload)));
    },
    purge: async (query) => {
      const step = await graphs.purge(query);
      if (step.ids.length > 0) await remove(() => removeRuns(client, step.ids));
      return step;
    },
  };
}

async function removeFrom(client: BucketClient, folder: string): Promise<void> {
  for await (const { objects } of client.list(folder)) await removeObjects(client, objects);
}

/** Ids are in the order of time, so runs of a slice are close to each other: one listing instead of one for each run. */
async function removeRuns(client: BucketClient, ids: readonly string[]): Promise<void> {
  const [gone, folders] = [new Set(ids), ids.map(runFolder).sort()];
  const [first = "", last = ""] = [folders[0], folders.at(-1)];
  for await (const { objects } of client.list("", first)) {
    await removeObjects(
      client,
      objects.filter(({ name }) => gone.has(placeOf(name)?.graphId ?? "")),
    );
    const end = objects.at(-1)?.name ?? "";
    if (end > last && !end.startsWith(last)) return;
  }
}
