/**
 * Sent events whose large data are objects in a bucket, with references in their rows. The upload comes first, as for values of runs:
 * a process that ends in between leaves an object that no row knows, which the sweep deletes. Decision 139.
 */
import type { Json } from "../../platform/shared/json.ts";
import type { Log } from "../../platform/shared/log.ts";
import type { NewSentEvent, SentEventRow, SentEventRows } from "../contract/sent-events.ts";
import { passed } from "../encryption/passed.ts";
import { sentEventPayloads } from "../encryption/payload-rows.ts";
import { readableRows, type ReadableRows } from "../encryption/readable-rows.ts";
import type { BucketClient } from "./bucket-client.ts";
import { eventPositionOf, newEventObject } from "./object-names.ts";
import type { ObjectRemover } from "./object-remover.ts";
import type { PrefixOwner } from "./prefix-owner.ts";
import { removeObjects } from "./sweep-objects.ts";
import type { ValueObjects } from "./value-objects.ts";
import { objectOfValue, unescapedValue } from "./value-references.ts";
import { ESCAPING, moving, type Upload } from "./value-rows.ts";

export interface EventBucket {
  client: BucketClient;
  owner: PrefixOwner;
  /** Larger data, in bytes, are objects. Undefined: none, and objects from before are deleted with their rows. */
  above: number | undefined;
  remove: ObjectRemover;
}

/** @param bucket undefined: new events stay in the database, and no object is deleted */
export function eventsIn(
  events: SentEventRows,
  objects: ValueObjects,
  bucket: EventBucket | undefined,
  log: Log,
): SentEventRows {
  const open = (rows: readonly SentEventRow[]): Promise<ReadableRows<SentEventRow>> => opened(rows, events, objects);
  const read = (limit: number, rows: (limit: number) => Promise<SentEventRow[]>): Promise<SentEventRow[]> =>
    readableRows(limit, rows, open, (errors) =>
      log.error({ err: errors[0], count: errors.length }, "Data of sent events is missing in the bucket"),
    );
  return {
    ...passed(events, ["handled", "objects"]),
    add: async (row) => {
      const uploads: Upload[] = [];
      const stored = moved(row, bucket?.above, uploads);
      await objects.write(bucket, uploads);
      return events.add(stored);
    },
    pending: (after, before, limit) => read(limit, (most) => events.pending(after, before, most)),
    after: (name, position, limit) => read(limit, (most) => events.after(name, position, most)),
    list: async (query) => {
      const rows = await events.list(query);
      const found = await objects.read(namesIn(rows));
      return rows.map((row) => withData(row, (name) => objects.valueIn(found.get(name), name)));
    },
    purge: async (before, limit) => {
      const purged = await events.purge(before, limit);
      // Rows from before this store may contain data that looks like a reference to the object of a run.
      const gone = purged.objects.filter((name) => eventPositionOf(name) !== undefined).map((name) => ({ name }));
      if (bucket && gone.length > 0) await bucket.remove(() => removeObjects(bucket.client, gone));
      return purged;
    },
  };
}

/** @param uploads gets the object of large data */
function moved(row: NewSentEvent, above: number | undefined, uploads: Upload[]): NewSentEvent {
  const to = above === undefined ? ESCAPING : moving(() => newEventObject(row.position), above, uploads);
  return sentEventPayloads(to, row);
}

/** Rows with their data. Those whose object is missing are left out, unless they are deleted by now. */
async function opened(
  rows: readonly SentEventRow[],
  events: SentEventRows,
  objects: ValueObjects,
): Promise<ReadableRows<SentEventRow>> {
  const found = await objects.read(namesIn(rows));
  const isLost = (row: SentEventRow): boolean => !found.has(objectOf(row) ?? "") && objectOf(row) !== undefined;
  const lost = rows.filter(isLost);
  const known = lost.length > 0 ? await events.objects(lost.map(({ position }) => position)) : [];
  return {
    readable: rows
      .filter((row) => !isLost(row))
      .map((row) => withData(row, (name) => objects.valueIn(found.get(name), name))),
    errors: known.map((name) => objects.problem(name)),
  };
}

function namesIn(rows: readonly SentEventRow[]): Set<string> {
  return new Set(rows.flatMap((row) => objectOf(row) ?? []));
}

/** Name of the object of an event's data. Another event's object, or that of a run, is no reference: a sender could have forged it. */
function objectOf({ data, position }: SentEventRow): string | undefined {
  const name = objectOfValue(data);
  return name !== undefined && eventPositionOf(name) === position ? name : undefined;
}

function withData(row: SentEventRow, read: (name: string) => Json): SentEventRow {
  const name = objectOf(row);
  const data = name === undefined ? unescapedValue(row.data) : read(name);
  return data === row.data ? row : { ...row, data };
}
