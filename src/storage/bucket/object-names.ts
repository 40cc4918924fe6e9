/**
 * Names of objects: `<run>/<hash of the upload>/<part>-<random>`, for values `<run>/v/<random>`, and for data of sent events
 * `svc-events/<position>-<random>`. Nothing overwrites an object. The names of files may be personal data, so the bucket does not get them.
 */
import { createHash, randomUUID } from "node:crypto";

/** Of all objects of a run. */
export function runFolder(graphId: string): string {
  return `${encodeURIComponent(graphId)}/`;
}

/** Of all objects of an upload. */
export function uploadFolder(graphId: string, upload: string): string {
  return `${runFolder(graphId)}${createHash("sha256").update(upload).digest("base64url").slice(0, 22)}/`;
}

export function newObject(graphId: string, upload: string, at: number): string {
  return `${uploadFolder(graphId, upload)}${at}-${randomUUID()}`;
}

/** The run and the upload's folder of an object; undefined if it belongs to no run. */
export function placeOf(name: string): { graphId: string; folder: string } | undefined {
  const [run, upload, object, ...more] = name.split("/");
  if (!run || !upload || !object || more.length > 0) return undefined;
  return { graphId: decodeURIComponent(run), folder: `${run}/${upload}/` };
}

/** Name of the folder of values in the folder of a run; a hash of an upload is longer. */
const VALUES = "v";

export function newValueObject(graphId: string): string {
  return `${runFolder(graphId)}${VALUES}/${randomUUID()}`;
}

const EVENT = /^svc-events\/(\d+)-[^/]+$/;

/** Of two parts: the sweep of an older version deletes only objects whose names have three. */
export function newEventObject(position: number): string {
  return `svc-events/${position}-${randomUUID()}`;
}

/** Position of the event to which an object belongs; undefined if it is not the data of an event. */
export function eventPositionOf(name: string): number | undefined {
  const position = EVENT.exec(name)?.[1];
  return position === undefined ? undefined : Number(position);
}
