/** Results of workers must survive JSON unchanged: a resumed run would otherwise continue with different values. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { Json } from "../../platform/shared/json.ts";

/** Longer log lines are cut. */
export const MAX_LOG_LENGTH = 16 * 1024;

/**
 * @returns the value as it will be read back; `undefined` becomes `null`.
 * @throws TypeError with the path of a value that JSON can't represent; SvcError `SVC_TOO_LARGE`, which no retry fixes.
 */
export function toJson(value: unknown, path: string, maxBytes: number): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean") return value;
  // JSON has no -0.
  if (typeof value === "number" && Number.isFinite(value)) return value + 0;
  const found = findProblem(value, new Set());
  if (found)
    throw new TypeError(
      `${path}${found.place} ${found.what}, which JSON can't carry. Use plain objects, arrays, strings, finite numbers, booleans or null.`,
    );
  const text = JSON.stringify(value);
  requireSize(text, path, maxBytes);
  return JSON.parse(text) as Json;
}

/** @throws SvcError `SVC_TOO_LARGE` */
export function requireSize(text: string, what: string, maxBytes: number): void {
  // A character has at most three bytes, so most texts need no exact count.
  if (text.length * 3 <= maxBytes) return;
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  const error = new SvcError(
    "SVC_TOO_LARGE",
    `${what} has ${bytes} bytes of JSON; the limit is ${maxBytes}. Store it in a file or an artifact, and pass on its location.`,
  );
  throw Object.assign(error, { isFinal: true });
}

/** Path and kind of a value that JSON can't represent, such as `.a[3]`. */
interface Problem {
  place: string;
  what: string;
}

/** @param open the objects that contain it. */
function findProblem(value: unknown, open: Set<object>): Problem | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : problem(`is ${value}`);
  if (typeof value !== "object") return problem(`is a ${typeof value}`);
  if (open.has(value)) return problem("refers back to itself");
  open.add(value);
  const found = Array.isArray(value) ? problemOfItems(value, open) : problemOfFields(value, open);
  open.delete(value);
  return found;
}

function problemOfItems(items: readonly unknown[], open: Set<object>): Problem | undefined {
  for (let at = 0; at < items.length; at++) {
    // A hole in an array has no property.
    const found = at in items ? findProblem(items[at], open) : undefined;
    if (found) return { ...found, place: `[${at}]${found.place}` };
  }
  return undefined;
}

function problemOfFields(value: object, open: Set<object>): Problem | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    return problem(`is a ${value.constructor?.name ?? "class instance"}`);
  for (const [key, child] of Object.entries(value)) {
    const found = child === undefined ? undefined : findProblem(child, open);
    if (found) return { ...found, place: `.${key}${found.place}` };
  }
  return undefined;
}

const problem = (what: string): Problem => ({ place: "", what });
