/** Results of workers must survive JSON unchanged, or a graph that is resumed would go on with other values. */
import type { Json } from "../shared/json.ts";

/**
 * @returns the value as it will be read back; `undefined` becomes `null`.
 * @throws TypeError naming the place of what JSON can't carry.
 */
export function toJson(value: unknown, path = "the result"): Json {
  if (value === undefined || value === null) return null;
  const problem = findProblem(value, path, new Set());
  if (problem !== undefined)
    throw new TypeError(
      `${problem}, which JSON can't carry. Return plain objects, arrays, strings, finite numbers, booleans or null.`,
    );
  return JSON.parse(JSON.stringify(value)) as Json;
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
