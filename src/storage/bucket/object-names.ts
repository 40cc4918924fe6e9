/**
 * Names of objects: `<run>/<hash of the upload>/<part>-<random>` and, for values, `<run>/v/<random>`. Nothing overwrites an object. The names
 * of files may be personal data, so the bucket does not get them.
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

/** The run and the upload's folder of an object; undefined if svc did not choose the name. */
export function placeOf(name: string): { graphId: string; folder: string } | undefined {
  const [run, upload, object, ...more] = name.split("/");
  if (!run || !upload || !object || more.length > 0) return undefined;
  return { graphId: decodeURIComponent(run), folder: `${run}/${upload}/` };
}

/** Name of the folder of values in the folder of a run; a hash of an upload is longer. */
const VALUES = "v";

/** Of all values of a run. */
export function valueFolder(graphId: string): string {
  return `${runFolder(graphId)}${VALUES}/`;
}
