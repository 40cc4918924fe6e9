/**
 * JSON from outside, read strictly (contract section 1): well-formed, at most 32 levels deep, and without the
 * keys that reach prototypes. Values are plain JSON; nothing is ever revived into an instance or a reference.
 */
import { SvcError } from "./errors.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Deepest nesting accepted from outside. */
export const MAX_JSON_DEPTH = 32;

const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/**
 * @param text JSON text, already decoded as UTF-8.
 * @param maxNodes values and members that it may hold; default: as many as there are.
 * @throws SvcError `SVC_INVALID` naming what is wrong and where.
 */
export function parseJson(text: string, maxNodes = Infinity): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    throw new SvcError("SVC_INVALID", `Invalid JSON: ${(cause as Error).message}`, { cause });
  }
  assertSafeJson(value, maxNodes);
  return value;
}

/** Checks depth, size and keys without recursion, so that a deep value cannot exhaust the stack. */
function assertSafeJson(root: Json, maxNodes: number): void {
  let nodes = 1;
  const open: { value: Json; depth: number; path: string }[] = [{ value: root, depth: 0, path: "$" }];
  for (let item = open.pop(); item; item = open.pop()) {
    const { value, depth, path } = item;
    if (value === null || typeof value !== "object") continue;
    if (depth >= MAX_JSON_DEPTH) {
      throw new SvcError("SVC_INVALID", `JSON is nested over ${MAX_JSON_DEPTH} levels deep`);
    }
    const entries = Object.entries(value);
    nodes += entries.length;
    if (nodes > maxNodes) throw new SvcError("SVC_INVALID", `JSON holds over ${maxNodes} values`);
    for (const [key, child] of entries) {
      if (!Array.isArray(value) && FORBIDDEN_KEYS.has(key)) {
        throw new SvcError("SVC_INVALID", `JSON holds the key "${key}" at ${path}, which is not allowed`);
      }
      if (child !== null && typeof child === "object") {
        open.push({
          value: child,
          depth: depth + 1,
          path: Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`,
        });
      }
    }
  }
}
