/** Results of workers must survive JSON unchanged, or a graph that is resumed would go on with other values. */
import { SvcError } from "../../shared/errors.ts";
import type { Json } from "../../shared/json.ts";

/** A line of a log beyond this is cut. */
export const MAX_LOG_LENGTH = 16 * 1024;

/**
 * @returns the value as it will be read back; `undefined` becomes `null`.
 * @throws TypeError naming the place of what JSON can't carry; SvcError `SVC_TOO_LARGE`, which no other try will mend.
 */
export function toJson(value: unknown, path: string, maxBytes: number): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean") return value;
  // JSON has no -0.
  if (typeof value === "number" && Number.isFinite(value)) return value + 0;
  const problem = findProblem(value, path, new Set());
  if (problem !== undefined)
    throw new TypeError(
      `${problem}, which JSON can't carry. Use plain objects, arrays, strings, finite numbers, booleans or null.`,
    );
  const text = JSON.stringify(value);
  requireSize(text, path, maxBytes);
  return JSON.parse(text) as Json;
}

/** @throws SvcError `SVC_TOO_LARGE` */
export function requireSize(text: string, what: string, maxBytes: number): void {
  // A character has three bytes at most, so most texts need not be counted.
  if (text.length * 3 <= maxBytes) return;
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  const error = new SvcError(
    "SVC_TOO_LARGE",
    `${what} has ${bytes} bytes of JSON; at most ${maxBytes} are kept. Put it in a file or an artifact, and hand on where it is.`,
  );
  throw Object.assign(error, { isFinal: true });
}

function findProblem(value: unknown, path: string, open: Set<object>): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${path} is ${value}`;
  if (typeof value !== "object") return `${path} is a ${typeof value}`;
  if (open.has(value)) return `${path} refers back to itself`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null)
    return `${path} is a ${value.constructor?.name ?? "class instance"}`;
  open.add(value);
  for (const [key, child] of Object.entries(value)) {
    if (child === undefined && !Array.isArray(value)) continue;
    const problem = findProblem(child, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, open);
    if (problem !== undefined) return problem;
  }
  open.delete(value);
  return undefined;
}
